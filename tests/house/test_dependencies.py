"""What is installed is what was locked, by hash; its licences are listed and allowed; advisories are judged."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from importlib import metadata

import pytest
from packaging.markers import Marker
from packaging.utils import canonicalize_name
from rooms import ROOT

CI = ROOT / ".ci"
LOCK = (ROOT / "requirements.lock").read_text()
ENTRY = re.compile(
    r"^(?P<name>[\w.-]+)(?:\[[\w,-]+\])?==(?P<version>[^\s;\\]+)(?: ; (?P<marker>[^\\\n]+?))? \\\n"
    r"(?P<rest>(?:^    .*\n?)+)",
    re.MULTILINE,
)


@pytest.fixture
def scripts(monkeypatch):
    """The scripts of continuous integration, as modules."""
    monkeypatch.syspath_prepend(str(CI))
    import audit
    import licences

    return licences, audit


def entries():
    return [match.groupdict() for match in ENTRY.finditer(LOCK)]


def test_everything_that_is_locked_is_one_version_with_hashes():
    first_lines = [line for line in LOCK.splitlines() if line and not line.startswith((" ", "#"))]
    assert len(first_lines) == len(entries()) > 100
    assert [each["name"] for each in entries() if not re.search(r"--hash=sha256:[0-9a-f]{64}", each["rest"])] == []


def test_what_is_installed_is_what_is_locked():
    here = [each for each in entries() if each["marker"] is None or Marker(each["marker"]).evaluate()]
    found = {canonicalize_name(each.name): each.version for each in metadata.distributions()}
    assert [
        (each["name"], each["version"], found.get(canonicalize_name(each["name"])))
        for each in here
        if found.get(canonicalize_name(each["name"])) != each["version"]
    ] == []


def test_installing_asks_for_hashes_and_builds_with_what_is_locked():
    _, _, recipe = (ROOT / "Makefile").read_text().partition("\n.venv/ready:")
    installing = [line for line in recipe.partition("\n\n")[0].splitlines() if "pip install" in line]
    assert len(installing) == 2
    assert "--require-hashes -r requirements.lock" in installing[0]
    assert "--no-deps --no-build-isolation" in installing[1]
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    locked = {f"{each['name']}=={each['version']}" for each in entries()}
    assert {*needed} <= locked


def test_everything_that_is_needed_at_run_time_is_locked(scripts):
    licences, _ = scripts
    assert licences.runtime() - licences.locked() == set()
    assert {"numpy", "pyarrow", "pyspark", "py4j", "clingo"} <= licences.runtime()


def test_the_wheel_has_its_licence_and_says_so(tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [described] = [name for name in names if name.endswith(".dist-info/METADATA")]
        said = message_from_bytes(archive.read(described))
        [licence] = [name for name in names if name.endswith(".dist-info/licenses/LICENSE")]
        text = archive.read(licence).decode()
    assert (said["License-Expression"], said["Author"]) == ("Apache-2.0", "The Thalweg authors")
    assert said.get_all("License-File") == ["LICENSE", "src/thalweg/web/static/LICENSES.txt"]
    assert "Apache License\n                           Version 2.0, January 2004" in text
    assert "Copyright 2026 The Thalweg authors" in text


@pytest.mark.skipif(sys.platform != "linux", reason="other systems need other packages")
def test_the_list_of_licences_is_up_to_date_and_all_are_allowed():
    command = [sys.executable, str(CI / "licences.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("BSD-3-Clause AND 0BSD AND MIT", True),
        ("GPL-3.0 OR MIT", True),
        ("(MIT AND Zlib) OR GPL-3.0", True),
        ("MIT AND GPL-3.0", False),
        ("GPL", False),
        ("AGPL-3.0-only", False),
        ("unknown", False),
    ],
)
def test_a_licence_is_allowed_or_not(licence, allowed, scripts):
    licences, _ = scripts
    assert licences.is_allowed(licence) is allowed


def test_a_licence_that_is_not_allowed_is_named(scripts):
    licences, _ = scripts
    assert licences.refused({"good": "MIT", "bad": "AGPL-3.0-only"}) == [("bad", "AGPL-3.0-only")]


def report(**packages):
    """A report as pip-audit writes it."""
    vulnerability = {"id": "PYSEC-1", "aliases": ["CVE-1"], "description": ""}
    listed = [
        {"name": name, "version": "1", "vulns": [{**vulnerability, "fix_versions": fixes} for fixes in found]}
        for name, found in packages.items()
    ]
    return {"dependencies": [*listed, {"name": "editables", "skip_reason": "not found", "version": "1"}], "fixes": []}


@pytest.mark.parametrize(
    ("packages", "code", "said"),
    [
        ({"numpy": []}, 0, "1 of 2 packages looked at, 0 advisories, 0 of them"),
        ({}, 0, "advisories cannot be had here: nothing was checked"),
        ({"numpy": [["9"]]}, 1, "to be mended: numpy 1: PYSEC-1 (fixed in 9)"),
        ({"NumPy": [["9"]]}, 1, "to be mended: numpy 1"),
        ({"numpy": [[]]}, 0, "noted: numpy 1: PYSEC-1 (no fix yet)"),
        ({"pytest": [["9"]]}, 0, "noted: pytest 1: PYSEC-1 (fixed in 9)"),
    ],
)
def test_only_what_runs_and_can_be_mended_fails(packages, code, said, tmp_path, scripts, capsys):
    _, audit = scripts
    (tmp_path / "report.json").write_text(json.dumps(report(**packages)))
    assert audit.main([str(tmp_path / "report.json")]) == code
    assert said in capsys.readouterr().out


def test_an_advisory_can_be_accepted_with_a_reason_only(scripts):
    _, audit = scripts
    found = audit.advisories(report(numpy=[["9"]]))
    assert audit.grave(found, {"numpy"}, {}) == found
    assert audit.grave(found, {"numpy"}, audit.accepted('[accepted]\nCVE-1 = "concerns Windows only"')) == []
    with pytest.raises(SystemExit, match="say why CVE-1 is accepted"):
        audit.accepted('[accepted]\nCVE-1 = ""')
    assert isinstance(audit.accepted(), dict)


def test_advisories_that_cannot_be_had_are_no_failure(tmp_path):
    # Nothing listens at the discard port, and there are no other places to install from.
    environment = {"PATH": "/usr/bin:/bin", "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_CONFIG_FILE": "/dev/null"}
    command = [sys.executable, str(CI / "audit.py")]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=500, check=False, env={**environment, "HOME": str(tmp_path)}
    )
    assert (done.returncode, done.stdout) == (0, "audit: advisories cannot be had here: nothing was checked\n")
