"""Rules by hand: joins, heads, recursion, negation, values, constraints."""

from __future__ import annotations

from fractions import Fraction

import pytest

from oracle.building import atom, fact, holds, interval, program, term
from thalweg.model.formula import (
    And,
    Arithmetic,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Not,
    Since,
    Top,
)
from thalweg.model.program import Program
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.testing import Inconsistent, naive_materialise
from thalweg.time.timeline import Timeline


def compare(left, sign, right):
    return Comparison(ComparisonOperator(sign), expression(left), expression(right))


def calculate(left, sign, right):
    return Arithmetic(ArithmeticOperator(sign), expression(left), expression(right))


def expression(part):
    return term(part) if isinstance(part, str) else part


# --- joins and grounding --------------------------------------------------------------------------


def test_a_body_joins_on_shared_variables():
    rules = program((atom("Q(X,Z)"), [atom("D(X,Y)"), atom("D(Y,Z)")]))
    assert holds("Q", rules, ["D(a,b)@[0,4]", "D(b,c)@(2,6]", "D(c,c)@[9]"]) == {"a,c": "(2,4]", "c,c": "[9,9]"}


def test_a_repeated_variable_asks_for_equal_arguments():
    rules = program((atom("Q(X)"), [atom("D(X,X)")]))
    assert holds("Q", rules, ["D(a,b)@[0,4]", "D(b,b)@[1]"]) == {"b": "[1,1]"}


def test_constants_in_bodies_and_heads():
    rules = program((atom("Q(X,c,7)"), [atom("D(X,b)")]))
    assert holds("Q", rules, ["D(a,b)@[0,4]", "D(b,a)@[1]"]) == {"a,c,7": "[0,4]"}


def test_a_text_is_not_the_number_it_spells():
    rules = program((atom("Q"), [atom("B(1)")]))
    number, text = fact("B(1)@[2]"), fact("B(x)@[5]")
    text = type(text)(type(text.atom)("B", (type(text.atom.arguments[0])("1"),)), text.interval)
    answers = naive_materialise(rules, [number, text], Fraction(0), Fraction(9))
    assert answers["Q", ()] == (interval("[2]"),)


def test_a_variable_of_a_left_operand_is_bound_elsewhere():
    rules = program((atom("Q(X)"), [Since(interval("[0,2]"), atom("L(X)"), atom("S")), atom("B(X)")]))
    facts = ["B(a)@[0,9]", "B(b)@[0,9]", "L(a)@[3,4]", "S@[3]"]
    assert holds("Q", rules, facts) == {"a": "[3,4]", "b": "[3,3]"}


def test_a_variable_only_in_a_left_operand_ranges_over_the_active_domain():
    rules = program((atom("Q"), [Since(interval("[0,2]"), atom("L(X)"), atom("S"))]))
    assert holds("Q", rules, ["L(a)@[3,4]", "L(b)@[6]", "S@[3]"]) == {"": "[3,4]"}


def test_a_body_of_top_holds_always():
    assert holds("Q", program((atom("Q"), [Top()])), []) == {"": "[0,10]"}


# --- heads ----------------------------------------------------------------------------------------


def test_a_head_box_plus_spreads_into_the_future():
    # P                  ├─)                [1, 2)
    # box-plus(0,3] Q    (────)             (1, 5)
    rules = program((BoxPlus(interval("(0,3]"), atom("Q")), [atom("P")]))
    assert holds("Q", rules, ["P@[1,2)"]) == {"": "(1,5)"}


def test_a_head_box_minus_spreads_into_the_past():
    rules = program((BoxMinus(interval("[1,2)"), atom("Q")), [atom("P")]))
    assert holds("Q", rules, ["P@[5]"]) == {"": "(3,4]"}


def test_nested_head_boxes_add_up():
    head = BoxPlus(interval("[3]"), BoxMinus(interval("(0,1)"), atom("Q")))
    assert holds("Q", program((head, [atom("P")])), ["P@[5]"]) == {"": "(7,8)"}


def test_a_head_box_that_quantifies_over_no_integer_derives_nothing():
    head = BoxPlus(interval("(0,1)"), BoxPlus(interval("(0,1)"), atom("Q")))
    assert holds("Q", program((head, [atom("P")]), timeline=Timeline.INTEGER), ["P@[5]"]) == {}


