"""The chase on a stream: in any batching, after any restart, the nulls are those of the whole stream."""

from contextlib import contextmanager
from fractions import Fraction
from unittest.mock import patch

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import thalweg
from amount import amount
from differential.comparison import oracle_answers
from differential.test_lars_plus import merging
from stream.streaming import reasoner_for, streamed
from thalweg.engine import window
from thalweg.null import Null
from thalweg.testing import assert_same_answers
from thalweg.testing.strategies import Knobs, LarsKnobs, LarsPlusKnobs, lars_plus_cases, per_cases
from thalweg.time.interval import point

PURE = LarsPlusKnobs(unbounded=False)
MIXED = LarsPlusKnobs(unbounded=False, per=True, beyond=LarsKnobs(future=False, unbounded=False, background=False))
FORWARD = Knobs(future=False)

cuts = st.lists(st.integers(0, 9).map(Fraction), min_size=1, max_size=6, unique=True)


class Restarting:
    """A reasoner that is restored from a snapshot after every advance."""

    def __init__(self, case):
        self.case = case
        self.reasoner = reasoner_for(case)
        self.delay = self.reasoner.delay

    def advance(self, batches, to):
        result = self.reasoner.advance(batches, to)
        resumed = reasoner_for(self.case)
        resumed.restore(self.reasoner.snapshot())
        self.reasoner = resumed
        return result


def compare(reasoner, case, cuts_):
    assert_same_answers(streamed(reasoner, case, cuts_), oracle_answers(case), case.program.timeline)


@settings(max_examples=amount(60))
@given(lars_plus_cases(PURE), cuts)
def test_lars_plus_on_a_stream(case, cuts_):
    compare(reasoner_for(case), case, cuts_)


@settings(max_examples=amount(30))
@given(lars_plus_cases(MIXED), cuts)
def test_beyond_lars_plus_on_a_stream(case, cuts_):
    compare(reasoner_for(case), case, cuts_)


@settings(max_examples=amount(20))
@given(per_cases(FORWARD), cuts)
def test_nulls_without_a_time_on_a_stream(case, cuts_):
    compare(reasoner_for(case), case, cuts_)


@settings(max_examples=amount(20))
@given(lars_plus_cases(PURE) | lars_plus_cases(MIXED), cuts)
def test_rules_of_one_shape_together_on_a_stream(case, cuts_):
    with merging():
        compare(Restarting(case), case, cuts_)


@settings(max_examples=amount(20))
@given(lars_plus_cases(PURE) | lars_plus_cases(MIXED))
def test_all_at_once(case):
    compare(reasoner_for(case), case, [case.end])


@settings(max_examples=amount(20))
@given(lars_plus_cases(PURE) | lars_plus_cases(MIXED))
def test_point_by_point(case):
    compare(reasoner_for(case), case, [Fraction(time) for time in range(10)])


@settings(max_examples=amount(30))
@given(lars_plus_cases(PURE) | lars_plus_cases(MIXED), cuts)
def test_restored_after_every_batch(case, cuts_):
    compare(Restarting(case), case, cuts_)


@contextmanager
def forgetting_at_once():
    """Nulls that no fact held has are forgotten with every advance, however few there are."""
    with patch.object(window, "_FEW_NULLS", -(10**9)):
        yield


@settings(max_examples=amount(20), phases=[Phase.generate])
@given(lars_plus_cases(PURE) | lars_plus_cases(MIXED), cuts)
def test_nulls_that_are_forgotten_come_again_as_they_were(case, cuts_):
    with forgetting_at_once():
        compare(reasoner_for(case), case, cuts_)


def test_answers_keep_their_nulls_when_the_reasoner_forgets_them():
    program = thalweg.parse("timeline integer. exists Y: op(X, Y) :- belt(X).")
    reasoner = thalweg.StreamReasoner(program, "op")
    with forgetting_at_once():
        answers = reasoner.advance("belt(a)@[0,1].", 5)
        reasoner.advance("belt(b)@[6,7].", 9)
        reasoner.advance("belt(c)@[16,17].", 19)
    expected = {("op", ("a", Null(1, "Y", ("a",), time))): (point(time),) for time in (0, 1)}
    assert answers.facts() == expected


@pytest.mark.soak
@settings(max_examples=5_000, derandomize=False)
@given(lars_plus_cases(PURE) | lars_plus_cases(MIXED), cuts, st.booleans())
def test_at_length(case, cuts_, restarting):
    compare(Restarting(case) if restarting else reasoner_for(case), case, cuts_)
