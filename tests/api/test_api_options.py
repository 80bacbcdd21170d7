"""Bounds, queries, bad facts and limits of ``materialise``."""

from decimal import Decimal
from fractions import Fraction

import pytest

import thalweg

COPY = thalweg.parse("Q(X) :- P(X).")
FORWARD = thalweg.parse("P(X) :- diamondminus[1,1] P(X).")


class TestBounds:
    @pytest.mark.parametrize("third", [Fraction(1, 3), "1/3"])
    def test_answers_end_at_the_bounds(self, third):
        assert thalweg.materialise(COPY, "P(a)@[0,9)", start=third, end=5).to_text("Q") == "Q(a)@[1/3,5]"

    @pytest.mark.parametrize("tenth", [0.1, "0.1", Decimal("0.1"), Fraction(1, 10)])
    def test_a_tenth_is_a_tenth(self, tenth):
        assert thalweg.materialise(COPY, "P(a)@[0,9)", start=tenth).to_text("Q") == "Q(a)@[0.1,9)"

    def test_infinite_bounds(self):
        model = thalweg.materialise(COPY, "P(a)@[0,9)", start=float("-inf"), end=float("inf"))
        assert model.to_text("Q") == "Q(a)@[0,9)"

    def test_facts_outside_count(self):
        program = thalweg.parse("Q(X) :- diamondminus[10,10] P(X).")
        assert thalweg.materialise(program, "P(a)@-3", start=0, end=20).to_text() == "Q(a)@[7,7]"

    @pytest.mark.parametrize("wrong", ["soon", "1/0", float("nan"), None.__class__, "1e999999x"])
    def test_what_is_no_time(self, wrong):
        with pytest.raises(thalweg.UsageError, match="is not an exact number"):
            thalweg.materialise(COPY, "", start=wrong)

    def test_start_after_end(self):
        with pytest.raises(thalweg.UsageError, match="start=3 is after end=1"):
            thalweg.materialise(COPY, "", start=3, end=1)


class TestQueries:
    CHAIN = thalweg.parse("B(X) :- A(X). C(X) :- B(X). D(X) :- diamondminus[1,1] D(X).")

    def test_all_predicates_by_default(self):
        assert thalweg.materialise(self.CHAIN, "A(a)@1").predicates == ("B", "A", "C", "D")

    def test_one_or_several(self):
        assert thalweg.materialise(self.CHAIN, "A(a)@1", queries="C").predicates == ("C",)
        assert thalweg.materialise(self.CHAIN, "A(a)@1", queries=["C", "A", "C"]).predicates == ("C", "A")

    def test_what_a_query_does_not_need_is_not_computed(self):
        facts = "A(a)@1\nD(a)@1"
        with pytest.raises(thalweg.ReasoningError, match="E504"):
            thalweg.materialise(self.CHAIN, facts)
        assert thalweg.materialise(self.CHAIN, facts, queries="C").to_text() == "C(a)@[1,1]"

    def test_an_unknown_query(self):
        with pytest.raises(thalweg.ProgramError, match=r"E250.*asks for Slwo, which.*\n.*did you mean Slow\?"):
            thalweg.materialise(thalweg.parse("Slow(X) :- P(X)."), "", queries=["Slwo"])

    def test_constraints_are_checked_whatever_is_asked(self):
        program = thalweg.parse("bottom :- Z(X). B(X) :- A(X).")
        with pytest.raises(thalweg.InconsistencyError, match=r"contradict rule 1: its body holds at \[2,2\]"):
            thalweg.materialise(program, "Z(a)@2", queries="B")
        assert thalweg.materialise(program, "Z(a)@2\nA(a)@5", start=3).to_text("B") == "B(a)@[5,5]"


class TestBadFacts:
    FACTS = "P(a)@1\nP(b)@\nP(c@3\nP(d)@4"

    def test_all_are_reported(self):
        with pytest.raises(thalweg.DataError) as caught:
            thalweg.materialise(COPY, self.FACTS)
        assert [(each.code, each.span.place) for each in caught.value.diagnostics] == [
            ("E412", "facts:2:5"),
            ("E408", "facts:3:2"),
        ]

    def test_or_left_out(self):
        assert thalweg.materialise(COPY, self.FACTS, skip_bad=True).to_text("Q") == "Q(a)@[1,1]\nQ(d)@[4,4]"

    def test_facts_that_clash_with_the_program_are_left_out_as_well(self):
        with pytest.raises(thalweg.DataError, match=r"facts:1: error\[E430\]: P has 2 arguments here, but 1 elsewhere"):
            thalweg.materialise(COPY, "P(a,b)@1\nP(a)@1")
        assert thalweg.materialise(COPY, "P(a,b)@1\nP(a)@1", skip_bad=True).to_text("Q") == "Q(a)@[1,1]"

    def test_nothing_is_asked_of_facts_that_are_declared_by_name_only_and_not_used(self):
        program = thalweg.parse("input P. input R. Q(X) :- P(X).")
        facts = "P(a)@1\nR(a)@2\nR(a,b)@3"
        assert thalweg.materialise(program, facts).to_text("Q") == "Q(a)@[1,1]"
        assert thalweg.StreamReasoner(program, "Q").advance(facts, 4).to_text() == "Q(a)@[1,1]"

    def test_facts_of_unknown_predicates_play_no_part(self):
        assert thalweg.materialise(COPY, "Z(a,b)@1\nP(a)@1").to_text() == "Q(a)@[1,1]\nP(a)@[1,1]"


class TestLimits:
    def test_an_endless_rule_is_named(self):
        with pytest.raises(
            thalweg.ReasoningError, match=r"program:1:1: error\[E504\]: rule 1 still derives .* 7 rounds"
        ):
            thalweg.materialise(FORWARD, "P(a)@0", max_rounds=7)

    def test_the_limit_does_not_count_where_the_end_is_certain(self):
        assert thalweg.materialise(FORWARD, "P(a)@0", end=50, max_rounds=7).count("P") == 51

    def test_a_run_leaves_the_program_as_it_was(self):
        first = thalweg.materialise(FORWARD, "P(a)@0", end=3).to_text()
        assert thalweg.materialise(FORWARD, "P(a)@0", end=3).to_text() == first

    def test_values_that_cannot_be_ordered(self):
        program = thalweg.parse("Q(X) :- P(X), X < 5.")
        with pytest.raises(thalweg.ReasoningError, match=r'E502.*cannot order "a" and 5'):
            thalweg.materialise(program, "P(a)@1")
