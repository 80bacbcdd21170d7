"""Each operator by hand. P and S are facts, Q is what the rule says."""

from __future__ import annotations

import pytest

from oracle.building import atom, holds, interval, program
from thalweg.model.formula import (
    And,
    Bottom,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Since,
    Top,
    Until,
)
from thalweg.time.timeline import Timeline

P, S = atom("P"), atom("S")


def when(formula: Formula, *facts: str, timeline: Timeline = Timeline.RATIONAL) -> str:
    """When Q ← formula makes Q hold inside [0, 10]."""
    rules = program((atom("Q"), [formula]), timeline=timeline)
    return holds("Q", rules, list(facts)).get("", "never")


def when_integer(formula: Formula, *facts: str) -> str:
    return when(formula, *facts, timeline=Timeline.INTEGER)


# --- unary, rational ------------------------------------------------------------------------------


def test_diamond_minus_moves_both_ends_later():
    # P                      ├───)          [1, 3)
    # diamond-minus(0,2] P   (───────)      (1, 5)
    assert when(DiamondMinus(interval("(0,2]"), P), "P@[1,3)") == "(1,5)"


def test_diamond_plus_moves_both_ends_earlier():
    # P                              ├───)  [6, 8)
    # diamond-plus[1,2] P        ├─────)    [4, 7)
    assert when(DiamondPlus(interval("[1,2]"), P), "P@[6,8)") == "[4,7)"


def test_box_minus_is_shorter_than_its_operand():
    # P                  ├──────┤           [0, 3]
    # box-minus[1,2] P       ├──┤           [2, 4]
    assert when(BoxMinus(interval("[1,2]"), P), "P@[0,3]") == "[2,4]"


def test_box_minus_over_an_open_interval_forgives_the_ends():
    # P                  (──────)           (0, 3)
    # box-minus(1,2) P       ├──┤           [2, 4]
    assert when(BoxMinus(interval("(1,2)"), P), "P@(0,3)") == "[2,4]"


def test_box_minus_over_a_closed_interval_keeps_open_ends_open():
    # P                  (──────)           (0, 3)
    # box-minus[1,2] P       (──)           (2, 4)
    assert when(BoxMinus(interval("[1,2]"), P), "P@(0,3)") == "(2,4)"


def test_box_plus_looks_ahead():
    # P                          ├──────┤   [5, 8]
    # box-plus[0,2) P            ├───┤      [5, 6]
    assert when(BoxPlus(interval("[0,2)"), P), "P@[5,8]") == "[5,6]"


def test_a_hole_of_one_point_breaks_a_box():
    # P                  ├───)(───┤         [0, 3) (3, 6]
    # box-minus[0,2] P     ├─)    ├─┤       [2, 3) (5, 6]
    assert when(BoxMinus(interval("[0,2]"), P), "P@[0,3)", "P@(3,6]") == "[2,3) (5,6]"


def test_facts_that_touch_are_one_stretch():
    # P                  ├───)├───┤         [0, 3) [3, 6]
    # box-minus[0,2] P     ├──────┤         [2, 6]
    assert when(BoxMinus(interval("[0,2]"), P), "P@[0,3)", "P@[3,6]") == "[2,6]"


def test_a_point_never_fills_a_box_with_length():
    assert when(BoxMinus(interval("[0,1]"), P), "P@[3]") == "never"


def test_a_punctual_operator_shifts():
    assert when(DiamondMinus(interval("[3/2]"), P), "P@(1,2]") == "(2.5,3.5]"
    assert when(BoxPlus(interval("[1/3]"), P), "P@[1]") == "[2/3,2/3]"


def test_an_unbounded_diamond_lasts_for_ever():
    assert when(DiamondMinus(interval("[2,inf)"), P), "P@[3]") == "[5,10]"
    assert when(DiamondPlus(interval("(2,inf)"), P), "P@[7]") == "[0,5)"


def test_an_unbounded_box_needs_an_infinite_fact():
    assert when(BoxMinus(interval("[1,inf)"), P), "P@(-inf,5)") == "[0,6)"
    assert when(BoxMinus(interval("[1,inf)"), P), "P@[-9,5)") == "never"
    assert when(BoxPlus(interval("[0,inf)"), P), "P@(4,inf)") == "(4,10]"


# --- since and until, rational --------------------------------------------------------------------


def test_since_needs_left_on_the_open_stretch_between():
    # P                  (───────)          (1, 5)
    # S                  •                  [1, 1]
    # P since[0,3] S     ├─────┤            [1, 4]
    assert when(Since(interval("[0,3]"), P, S), "P@(1,5)", "S@[1]") == "[1,4]"


