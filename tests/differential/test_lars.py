"""Programs with windows: the engine against entailment straight from the definitions."""

import pytest
from hypothesis import given, settings

from amount import amount
from differential.comparison import compare
from thalweg.testing.strategies import LarsKnobs, lars_cases

PLAIN = LarsKnobs(
    max_groups=1,
    max_depth=2,
    metric=False,
    at=False,
    disjunction=False,
    negation=False,
    values=False,
    aggregates=False,
    recursion=False,
    background=False,
)
"""Windows, some and all over atoms."""


@settings(max_examples=amount(40))
@given(lars_cases(PLAIN))
def test_windows_alone(case):
    compare(case)


@settings(max_examples=amount(60))
@given(lars_cases())
def test_programs_with_windows(case):
    compare(case)


@pytest.mark.soak
@settings(max_examples=10_000, derandomize=False)
@given(lars_cases())
def test_at_length(case):
    compare(case)
