"""``import thalweg`` loads what reasoning needs and nothing else."""

import json
import subprocess
import sys

import pytest

HEAVY = ("pyspark", "matplotlib", "hypothesis", "meteor_reasoner", "pandas", "pytest")


@pytest.fixture(scope="module")
def loaded():
    code = "import json, sys, thalweg, thalweg.cli.main; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("package", HEAVY)
def test_importing_the_package_does_not_load(package, loaded):
    assert [name for name in loaded if name.split(".")[0] == package] == []


def test_importing_the_package_does_not_load_its_tests_helpers(loaded):
    assert [name for name in loaded if name.startswith("thalweg.testing")] == []


def test_the_package_itself_is_loaded(loaded):
    assert "thalweg.engine.fixpoint" in loaded
