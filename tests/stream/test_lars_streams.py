"""Windows on a stream: what is streamed out, in any batching, is what Definition 7 says of the whole stream."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from differential.comparison import oracle_answers
from stream.streaming import reasoner_for, streamed
from thalweg.testing import assert_same_answers
from thalweg.testing.strategies import LarsKnobs, lars_cases

BOUNDED = LarsKnobs(future=False, unbounded=False)

cuts = st.lists(st.integers(0, 13).map(Fraction), min_size=1, max_size=8, unique=True)


def compare(case, cuts_):
    reasoner = reasoner_for(case)
    assert_same_answers(streamed(reasoner, case, cuts_), oracle_answers(case), case.program.timeline)


@settings(max_examples=amount(50))
@given(lars_cases(BOUNDED), cuts)
def test_windows_on_a_stream(case, cuts_):
    compare(case, cuts_)


@settings(max_examples=amount(24))
@given(lars_cases(BOUNDED))
def test_point_by_point(case):
    compare(case, [Fraction(time) for time in range(15)])


@pytest.mark.soak
@settings(max_examples=10_000, derandomize=False)
@given(lars_cases(BOUNDED), cuts)
def test_at_length(case, cuts_):
    compare(case, cuts_)