def test_what_an_infinite_fact_derives_begins_before_the_horizon():
    rules = program((BoxPlus(interval("[4,6]"), atom("Q")), [atom("P")]))
    assert holds("Q", rules, ["P@(-inf,1]"]) == {"": "[0,7]"}


# --- recursion ------------------------------------------------------------------------------------


def test_recursion_to_the_past_goes_on_for_ever():
    rules = program((atom("Q"), [atom("P")]), (atom("Q"), [DiamondMinus(interval("[3]"), atom("Q"))]))
    assert holds("Q", rules, ["P@[-1]"]) == {"": "[2,2] [5,5] [8,8]"}


def test_recursion_to_the_future_goes_back_for_ever():
    rules = program((atom("Q"), [atom("P")]), (atom("Q"), [DiamondPlus(interval("(3,4)"), atom("Q"))]))
    assert holds("Q", rules, ["P@[9]"]) == {"": "(1,3) (5,6) [9,9]"}


def test_dense_recursion_fills_time():
    rules = program((atom("Q"), [atom("P")]), (BoxPlus(interval("[0,1/2)"), atom("Q")), [atom("Q")]))
    assert holds("Q", rules, ["P@(2,3)"]) == {"": "(2,10]"}


def test_recursion_without_time_closes_a_relation():
    rules = program((atom("Q(X,Y)"), [atom("D(X,Y)")]), (atom("Q(X,Z)"), [atom("Q(X,Y)"), atom("D(Y,Z)")]))
    facts = ["D(a,b)@[0,4]", "D(b,c)@[2,6]"]
    assert holds("Q", rules, facts) == {"a,b": "[0,4]", "a,c": "[2,4]", "b,c": "[2,6]"}


def test_recursion_through_two_predicates():
    rules = program(
        (atom("Q"), [atom("P")]),
        (atom("R"), [DiamondMinus(interval("[1]"), atom("Q"))]),
        (atom("Q"), [DiamondMinus(interval("[2]"), atom("R"))]),
    )
    assert holds("Q", rules, ["P@[1]"]) == {"": "[1,1] [4,4] [7,7] [10,10]"}
    assert holds("R", rules, ["P@[1]"]) == {"": "[2,2] [5,5] [8,8]"}


def test_guarded_recursion_goes_both_ways_inside_its_guard():
    # G                      ├────────┤     [2, 6]
    # P                           •         [4, 4]
    # Q                      • • •• • •     [2] … [6]
    step = interval("[1]")
    rules = program(
        (atom("Q"), [atom("P")]),
        (atom("Q"), [atom("G"), DiamondMinus(step, atom("Q"))]),
        (atom("Q"), [atom("G"), DiamondPlus(step, atom("Q"))]),
    )
    assert holds("Q", rules, ["P@[4]", "G@[2,6]"]) == {"": "[2,2] [3,3] [4,4] [5,5] [6,6]"}


# --- negation -------------------------------------------------------------------------------------


def test_negation_is_the_complement_in_time():
    rules = program((atom("Q(X)"), [atom("B(X)"), Not(atom("C(X)"))]))
    assert holds("Q", rules, ["B(a)@[0,5]", "B(b)@[1]", "C(a)@(1,2]"]) == {"a": "[0,1] (2,5]", "b": "[1,1]"}


def test_an_anonymous_variable_in_a_negation_is_existential_inside_it():
    rules = program((atom("Q(X)"), [atom("B(X)"), Not(atom("D(X,_)"))]))
    assert holds("Q", rules, ["B(a)@[0,5]", "D(a,b)@[1,2]", "D(a,c)@[2,3]"]) == {"a": "[0,1) (3,5]"}


def test_negated_operators():
    rules = program(
        (atom("Q"), [atom("B"), Not(DiamondMinus(interval("[0,1]"), atom("C")))]),
        (atom("R"), [atom("B"), Not(Since(interval("[0,9]"), atom("A"), atom("C")))]),
    )
    facts = ["B@[0,6]", "C@[2]", "A@(2,4)"]
    assert holds("Q", rules, facts) == {"": "[0,2) (3,6]"}
    assert holds("R", rules, facts) == {"": "[0,2) (4,6]"}


def test_negation_waits_for_the_stratum_below():
    rules = program(
        (atom("Q"), [atom("B"), Not(atom("R"))]),
        (atom("R"), [atom("C")]),
        (atom("R"), [DiamondMinus(interval("[1]"), atom("R"))]),
    )
    assert holds("Q", rules, ["B@[0,3]", "C@[1]"]) == {"": "[0,1) (1,2) (2,3)"}


