"""Disjunctions, nested negations and aggregates without windows: the engine against the oracle."""

import pytest
from hypothesis import given, settings

from amount import amount
from differential.comparison import compare
from thalweg.testing.strategies import Knobs, integer_cases, rational_cases

KNOBS = Knobs(disjunction=True, nested_negation=True, aggregates=True)


@settings(max_examples=amount(120))
@given(rational_cases(KNOBS))
def test_on_the_rational_timeline(case):
    compare(case)


@settings(max_examples=amount(80))
@given(integer_cases(KNOBS))
def test_on_the_integer_timeline(case):
    compare(case)


@pytest.mark.soak
@settings(max_examples=10_000, derandomize=False)
@given(rational_cases(KNOBS) | integer_cases(KNOBS))
def test_at_length(case):
    compare(case)
