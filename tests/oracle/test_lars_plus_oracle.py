"""The oracle on existential rules: the skolem chase by hand, from the LARS+ paper."""

from fractions import Fraction

import pytest

from oracle.reading import at, derived, read
from thalweg.null import Null
from thalweg.testing import TooManyNulls, naive_materialise

EXAMPLE_1 = """
    timeline integer from 0 to 9.
    warn(X) :- window[last 3] all beltTmp(X, Y), high(Y).
    exists Y: beltOperator(X, Y) :- belt(X).
    belt(b1)@[0,9]. high(90)@[0,9]. beltTmp(b1, 90)@[0,4]. beltTmp(b1, 70)@[5,9].
"""

BELTS = """
    timeline integer from 0 to 9.
    exists Y: bOpr(X, Y) :- belt(X).
    exists Z: brkG(X, Z) :- window[last 5] some bSpeed(X, Y), slow(Y).
    exists Z: incId(Z, X) :- window[last 3] all bTmp(X, Y), high(Y).
    assign(Y, Z) :- incId(Y, X), bOpr(X, Z).
    block(X) :- window[last 3] all incId(Z, X).

    belt(b1)@[2,8]. belt(b2)@[0,1]. slow(low)@[0,9]. high(9)@[0,9].
    bSpeed(b1, low)@1. bSpeed(b2, fast)@1. bTmp(b1, 9)@[1,8]. bTmp(b2, 3)@[0,9].
"""
"""The rules (19) to (23) of Appendix D."""


def test_example_1():
    assert derived(EXAMPLE_1, "warn", end=9) == ["warn(b1)@[0,4]"]
    assert derived(EXAMPLE_1, "beltOperator", end=9) == [
        f"beltOperator(b1,_:Y.2(b1@{time}))@[{time},{time}]" for time in range(10)
    ]


def test_every_belt_has_an_operator_at_every_time_point():
    # belt(b1)  . . x x x x x x x .
    # belt(b2)  x x . . . . . . . .
    b2 = [f"bOpr(b2,_:Y.1(b2@{time}))@[{time},{time}]" for time in (0, 1)]
    assert derived(BELTS, "bOpr", end=9) == [f"bOpr(b1,_:Y.1(b1@{t}))@[{t},{t}]" for t in range(2, 9)] + b2


def test_a_null_for_every_time_point_of_a_window():
    # bSpeed(b1, low)    . x . . . . . . . .
    # window[last 5] some  . x x x x x x . . .
    assert derived(BELTS, "brkG", end=9) == [f"brkG(b1,_:Z.2(b1@{t}))@[{t},{t}]" for t in range(1, 7)]


def test_nulls_join():
    # bTmp(b1, 9)  . x x x x x x x x .
    # incId        . . . . x x x x x .
    incidents, operators = "_:Z.3(b1@{0})", "_:Y.1(b1@{0})"
    assert derived(BELTS, "incId", end=9) == [f"incId({incidents.format(t)},b1)@[{t},{t}]" for t in range(4, 9)]
    assert derived(BELTS, "assign", end=9) == [
        f"assign({incidents.format(t)},{operators.format(t)})@[{t},{t}]" for t in range(4, 9)
    ]


def test_no_incident_lasts_as_each_time_point_has_its_own():
    assert derived(BELTS, "block", end=9) == []


def test_with_a_frontier_without_the_time_an_incident_lasts():
    per_belt = BELTS.replace("exists Z: incId", "exists Z per X: incId")
    assert derived(per_belt, "incId", end=9) == ["incId(_:Z.3(b1),b1)@[4,8]"]
    assert derived(per_belt, "block", end=9) == ["block(b1)@[7,8]"]


def test_the_timeline_cuts_windows_off():
    text = "timeline integer from 0 to 9. exists Y: p(X, Y) :- window[last 3] all a(X). a(c)@[0,1]. a(d)@[1,2]."
    assert derived(text, end=9) == ["p(c,_:Y.1(c@0))@[0,0]", "p(c,_:Y.1(c@1))@[1,1]"]


def test_all_atoms_of_a_head_share_its_nulls():
    text = """
        timeline integer from 0 to 9.
        exists Y, Z: p(X, Y), q(Y, Z), r(c) :- a(X).
        same(X) :- p(X, Y), q(Y, _).
        a(d)@3.
    """
    assert derived(text, "p", "q", "r", end=9) == [
        "p(d,_:Y.1(d@3))@[3,3]",
        "q(_:Y.1(d@3),_:Z.1(d@3))@[3,3]",
        "r(c)@[3,3]",
    ]
    assert derived(text, "same", end=9) == ["same(d)@[3,3]"]


