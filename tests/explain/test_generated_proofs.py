"""Every fact of a model has a proof that an independent checker accepts, and no other fact has; on generated programs.

What is said about a fact that does not hold is checked as well: the literal named really cannot be satisfied.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explain.proving import doubt_and_check, prove_and_check
from thalweg.testing.strategies import (
    LarsKnobs,
    LarsPlusKnobs,
    integer_cases,
    lars_cases,
    lars_plus_cases,
    per_cases,
    rational_cases,
)

DIALECTS = {
    "rational": rational_cases(),
    "integer": integer_cases(),
    "windows": lars_cases(),
    "new values": lars_plus_cases(LarsPlusKnobs(per=True, beyond=LarsKnobs())),
    "new values without time": per_cases(),
}

dialects = pytest.mark.parametrize("dialect", DIALECTS)


def prove(dialect, data):
    prove_and_check(data.draw(DIALECTS[dialect]), lambda facts: data.draw(st.sampled_from(facts)))


def doubt(dialect, data):
    def time(case):
        first = data.draw(st.integers(int(case.start), int(case.end)))
        last = data.draw(st.integers(first, int(case.end)))
        return data.draw(st.sampled_from([f"{first}", f"[{first},{last}]"]))

    doubt_and_check(data.draw(DIALECTS[dialect]), lambda atoms: data.draw(st.sampled_from(atoms)), time)


@dialects
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_facts_of_a_model_have_proofs(dialect, data):
    prove(dialect, data)


@dialects
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_other_facts_have_something_in_their_way(dialect, data):
    doubt(dialect, data)


@pytest.mark.soak
@dialects
@settings(max_examples=2_000, deadline=None, derandomize=False)
@given(st.data())
def test_at_length_facts_of_a_model_have_proofs(dialect, data):
    prove(dialect, data)


@pytest.mark.soak
@dialects
@settings(max_examples=2_000, deadline=None, derandomize=False)
@given(st.data())
def test_at_length_other_facts_have_something_in_their_way(dialect, data):
    doubt(dialect, data)