def test_recursion_through_negation_is_refused():
    rules = program((atom("Q"), [atom("P"), Not(atom("R"))]), (atom("R"), [atom("Q")]))
    with pytest.raises(ValueError, match="use negation recursively"):
        holds("Q", rules, ["P@[1]"])


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "sign", "right", "expected"),
    [
        ("2", "<", "10", True),
        ("b", "<", "aa", False),
        ("2", "<=", "2", True),
        ("3", ">", "2", True),
        ("a", ">=", "b", False),
        ("a", "=", "a", True),
        ("a", "=", "1", False),
        ("a", "!=", "1", True),
    ],
)
def test_comparisons(left, sign, right, expected):
    rules = program((atom("Q"), [atom("P"), compare(left, sign, right)]))
    assert bool(holds("Q", rules, ["P@[1]"])) == expected


def test_an_order_between_text_and_number_is_refused():
    rules = program((atom("Q"), [atom("B(X)"), compare("X", "<", "5")]))
    with pytest.raises(ValueError, match="a text and a number have no order: 'a' <"):
        holds("Q", rules, ["B(a)@[1]"])


def test_an_equality_gives_a_variable_its_value():
    double = compare("Y", "=", calculate("X", "*", "2"))
    rules = program((atom("Q(Y)"), [atom("B(X)"), double, compare("Y", ">", "3")]))
    assert holds("Q", rules, ["B(1)@[1]", "B(7/4)@[2]"]) == {"7/2": "[2,2]"}


def test_values_made_by_arithmetic_reach_later_rules():
    rules = program(
        (atom("Q(Y)"), [atom("B(X)"), compare(calculate("X", "-", calculate("1", "/", "3")), "=", "Y")]),
        (atom("R(X)"), [DiamondMinus(interval("[1]"), atom("Q(X)"))]),
    )
    assert holds("R", rules, ["B(1)@[1]"]) == {"2/3": "[2,2]"}


def test_division_by_zero_makes_a_literal_false():
    ratio = compare("Z", "=", calculate("X", "/", "Y"))
    rules = program((atom("Q(Z)"), [atom("D(X,Y)"), ratio]))
    assert holds("Q", rules, ["D(1,0)@[1]", "D(1,2)@[1]"]) == {"1/2": "[1,1]"}


def test_arithmetic_on_a_text_is_refused():
    rules = program((atom("Q(Y)"), [atom("B(X)"), compare("Y", "=", calculate("X", "+", "1"))]))
    with pytest.raises(ValueError, match="there is no arithmetic on texts: 'a'"):
        holds("Q", rules, ["B(a)@[1]"])


def test_a_comparison_inside_an_operator():
    high = DiamondMinus(interval("[0,1]"), And((atom("N(X)"), compare("X", ">", "2"))))
    assert holds("Q", program((atom("Q"), [high])), ["N(1)@[1]", "N(3)@[5]"]) == {"": "[5,6]"}


# --- constraints ----------------------------------------------------------------------------------


def test_a_rule_with_head_bottom_that_fires_is_inconsistent():
    rules = program((Bottom(), [atom("P"), atom("S")]))
    with pytest.raises(Inconsistent, match=r"rule 1 derives ⊥: its body holds at \[2,3\)") as caught:
        holds("Q", rules, ["P@[0,3)", "S@[2,5]"])
    assert caught.value.rule is rules.rules[0]
    assert caught.value.interval == interval("[2,3)")


def test_a_constraint_that_never_fires_inside_is_no_error():
    assert holds("Q", program((Bottom(), [atom("P")])), ["P@[11]"]) == {}


def test_boxed_bottom_over_no_integers_asks_for_nothing():
    head = BoxPlus(interval("(0,1)"), Bottom())
    assert holds("Q", program((head, [atom("P")]), timeline=Timeline.INTEGER), ["P@[5]"]) == {}


# --- the answers ----------------------------------------------------------------------------------


def test_answers_are_clipped_joined_and_include_the_facts():
    rules = Program((), (fact("P(a)@[-5,2)"),))
    answers = naive_materialise(rules, [fact("P(a)@[2,30]"), fact("P(b)@[40]")], Fraction(0), Fraction(9))
    assert answers == {("P", ("a",)): (interval("[0,9]"),)}
