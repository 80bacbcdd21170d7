"""Recursion through time without bounds: it is stopped by the limit on rounds, and only where it may go on for ever."""

import pytest

import thalweg
from thalweg.engine.limits import Limits
from thalweg.engine.materialise import materialise
from thalweg.errors import ReasoningError

PAST_AND_FUTURE = pytest.mark.parametrize(("past", "future"), [("minus", "plus"), ("plus", "minus")])


def assert_stopped(rules):
    """That 30 rounds are made and no more; a run without a limit, which would not come back, fails soon after."""

    def hear(stage, stages, number):
        assert number < 40, "the limit was left out"

    with pytest.raises(ReasoningError, match="after 30 rounds") as stopped:
        materialise(thalweg.parse(rules), [], limits=Limits(rounds=30), hear=hear)
    assert [diagnostic.code for diagnostic in stopped.value.diagnostics] == ["E504"]


@PAST_AND_FUTURE
def test_one_rule_over_a_point(past, future):
    assert_stopped(f"P(X) :- diamond{past}[1,1] P(X). P(a)@0.")
    assert_stopped(f"box{future}[1,1] P(X) :- P(X). P(a)@0.")


@PAST_AND_FUTURE
def test_facts_from_outside_the_recursion(past, future):
    assert_stopped(f"P(X) :- A(X). P(X) :- diamond{past}[1,1] P(X). A(a)@0.")


@PAST_AND_FUTURE
def test_two_predicates_in_turns(past, future):
    assert_stopped(f"P(X) :- diamond{past}[1,1] Q(X). Q(X) :- P(X), B(X). Q(a)@0. B(a)@(-inf,inf).")


@PAST_AND_FUTURE
def test_three_predicates_of_which_one_comes_back_a_little(past, future):
    rules = f"P(X) :- diamond{past}[2,2] R(X). Q(X) :- diamond{future}[1,1] P(X). R(X) :- Q(X)."
    assert_stopped(f"{rules} R(a)@[3,4]. P(b)@-2.")


@PAST_AND_FUTURE
def test_only_one_end_of_a_fact_moves(past, future):
    # P  ├──┤, then ├─────┤, then ├────────┤
    assert_stopped(f"P(X) :- diamond{past}[0,1] P(X). P(a)@[0,2].")


@PAST_AND_FUTURE
def test_a_bound_on_the_other_side_does_not_stop_it(past, future):
    always = "[0,inf)" if past == "minus" else "(-inf,0]"
    assert_stopped(f"P(X) :- diamond{past}[1,1] P(X), B(X). P(a)@0. B(a)@{always}.")


@PAST_AND_FUTURE
def test_a_bound_on_its_own_side_that_is_near_needs_no_limit(past, future):
    always, last = ("(-inf,4]", 4) if past == "minus" else ("[-4,inf)", -4)
    rules = f"P(X) :- diamond{past}[1,1] P(X), B(X). P(a)@0. B(a)@{always}."
    found = thalweg.materialise(thalweg.parse(rules), max_rounds=2)
    assert found.count("P") == 5
    assert f"P(a)@[{last},{last}]" in found.to_text("P")


@PAST_AND_FUTURE
def test_steps_of_less_than_a_tick(past, future):
    # P  │, then also ───, then ──────, then ─────────: open at both ends, from one gap of the grid to the next
    assert_stopped(f"P(X) :- diamond{past}(0,1) P(X). P(a)@0.")


@PAST_AND_FUTURE
def test_what_never_holds_reaches_nowhere(past, future):
    always = "(-inf,4]" if past == "minus" else "[-4,inf)"
    rules = f"P(X) :- diamond{past}[1,1] P(X), (B(X) or bottom). P(a)@0. B(a)@{always}."
    assert thalweg.materialise(thalweg.parse(rules), max_rounds=2).count("P") == 5
