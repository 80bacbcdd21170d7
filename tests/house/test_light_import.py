"""``import thalweg`` loads what reasoning needs and nothing else."""

import json
import subprocess
import sys

import pytest

import thalweg

HEAVY = ("clingo", "pyspark", "matplotlib", "hypothesis", "meteor_reasoner", "pandas", "pytest")


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


def test_importing_the_package_does_not_load_its_spark_room(loaded):
    assert [name for name in loaded if name.startswith("thalweg.spark")] == []


def test_the_spark_room_can_be_reached_without_importing_it():
    code = "import thalweg; print(thalweg.spark.session.__name__)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "session\n"


def test_other_names_are_not_made_up():
    with pytest.raises(AttributeError, match="module 'thalweg' has no attribute 'sparks'"):
        _ = thalweg.sparks


def test_the_package_itself_is_loaded(loaded):
    assert "thalweg.engine.fixpoint" in loaded
