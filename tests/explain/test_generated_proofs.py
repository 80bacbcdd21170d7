"""Every fact of a model has a proof, and an independent checker accepts it; on generated programs of all dialects."""

from hypothesis import given, settings
from hypothesis import strategies as st

from explain.proving import prove_and_check
from thalweg.testing.strategies import (
    LarsKnobs,
    LarsPlusKnobs,
    integer_cases,
    lars_cases,
    lars_plus_cases,
    per_cases,
    rational_cases,
)


def prove(case, data):
    prove_and_check(case, lambda facts: data.draw(st.sampled_from(facts)))


@settings(max_examples=100, deadline=None)
@given(rational_cases(), st.data())
def test_on_the_rational_timeline(case, data):
    prove(case, data)


@settings(max_examples=100, deadline=None)
@given(integer_cases(), st.data())
def test_on_the_integer_timeline(case, data):
    prove(case, data)


@settings(max_examples=100, deadline=None)
@given(lars_cases(), st.data())
def test_with_windows(case, data):
    prove(case, data)


@settings(max_examples=60, deadline=None)
@given(lars_plus_cases(LarsPlusKnobs(per=True, beyond=LarsKnobs())), st.data())
def test_with_existential_rules(case, data):
    prove(case, data)


@settings(max_examples=60, deadline=None)
@given(per_cases(), st.data())
def test_with_nulls_that_do_not_depend_on_time(case, data):
    prove(case, data)
