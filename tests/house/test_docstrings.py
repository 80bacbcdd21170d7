"""The examples in docstrings are true."""

import doctest
import importlib

import pytest
from rooms import PACKAGE

WITH_EXAMPLES = sorted(
    ".".join(("thalweg", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in PACKAGE.rglob("*.py")
    if ">>>" in path.read_text()
)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of(name):
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_the_interface_has_an_example():
    assert "thalweg.api" in WITH_EXAMPLES
