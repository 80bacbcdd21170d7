"""Rooms import what the table in docs/architecture.md allows, and .importlinter says the same as the table."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rooms import NO_ROOMS, OPEN_TO_ALL, PACKAGE, ROOT, imports, room_of, table

ROOMS = table()
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem in ROOMS)
FOLDERS = sorted(room for room in ROOMS if (PACKAGE / room).is_dir())
LINT = Path(sys.executable).with_name("lint-imports")


def test_the_table_has_every_room():
    present = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert set(ROOMS) == present - NO_ROOMS - {"__init__", "__pycache__", "py"}


@pytest.mark.parametrize(
    ("room", "others"),
    {
        "syntax": {"model", "analysis", "columnar", "plan", "engine"},
        "columnar": {"syntax", "model", "analysis", "plan", "engine"},
        "testing": {"analysis", "plan", "columnar", "engine"},
        "plan": {"columnar", "engine"},
        "analysis": {"plan", "engine", "columnar"},
        "engine": {"spark", "api", "cli", "testing"},
        "spark": {"api", "cli", "testing"},
    }.items(),
)
def test_the_table_keeps_apart(room, others):
    assert not ROOMS[room] & others


def test_every_import_is_in_the_table():
    assert not [wrong for path in FILES for wrong in violations(_room(path), path.read_text(), str(path))]


def test_a_wrong_import_would_be_found():
    found = violations("syntax", "from thalweg.model.program import Program\nimport thalweg.time.ticks", "x.py")
    assert found == ["x.py: syntax must not import thalweg.model.program"]


@pytest.fixture(scope="module")
def linted(tmp_path_factory):
    """What the linter says of a copy of the package in which every folder imports everything it must not."""
    home = tmp_path_factory.mktemp("rooms")
    shutil.copytree(PACKAGE, home / "thalweg", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", home)
    for room in FOLDERS:
        (home / "thalweg" / room / "leaf.py").write_text("")
    for room in FOLDERS:
        for other in forbidden(room):
            (home / "thalweg" / room / f"wrong_{other}.py").write_text(f"import thalweg.{other}.leaf\n")
        (home / "thalweg" / room / "sparkling.py").write_text("import pyspark\nimport pandas\n")
    return run_linter(home)


def test_the_linter_is_content_with_the_package():
    outcome = run_linter(ROOT, PYTHONPATH=str(ROOT / "src"))
    assert outcome.returncode == 0, outcome.stdout


def test_the_linter_finds_every_import_that_the_table_forbids(linted):
    assert linted.returncode != 0
    found = set(re.findall(r"thalweg\.(\w+)\.wrong_\w+ -> thalweg\.(\w+)\.leaf", linted.stdout))
    assert found == {(room, other) for room in FOLDERS for other in forbidden(room)}


@pytest.mark.parametrize("package", ["pyspark", "pandas"])
def test_the_linter_finds_every_room_but_two_that_knows(package, linted):
    found = set(re.findall(rf"thalweg\.(\w+)\.sparkling -> {package}\b", linted.stdout))
    assert found == set(FOLDERS) - {"spark", "bench"}


def violations(room, source, name):
    """The imports in a source text that its room must not have."""
    wrong = (module for module in imports(source) if room_of(module) not in {*ROOMS[room], "__version__", None})
    return [f"{name}: {room} must not import {module}" for module in wrong]


def forbidden(room):
    """The folders that a folder must not import."""
    return [other for other in FOLDERS if other not in ROOMS[room] | OPEN_TO_ALL]


def run_linter(folder, **environment):
    return subprocess.run(
        [LINT, "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def _room(path):
    relative = path.relative_to(PACKAGE)
    return relative.parts[0].removesuffix(".py")