def test_since_lasts_one_point_longer_than_left():
    # P                  (───)              (1, 3)
    # S                  •                  [1, 1]
    # P since(0,9] S     (───┤              (1, 3]
    assert when(Since(interval("(0,9]"), P, S), "P@(1,3)", "S@[1]") == "(1,3]"


def test_since_is_broken_by_a_missing_point():
    # P                  (──)(──)           (1, 3) (3, 5)
    # S                  •                  [1, 1]
    # P since(0,9] S     (──┤               (1, 3]
    assert when(Since(interval("(0,9]"), P, S), "P@(1,3)", "P@(3,5)", "S@[1]") == "(1,3]"


def test_since_at_distance_zero_needs_no_left():
    assert when(Since(interval("[0,1]"), P, S), "S@[2]", "S@(4,5)") == "[2,2] (4,5)"


def test_since_at_a_positive_distance_inside_a_gap_needs_left():
    # Two times of (4, 5) always have others between them.
    assert when(Since(interval("(0,1]"), P, S), "S@(4,5)") == "never"
    assert when(Since(interval("(0,1]"), P, S), "S@(4,5)", "P@(4,5)") == "(4,5]"


def test_since_top_is_diamond():
    facts = "S@[1]", "S@(3,4)"
    assert when(Since(interval("(1,2]"), Top(), S), *facts) == when(DiamondMinus(interval("(1,2]"), S), *facts)


def test_since_bottom_is_only_the_vacuous_case():
    assert when(Since(interval("[0,3]"), Bottom(), S), "S@[1,2)") == "[1,2)"


def test_since_over_an_unbounded_interval():
    # P                    ├───────────┤    [1, 7]
    # S                  ├─┤                [0, 1]
    # P since[2,∞) S           ├───────┤    [3, 7]: only t' = 1 has P on all of (t', t)
    assert when(Since(interval("[2,inf)"), P, S), "P@[1,7]", "S@[0,1]") == "[3,7]"


def test_until_mirrors_since():
    # P                       (──────)      (5, 8)
    # S                              •      [8, 8]
    # P until[1,2] S            ├─┤         [6, 7]
    assert when(Until(interval("[1,2]"), P, S), "P@(5,8)", "S@[8]") == "[6,7]"


def test_until_reaches_back_to_the_open_start_of_left():
    assert when(Until(interval("(0,9]"), P, S), "P@(5,8)", "S@[8]") == "[5,8)"


# --- nesting --------------------------------------------------------------------------------------


def test_conjunction_inside_an_operator_is_at_one_time():
    both = DiamondMinus(interval("[0,1]"), And((P, S)))
    assert when(both, "P@[1,2]", "S@[2,3]") == "[2,3]"
    assert when(both, "P@[1,2]", "S@(2,3]") == "never"


def test_operators_nest():
    # P                       •   •    •    [1, 1] [3, 3] [6, 6]
    # diamond-minus[0,2] P    ├──────┤├─┤   [1, 5] [6, 8]
    # box-minus[0,3] of it        ├──┤      [4, 5]
    often = BoxMinus(interval("[0,3]"), DiamondMinus(interval("[0,2]"), P))
    assert when(often, "P@[1]", "P@[3]", "P@[6]") == "[4,5]"


# --- the integer timeline -------------------------------------------------------------------------


def test_integer_diamond_and_box():
    assert when_integer(DiamondMinus(interval("(0,2]"), P), "P@[3]") == "[4,5]"
    assert when_integer(BoxMinus(interval("[0,1]"), P), "P@[2,3]", "P@[4,5]") == "[3,5]"
    assert when_integer(BoxPlus(interval("[0,2)"), P), "P@[4,6]") == "[4,5]"


def test_integer_since_needs_left_only_at_the_integers_between():
    # P                      •              4
    # S                    •                3
    # P since[0,5] S       • • •            3 4 5: from 3 to 5 only 4 lies between
    assert when_integer(Since(interval("[0,5]"), P, S), "P@[4]", "S@[3]") == "[3,5]"


def test_integer_until_without_left_reaches_the_integer_before():
    assert when_integer(Until(interval("[0,5]"), P, S), "S@[3]") == "[2,3]"
    assert when_integer(Until(interval("[2,5]"), P, S), "S@[3]") == "never"


@pytest.mark.parametrize("diamond", [DiamondMinus, DiamondPlus])
def test_an_interval_without_integers_makes_a_diamond_false(diamond):
    assert when_integer(diamond(interval("(0,1)"), P), "P@[0,9]") == "never"


@pytest.mark.parametrize("box", [BoxMinus, BoxPlus])
def test_an_interval_without_integers_makes_a_box_true(box):
    assert when_integer(box(interval("(0,1)"), P), "P@[3]") == "[0,10]"


def test_open_and_fractional_fact_ends_on_the_integers():
    assert when_integer(P, "P@(1,4)", "P@[11/2,7]") == "[2,3] [6,7]"
