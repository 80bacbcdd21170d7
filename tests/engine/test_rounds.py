"""The rounds of a fixpoint: how many there are, who hears of them, and where the limit on them is."""

import pytest

import thalweg
from thalweg.engine.materialise import materialise
from thalweg.errors import ReasoningError

# The first round makes 1 of 0; four more make 2, 3, 4 and 5; one more finds nothing new.
COUNTING = "N(Y) :- N(X), Y = X + 1, X < 5. N(0)@0."


def heard(rules, **options):
    calls = []
    materialise(thalweg.parse(rules), [], hear=lambda *call: calls.append(call), **options)
    return calls


def test_every_round_is_heard_once_and_in_order():
    assert heard(COUNTING) == [(1, 1, number) for number in range(1, 7)]


def test_a_stage_without_recursion_takes_one_round():
    assert heard("Q(X) :- P(X). R(X) :- Q(X), not S(X). P(a)@0. S(b)@0.") == [(1, 2, 1), (2, 2, 1)]


def test_as_many_rounds_as_allowed_are_made_and_no_more():
    assert "N(5)@[0,0]" in thalweg.materialise(thalweg.parse(COUNTING), max_rounds=5).to_text()
    with pytest.raises(ReasoningError, match="4 rounds"):
        thalweg.materialise(thalweg.parse(COUNTING), max_rounds=4)


def test_a_recursion_that_is_certain_to_end_needs_no_limit():
    found = thalweg.materialise(thalweg.parse("boxplus[1,1] P(X) :- P(X). P(a)@0."), start=0, end=20, max_rounds=3)
    assert [line for line in found.to_text().splitlines() if line.endswith("@[20,20]")] == ["P(a)@[20,20]"]


def test_facts_that_are_only_passed_on_need_no_limit():
    rules = "".join(f"P{number + 1}(X) :- P{number}(X).\n" for number in range(20)) + "P0(a)@0."
    assert thalweg.materialise(thalweg.parse(rules), max_rounds=3).to_text("P20") == "P20(a)@[0,0]"


def test_facts_without_an_end_that_are_only_passed_on_need_no_limit():
    rules = "".join(f"P{number + 1}(X) :- P{number}(X).\n" for number in range(20)) + "P0(a)@[0,inf)."
    assert thalweg.materialise(thalweg.parse(rules), max_rounds=3).to_text("P20") == "P20(a)@[0,inf)"


def test_a_closure_over_facts_without_an_end_needs_no_limit():
    edges = "".join(f"E(n{number},n{number + 1})@(-inf,inf).\n" for number in range(10))
    rules = f"R(Y) :- S(Y). R(Y) :- R(X), E(X, Y). S(n0)@[1,inf).\n{edges}"
    assert "R(n10)@[1,inf)" in thalweg.materialise(thalweg.parse(rules), max_rounds=3).to_text("R")


def test_of_many_rules_of_one_shape_the_first_is_named():
    rules = "".join(f"P{number + 1}(X) :- diamondminus[1,1] P{number}(X).\n" for number in range(20))
    with pytest.raises(
        ReasoningError, match="rule 1, or another of the 21 rules like it, still derives new facts after 30 rounds"
    ):
        thalweg.materialise(thalweg.parse(f"{rules}P0(X) :- diamondminus[1,1] P20(X). P0(a)@0."), max_rounds=30)


def test_the_rules_that_still_derive_are_named():
    rules = "N(Y) :- M(X), Y = X + 1.\nM(Y) :- N(X), Y = X + 1.\nK(X) :- K(X).\nN(0)@0."
    with pytest.raises(ReasoningError) as refused:
        thalweg.materialise(thalweg.parse(rules), max_rounds=7)
    assert "E504" in str(refused.value)
    assert "rule 3" not in str(refused.value)
