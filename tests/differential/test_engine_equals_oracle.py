"""Fast code is checked against slow code, on generated programs and facts."""

import pytest
from hypothesis import given, settings

from amount import amount
from differential.comparison import compare
from differential.operator_cases import operator_cases
from thalweg.testing.strategies import Knobs, integer_cases, rational_cases
from thalweg.time.timeline import Timeline


@settings(max_examples=amount(180))
@given(rational_cases())
def test_on_the_rational_timeline(case):
    compare(case)


@settings(max_examples=amount(180))
@given(integer_cases())
def test_on_the_integer_timeline(case):
    compare(case)


@settings(max_examples=amount(100))
@given(rational_cases(Knobs(max_groups=1, max_depth=3)))
def test_on_single_groups_of_rules_with_deep_nesting(case):
    compare(case)


@settings(max_examples=amount(100))
@given(operator_cases())
def test_on_single_operators_whose_ends_meet(case):
    compare(case)


@settings(max_examples=amount(70))
@given(operator_cases(Timeline.INTEGER))
def test_on_single_operators_over_integers(case):
    compare(case)


@pytest.mark.soak
@settings(max_examples=20_000, derandomize=False)
@given(rational_cases())
def test_at_length_on_the_rational_timeline(case):
    compare(case)


@pytest.mark.soak
@settings(max_examples=10_000, derandomize=False)
@given(integer_cases())
def test_at_length_on_the_integer_timeline(case):
    compare(case)
