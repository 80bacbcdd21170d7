"""Explanations of streamed answers: each proves its answer from all facts that ever came, or is refused."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import thalweg
from stream.streaming import REFUSALS, batches_of
from thalweg.errors import ProgramError, UsageError
from thalweg.testing.proofs import check_proof
from thalweg.testing.strategies import Knobs, integer_cases, rational_cases

cuts = st.lists(st.integers(-4, 26).map(lambda n: Fraction(n, 2)), min_size=1, max_size=6, unique=True)
whole_cuts = st.lists(st.integers(-3, 13).map(Fraction), min_size=1, max_size=6, unique=True)
MOST_PROOFS = 3
"""So many answers of a batch are asked about: the checker takes its time."""


def explained(case, cuts_, bound):
    """How many answers are explained and how many are refused; every proof is checked against all facts."""
    try:
        reasoner = thalweg.StreamReasoner(case.program, case.program.predicates, explain=bound)
    except ProgramError as error:
        assume(not all(diagnostic.code in REFUSALS for diagnostic in error.diagnostics))
        raise
    counts, before = [0, 0], None
    for stop in sorted({*cuts_, case.end + reasoner.delay + 1}):
        new = [fact for fact in case.facts if begins_in(fact.interval, before, stop)]
        answers = reasoner.advance(batches_of(case.program, new), stop).to_text().splitlines()
        for line in answers[:: len(answers) // MOST_PROOFS + 1]:
            try:
                proof = reasoner.why(line, depth=None)
            except UsageError as refusal:
                if "no longer kept" not in str(refusal):
                    raise
                counts[1] += 1
                continue
            assert proof.holds, line
            check_proof(case.program, case.facts, proof.to_json())
            counts[0] += 1
        before = stop
    return counts


def begins_in(interval, before, stop):
    start, closed = interval.start, interval.start_closed
    begun = start <= stop if closed else start < stop
    return begun and (before is None or (start > before if closed else start >= before))


@settings(max_examples=25)
@given(rational_cases(Knobs(future=False)), cuts)
def test_with_all_facts_kept_every_answer_is_explained(case, cuts_):
    assert explained(case, cuts_, 10_000)[1] == 0


@settings(max_examples=40)
@given(rational_cases(Knobs(future=False)), cuts, st.integers(1, 4))
def test_with_few_facts_kept_no_explanation_is_wrong(case, cuts_, bound):
    explained(case, cuts_, bound)


@settings(max_examples=25)
@given(integer_cases(Knobs(future=False)), whole_cuts, st.integers(1, 4))
def test_nor_on_the_integer_timeline_with_windows(case, cuts_, bound):
    explained(case, cuts_, bound)


@settings(max_examples=20)
@given(rational_cases(Knobs(recursion=False)), cuts, st.integers(1, 6))
def test_nor_where_rules_look_ahead(case, cuts_, bound):
    explained(case, cuts_, bound)


class TestBounds:
    RULES = "Alone(X) :- P(X), not diamondminus[1,3] Q(X). Seen(X) :- diamondminus[0,9] P(X)."

    def reasoner(self, explain):
        return thalweg.StreamReasoner(thalweg.parse(self.RULES), ("Alone", "Seen"), explain=explain)

    def test_what_rests_on_kept_facts_alone_is_explained(self):
        reasoner = self.reasoner(1)
        reasoner.advance("Q(a)@1", to=2)
        reasoner.advance("P(a)@6", to=7)
        assert reasoner.why("Seen(a)@7").holds
        assert reasoner.why("Alone(a)@6").holds  # Q could matter from 3 on, and what was dropped held until 1

    def test_an_absence_in_a_time_whose_facts_were_dropped_is_not_believed(self):
        reasoner = self.reasoner(1)
        reasoner.advance("Q(b)@3", to=4)
        reasoner.advance("P(a)@6", to=7)
        assert reasoner.why("Seen(a)@7").holds
        with pytest.raises(UsageError, match="the evidence for this answer is no longer kept"):
            reasoner.why("Alone(a)@6")

    def test_an_answer_whose_facts_were_dropped_is_refused_and_not_denied(self):
        reasoner = self.reasoner(1)
        reasoner.advance("P(a)@1", to=2)
        reasoner.advance("P(b)@6", to=7)
        with pytest.raises(UsageError, match="no longer kept"):
            reasoner.why("Seen(a)@2")

    def test_what_never_held_is_denied_where_all_facts_are_kept(self):
        reasoner = self.reasoner(9)
        reasoner.advance("P(a)@1", to=2)
        assert not reasoner.why("Seen(b)@2").holds

    def test_facts_without_an_end_outlive_their_batch(self):
        reasoner = self.reasoner(2)
        reasoner.advance("P(a)@[1,inf)\nQ(b)@1", to=2)
        reasoner.advance("Q(c)@50", to=60)
        assert reasoner.why("Seen(a)@60").holds
        assert reasoner.why("Alone(a)@60").holds

    def test_times_that_are_not_answered_yet_are_not_explained(self):
        reasoner = self.reasoner(9)
        with pytest.raises(UsageError, match="nothing has been answered yet"):
            reasoner.why("Seen(a)@1")
        reasoner.advance("P(a)@1", to=2)
        with pytest.raises(UsageError, match=r"Seen\(a\)@3: answers are out up to 2 only"):
            reasoner.why("Seen(a)@3")

    def test_without_a_time_every_interval_so_far_is_explained(self):
        reasoner = self.reasoner(9)
        reasoner.advance("P(a)@1", to=4)
        assert [str(root.interval) for root in reasoner.why("Seen(a)").roots] == ["[1,4]"]

    def test_facts_from_before_a_snapshot_are_gone(self):
        first, second = self.reasoner(9), self.reasoner(9)
        first.advance("P(a)@1", to=2)
        second.restore(first.snapshot())
        second.advance("P(b)@3", to=4)
        assert second.why("Seen(b)@4").holds
        with pytest.raises(UsageError, match="no longer kept"):
            second.why("Seen(a)@4")

    @pytest.mark.parametrize(("explain", "message"), [(None, "no facts are kept"), (0, "explain=0 is not a positive")])
    def test_it_must_be_asked_for(self, explain, message):
        with pytest.raises(UsageError, match=message):
            self.reasoner(explain).why("Seen(a)@1")
