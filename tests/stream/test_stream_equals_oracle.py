"""Theorems 10, 11, 13 and 14: what is streamed out, in any batching, is the answer over the whole stream."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from amount import amount
from differential.comparison import oracle_answers
from stream.streaming import reasoner_for, streamed
from thalweg.analysis.algorithm import choose_algorithm
from thalweg.testing import assert_same_answers
from thalweg.testing.strategies import Knobs, integer_cases, rational_cases

DEFINITION_4 = Knobs(future=False, since=False, negation=False, values=False)
NOT_PUNCTUAL = replace(DEFINITION_4, punctual=False)
PAST = Knobs(future=False)

cuts = st.lists(st.integers(-4, 26).map(lambda n: Fraction(n, 2)), min_size=1, max_size=8, unique=True)
whole_cuts = st.lists(st.integers(-3, 13).map(Fraction), min_size=1, max_size=8, unique=True)


def compare(case, cuts_, **options):
    reasoner = reasoner_for(case, **options)
    assert_same_answers(streamed(reasoner, case, cuts_), oracle_answers(case), case.program.timeline)


@settings(max_examples=amount(100))
@given(rational_cases(DEFINITION_4), cuts)
def test_forward_propagating_programs_with_algorithm_1(case, cuts_):
    compare(case, cuts_, algorithm=1)


@settings(max_examples=amount(100))
@given(rational_cases(NOT_PUNCTUAL), cuts)
def test_forward_propagating_programs_with_algorithm_6(case, cuts_):
    assume(choose_algorithm(case.program) == 6)
    compare(case, cuts_, algorithm=6)


@settings(max_examples=amount(100))
@given(rational_cases(PAST), cuts)
def test_since_negation_and_values(case, cuts_):
    compare(case, cuts_)


@settings(max_examples=amount(80))
@given(rational_cases(Knobs(recursion=False)), cuts)
def test_operators_that_look_ahead(case, cuts_):
    compare(case, cuts_)


@settings(max_examples=amount(30))
@given(rational_cases(PAST))
def test_all_at_once_and_point_by_point(case):
    ends = (end for fact in case.facts for end in (fact.interval.start, fact.interval.end))
    points = sorted({end for end in ends if isinstance(end, Fraction)})
    compare(case, [case.end])
    compare(case, [*points, case.end])


@settings(max_examples=amount(60))
@given(integer_cases(Knobs(future=False)), whole_cuts)
def test_on_the_integer_timeline(case, cuts_):
    compare(case, cuts_)


@settings(max_examples=amount(40))
@given(rational_cases(PAST), st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3)]))
def test_any_step(case, step):
    compare(case, [case.end], step=step)


@pytest.mark.soak
@settings(max_examples=10_000, derandomize=False)
@given(rational_cases(), cuts)
def test_at_length(case, cuts_):
    compare(case, cuts_)