def test_rules_do_not_share_nulls():
    text = "timeline integer. exists Y: p(Y) :- a(X). exists Y: p(Y) :- a(X). a(c)@1."
    assert derived(text, end=2) == ["p(_:Y.1(@1))@[1,1]", "p(_:Y.2(@1))@[1,1]"]


def test_the_frontier_is_what_the_head_has_of_the_body():
    # X and V are in no head atom.
    text = "timeline integer. exists Y: p(Y, W) :- a(X, W, V). a(c, d, 1)@1. a(e, d, 2)@1. a(e, f, 2)@1."
    assert derived(text, end=2) == ["p(_:Y.1(d@1),d)@[1,1]", "p(_:Y.1(f@1),f)@[1,1]"]


def test_the_frontier_is_that_of_the_whole_head():
    text = "timeline integer. exists Y: p(Y), q(X, W) :- a(X, W). a(c, d)@1. a(c, e)@1."
    assert derived(text, "p", end=2) == ["p(_:Y.1(c,d@1))@[1,1]", "p(_:Y.1(c,e@1))@[1,1]"]


def test_a_head_at_a_time_depends_on_that_time_alone():
    # The body holds at 3, 4 and 5 for T = 3, and makes one null.
    text = "timeline integer. exists Y: p(X, Y) at T + 1 :- window[last 2] (a(X) at T). a(c)@3."
    assert derived(text, end=9) == ["p(c,_:Y.1(c,4))@[4,4]"]


def test_one_atom_without_a_time_makes_all_depend_on_the_current_one():
    text = "timeline integer. exists Y: p(X, Y), q(Y) at T :- window[last 1] (a(X) at T). a(c)@3."
    # a(c)  . . . x . .
    # body  . . . x x .
    assert derived(text, end=9) == [
        "p(c,_:Y.1(c,3@3))@[3,3]",
        "p(c,_:Y.1(c,3@4))@[4,4]",
        "q(_:Y.1(c,3@3))@[3,3]",
        "q(_:Y.1(c,3@4))@[3,3]",
    ]


def test_boxes_of_the_head_spread_the_null_of_the_bodys_time():
    text = "timeline integer from 0 to 9. exists Y: boxplus[0,2] p(X, Y) :- a(X). a(c)@[3,4]. a(d)@8."
    # a(c)   . . . x x . . . . .
    # 1st    . . . x x x . . . .
    # 2nd    . . . . x x x . . .
    assert derived(text, end=9) == ["p(c,_:Y.1(c@3))@[3,5]", "p(c,_:Y.1(c@4))@[4,6]", "p(d,_:Y.1(d@8))@[8,9]"]


def test_inference_outside_the_timeline_is_ignored():
    text = "timeline integer from 0 to 5. exists Y: p(X, Y) at T + 2, q(Y) at T :- a(X) at T. a(c)@3. a(d)@4."
    assert derived(text, end=5) == ["p(c,_:Y.1(c,5,3))@[5,5]", "q(_:Y.1(c,5,3))@[3,3]"]


def test_without_an_end_nothing_lies_outside():
    text = "timeline integer. exists Y: p(X, Y) at T + 2, q(Y) at T :- a(X) at T. a(c)@3. a(d)@4."
    assert derived(text, "q", end=5) == ["q(_:Y.1(c,5,3))@[3,3]", "q(_:Y.1(d,6,4))@[4,4]"]


def test_example_3_ends_with_the_timeline():
    text = "timeline integer from 0 to 3. exists V: p(Y, V) at T + 1 :- p(X, Y) at T. p(a, b)@1."
    assert derived(text, end=3) == [
        "p(_:V.1(b,2),_:V.1(_:V.1(b,2),3))@[3,3]",
        "p(a,b)@[1,1]",
        "p(b,_:V.1(b,2))@[2,2]",
    ]


def test_example_4():
    text = """
        timeline integer from 0 to 1.
        exists Y: q(X, Y) :- window[last 3] all p(X).
        p(Y) at T + 1 :- q(X, Y) at T.
        p(a)@0.
    """
    assert derived(text, end=1) == ["p(_:Y.1(a@0))@[1,1]", "p(a)@[0,0]", "q(a,_:Y.1(a@0))@[0,0]"]


@pytest.mark.parametrize("timeline", ["timeline rational.", "timeline integer."])
def test_per_names_the_frontier_on_every_timeline(timeline):
    text = f"{timeline} exists Y per X: boxplus[0,1] p(X, Y), q(Y, Z) :- a(X, Z). a(c, d)@[1,2]. a(c, e)@4. a(d, d)@9."
    assert derived(text, end=10) == [
        "p(c,_:Y.1(c))@[1,5]" if "integer" in timeline else "p(c,_:Y.1(c))@[1,3] [4,5]",
        "p(d,_:Y.1(d))@[9,10]",
        "q(_:Y.1(c),d)@[1,2]",
        "q(_:Y.1(c),e)@[4,4]",
        "q(_:Y.1(d),d)@[9,9]",
    ]


