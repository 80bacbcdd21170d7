"""A reasoner restored from a snapshot goes on as if nothing had happened."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thalweg
from amount import amount
from stream.streaming import batches_of, reasoner_for
from thalweg.engine.stream import StreamReasoner
from thalweg.errors import UsageError
from thalweg.testing.strategies import Knobs, rational_cases


@settings(max_examples=amount(20))
@given(rational_cases(Knobs(future=False)), st.integers(0, 8).map(Fraction))
def test_restored_in_the_middle_the_answers_are_the_same(case, middle):
    first, later = [], []
    for fact in case.facts:
        (first if fact.interval.start < middle or fact.interval.start == float("-inf") else later).append(fact)
    undisturbed, stopped, resumed = (reasoner_for(case) for _ in range(3))
    begin, rest = batches_of(case.program, first), batches_of(case.program, later)
    assert (
        undisturbed.advance(begin, middle - Fraction(1, 2)).facts()
        == stopped.advance(begin, middle - Fraction(1, 2)).facts()
    )
    resumed.restore(stopped.snapshot())
    assert resumed.stored == undisturbed.stored
    assert resumed.advance(rest, case.end).facts() == undisturbed.advance(rest, case.end).facts()
    assert resumed.snapshot() == undisturbed.snapshot()


def test_a_snapshot_of_another_program_is_refused():
    one = StreamReasoner(thalweg.parse("Q(X) :- P(X)."), "Q")
    other = StreamReasoner(thalweg.parse("Q(X) :- boxminus[0,1] P(X)."), "Q")
    with pytest.raises(UsageError, match=r"E477.*another program"):
        other.restore(one.snapshot())


@pytest.mark.parametrize("damage", [lambda b: b[:-8], lambda b: b"nonsense", lambda b: b[:10], lambda b: b + b"x"])
def test_damaged_bytes_are_refused(damage):
    program = thalweg.parse("Q(X) :- boxminus[0,1] P(X). P(a)@[0,3].")
    reasoner = StreamReasoner(program, "Q")
    reasoner.advance([], 2)
    with pytest.raises(UsageError, match=r"E479.*cannot be read"):
        StreamReasoner(program, "Q").restore(damage(reasoner.snapshot()))
