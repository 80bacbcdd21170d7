"""What the repository must not contain, and what it must."""

import re
import subprocess

import pytest
from rooms import ROOT

ADDRESSES = [
    "".join(parts)
    for parts in (("py", "pi.org"), ("files.python", "hosted"), ("deb", "ian.org"), ("npm", "js"), ("anaconda", ".org"))
]


@pytest.fixture(scope="module")
def tracked():
    """The texts of the tracked files, by name."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a clone")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return {path.relative_to(ROOT): path.read_text(errors="replace") for path in paths if path.is_file()}


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_registry_address_is_tracked(address, tracked):
    assert [str(name) for name, text in tracked.items() if address in text] == []


def test_every_locked_requirement_has_a_hash():
    lock = (ROOT / "requirements.lock").read_text()
    pinned = re.findall(r"^[\w.-]+(?:\[[\w,]+\])?==.*?(?=^\S|\Z)", lock, flags=re.MULTILINE | re.DOTALL)
    assert len(pinned) > 10
    assert [entry.splitlines()[0] for entry in pinned if "--hash=sha256:" not in entry] == []


def test_every_decision_has_context_decision_and_consequences():
    decisions = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
    numbers = [int(path.name[:4]) for path in decisions]
    assert numbers == list(range(1, len(numbers) + 1))
    for path in decisions:
        headings = re.findall(r"^## (.+)$", path.read_text(), flags=re.MULTILINE)
        assert {"Context", "Decision", "Consequences"} <= set(headings), path.name
