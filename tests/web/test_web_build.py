"""The built files are those that the source gives, with their licences, and name no place to fetch from."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE, STATIC = ROOT / "web", ROOT / "src" / "thalweg" / "web" / "static"
BUILT = ("LICENSES.txt", "app.css", "app.js", "icon.svg", "index.html")


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory):
    """The page, built anew from the locked packages."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("there is no Node.js on this machine")
    folder = tmp_path_factory.mktemp("web")
    shutil.copytree(SOURCE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    fetched = _run([npm, "ci", "--ignore-scripts", "--prefer-offline"], folder)
    if fetched.returncode != 0:
        pytest.skip(f"the packages cannot be fetched: {fetched.stderr[-200:]}")
    built = _run([node, "build.mjs", str(folder / "static")], folder)
    assert built.returncode == 0, built.stderr
    return folder / "static"


def _run(command, folder):
    try:
        return subprocess.run(
            command, cwd=folder, env={**os.environ, "CI": "1"}, capture_output=True, text=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.skip("the registry of packages does not answer")


def test_there_is_nothing_but_what_is_built():
    assert sorted(path.name for path in STATIC.iterdir()) == sorted(BUILT)


@pytest.mark.parametrize("name", BUILT)
def test_building_again_gives_the_same_bytes(name, rebuilt):
    assert (rebuilt / name).read_bytes() == (STATIC / name).read_bytes(), "run make web"


def test_versions_are_pinned():
    package = json.loads((SOURCE / "package.json").read_text())
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions.values())


def test_locked_packages_have_hashes_and_no_address():
    lock = (SOURCE / "package-lock.json").read_text()
    assert "resolved" not in lock
    assert "http" not in lock
    packages = {name: each for name, each in json.loads(lock)["packages"].items() if name}
    assert all("integrity" in each for each in packages.values())


def test_every_bundled_package_has_its_licence():
    lock = json.loads((SOURCE / "package-lock.json").read_text())["packages"]
    needed = {name.removeprefix("node_modules/") for name, each in lock.items() if name and not each.get("dev")}
    licences = (STATIC / "LICENSES.txt").read_text()
    bundled = set(re.findall(r"^([\w@/-]+) \d+\.\d+\.\d+ \(.+\)$", licences, flags=re.MULTILINE))
    assert bundled
    assert bundled <= needed
    assert licences.count("Copyright") >= len(bundled)


def test_the_page_names_no_other_host():
    text = "".join((STATIC / name).read_text() for name in ("app.js", "app.css", "index.html"))
    assert set(re.findall(r"https?://([\w.-]+)", text)) <= {"www.w3.org"}


def _luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one, other):
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


TEXTS = [
    *((ink, paper) for ink in ("ink", "soft") for paper in ("paper", "ground", "faint")),
    *((ink, "paper") for ink in ("accent", "warn", "bad", "good")),
    *((ink, f"{ink}-soft") for ink in ("accent", "warn", "bad", "good")),
    ("ink", "accent-soft"),
    ("ink", "warn-soft"),
]
BARS = [(bar, "paper") for bar in ("c0", "c1", "c2", "c3", "c4", "c5", "derived", "input", "background", "pointer")]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_can_be_told_apart(theme):
    """WCAG 2, level AA: 4.5 for texts, 3 for graphics."""
    blocks = re.findall(r":root \{(.*?)\}", (SOURCE / "src" / "app.css").read_text(), flags=re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+): (#\w{6});", blocks[theme == "dark"]))
    texts = {pair: _contrast(colours[pair[0]], colours[pair[1]]) for pair in TEXTS}
    assert {pair: found for pair, found in texts.items() if found < 4.5} == {}
    bars = {pair: _contrast(colours[pair[0]], colours[pair[1]]) for pair in BARS}
    assert {pair: found for pair, found in bars.items() if found < 3} == {}