def test_per_on_the_rational_timeline_lets_nulls_last_through_open_intervals():
    text = "exists Y per X: p(Y) :- b since[0,2] a(X). q(Y) :- boxminus[0,1] p(Y). a(c)@0. b@(0,2)."
    assert derived(text, end=3) == ["p(_:Y.1(c))@[0,2]", "q(_:Y.1(c))@[1,2]"]


def test_the_order_of_the_frontier_is_the_order_of_the_arguments():
    text = "timeline integer. exists Y per {0}: p(Y) :- a(X, Z). a(c, d)@1."
    assert derived(text.format("X, Z"), end=1) == ["p(_:Y.1(c,d))@[1,1]"]
    assert derived(text.format("Z, X"), end=1) == ["p(_:Y.1(d,c))@[1,1]"]


def test_nulls_in_negations_aggregates_and_tuple_windows():
    text = """
        timeline integer from 0 to 9.
        exists Y: p(X, Y) :- a(X).
        count(N) :- N = count { Y : window[last 2] some p(_, Y) }, b.
        free(X) :- c(X), not p(X, _).
        last(Y) :- window[last 1 tuples] some p(_, Y), b.
        other(Y) :- p(X, Y), p(Z, V), Y != V.
        a(d)@[1,2]. a(e)@2. b@[2,3]. c(d)@[2,3].
    """
    assert derived(text, "count", "free", "last", "other", end=9) == [
        "count(3)@[2,3]",
        "free(d)@[3,3]",
        # e comes after d; at one time point tuples are in the order of their arguments.
        "last(_:Y.1(e@2))@[2,3]",
        "other(_:Y.1(d@2))@[2,2]",
        "other(_:Y.1(e@2))@[2,2]",
    ]


def test_nulls_of_one_time_point_are_in_the_order_in_which_they_are_written():
    text = """
        timeline integer from 0 to 3.
        exists Y: p(Y), q(X) :- a(X).
        p(zz) :- a(_).
        last(Y) :- window[last 2 tuples] some p(Y).
        a(d)@1. a(e)@1.
    """
    assert derived(text, "last", end=1) == ["last(_:Y.1(d@1))@[1,1]", "last(_:Y.1(e@1))@[1,1]"]


@pytest.mark.parametrize("condition", ["Y < 3", "Y > X", "Y + 1 = 2", "Z = Y * 2"])
def test_nulls_have_no_order_and_no_arithmetic(condition):
    with pytest.raises(ValueError, match="null"):
        derived(f"timeline integer. exists Y: p(X, Y) :- a(X). q :- p(X, Y), {condition}. a(1)@1.")


def test_a_null_is_no_time_and_equal_to_nothing_else():
    text = "timeline integer from 0 to 3. exists Y: p(X, Y) :- a(X). q(X) :- p(X, Y), Y = X. r at Y :- p(X, Y). a(1)@1."
    assert derived(text, "q", "r", end=3) == []


def test_at_an_evaluation_time_rules_make_nulls_then_only():
    assert at("timeline integer from 0 to 9. exists Y: p(X, Y) :- window[last 2] some a(X). a(c)@3.", 4) == [
        "p(c,_:Y.1(c@4))@[4,4]"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "timeline integer from 0 to 9. exists Y: p(X, Y) :- p(Z, X). p(a, b)@1.",
        "timeline integer from 0 to 9. exists Y: p(X, Y) :- q(X). q(Y) :- p(_, Y). q(a)@1.",
        "exists Y per X: p(X, Y) :- p(Z, X). p(a, b)@1.",
    ],
)
def test_an_endless_chase_is_stopped(text):
    with pytest.raises(TooManyNulls, match=r"more than 40 nulls.*rule \d"):
        naive_materialise(read(text), (), Fraction(0), Fraction(9), max_nulls=40)


def test_a_chase_that_makes_its_nulls_from_nothing_ends():
    # Without X in the head there is one null for each time point, whatever X is.
    text = "timeline integer from 0 to 9. exists Y: p(Y) :- p(X). p(a)@[1,2]."
    assert derived(text, end=9) == ["p(_:Y.1(@1))@[1,1]", "p(_:Y.1(@2))@[2,2]", "p(a)@[1,2]"]


def test_the_arguments_of_a_null_are_values():
    text = "timeline integer. exists Y: p(Y) at T, q(N, X) at T + 1 :- a(X, N) at T. a(c, 2.5)@3."
    answers = naive_materialise(read(text), (), Fraction(0), Fraction(9))
    [null] = [arguments[0] for (name, arguments) in answers if name == "p"]
    assert null == Null(1, "Y", (Fraction(5, 2), "c", Fraction(3), Fraction(4)), None)
