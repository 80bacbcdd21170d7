from __future__ import annotations

import math
from fractions import Fraction

import pytest

from thalweg.errors import Diagnostic
from thalweg.model.formula import (
    And,
    Arithmetic,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    Constant,
    DiamondMinus,
    Not,
    Top,
    Variable,
)
from thalweg.model.lower import lower
from thalweg.model.program import Delay, Program
from thalweg.source import Source
from thalweg.syntax import ast
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator, Role, TypeName
from thalweg.syntax.parser import parse_program
from thalweg.time.interval import ALWAYS, Interval, point
from thalweg.time.timeline import Timeline

X, Y = Variable("X"), Variable("Y")


def lowered(text: str) -> Program:
    tree, unreadable = parse_program(Source("test.rules", text))
    program, found = lower(tree)
    assert not [each.render() for each in (*unreadable, *found)]
    return program


def found_in(*statements: ast.Statement) -> list[Diagnostic]:
    return list(lower(ast.ProgramText(statements))[1])


def number(value: int | Fraction) -> Constant:
    return Constant(Fraction(value))


# units and times


def test_a_time_without_a_unit_counts_the_declared_unit() -> None:
    program = lowered("unit 1min. P(X) :- boxminus[1,90s] Q(X). Q(a)@[2h,3h).")
    body = program.rules[0].body[0]
    assert body == BoxMinus(Interval(Fraction(1), Fraction(3, 2)), Atom("Q", (X,)))
    assert program.facts[0].interval == Interval(Fraction(120), Fraction(180), True, False)
    assert program.unit == 60


def test_the_unit_is_a_second_unless_declared() -> None:
    assert lowered("P :- boxminus[0,500ms] Q.").rules[0].body[0].interval.end == Fraction(1, 2)


def test_a_number_with_a_unit_among_the_data_is_that_long_in_units() -> None:
    program = lowered("unit 1min. Long(X) :- Call(X, D), D > 1h.")
    assert program.rules[0].body[1].right == number(60)


def test_an_unbounded_interval_ends_at_infinity() -> None:
    assert lowered("P :- diamondminus[3,inf) Q.").rules[0].body[0].interval == Interval(Fraction(3), math.inf)


def test_intervals_on_the_integer_timeline_get_closed_ends() -> None:
    program = lowered("timeline integer. P :- boxminus(0,3) Q. Q@(1,4].")
    assert program.rules[0].body[0].interval == Interval(Fraction(1), Fraction(2))
    assert program.facts[0].interval == Interval(Fraction(2), Fraction(4))


def test_the_timeline_and_its_start_are_kept() -> None:
    program = lowered("timeline integer from 5. P :- Q.")
    assert (program.timeline, program.timeline_start) == (Timeline.INTEGER, 5)


def test_the_tick_is_in_units() -> None:
    assert lowered("unit 1min. tick 15s. P :- Q.").tick == Fraction(1, 4)


# terms


def test_a_declared_constant_stands_for_its_value() -> None:
    program = lowered("const limit = 50. const most = limit. P(X, most) :- Q(X, S), S > limit.")
    assert program.rules[0].head == Atom("P", (X, number(50)))
    assert program.rules[0].body[1].right == number(50)


def test_a_constant_may_be_declared_after_its_use() -> None:
    assert lowered("P(where). const where = rome.").facts[0].atom == Atom("P", (Constant("rome"),))


def test_each_underscore_is_a_variable_of_its_own() -> None:
    atom = lowered("P(X) :- Q(X, _, _).").rules[0].body[0]
    assert [term.name for term in atom.arguments] == ["X", "_#1", "_#2"]


def test_arithmetic_in_a_body_atom_becomes_an_equation() -> None:
    rule = lowered("P(X) :- Q(X), diamondminus[0,1] R(X + 1).").rules[0]
    fresh = Variable("#1")
    assert rule.body[1] == DiamondMinus(Interval(Fraction(0), Fraction(1)), Atom("R", (fresh,)))
    sum_ = Arithmetic(ArithmeticOperator.ADD, X, number(1))
    assert rule.body[2] == Comparison(ComparisonOperator.EQUAL, fresh, sum_)


def test_arithmetic_in_a_head_becomes_an_equation_in_the_body() -> None:
    rule = lowered("P(-X) :- Q(X).").rules[0]
    negative = Arithmetic(ArithmeticOperator.SUBTRACT, number(0), X)
    assert rule.head == Atom("P", (Variable("#1"),))
    assert rule.body[1] == Comparison(ComparisonOperator.EQUAL, Variable("#1"), negative)


def test_arithmetic_on_numbers_is_carried_out() -> None:
    assert lowered("P(X) :- Q(X, (2 + 4) * 3 / 4).").rules[0].body == (Atom("Q", (X, number(Fraction(9, 2)))),)


# rules


def test_several_head_atoms_become_a_rule_each() -> None:
    program = lowered("P(X), boxplus[0,1] (Q(X), R(X + 1)) :- S(X).")
    one = Interval(Fraction(0), Fraction(1))
    assert [rule.head for rule in program.rules] == [
        Atom("P", (X,)),
        BoxPlus(one, Atom("Q", (X,))),
        BoxPlus(one, Atom("R", (Variable("#1"),))),
    ]
    assert [len(rule.body) for rule in program.rules] == [1, 1, 2]
    assert [rule.number for rule in program.rules] == [1, 1, 1]


def test_rules_are_numbered_and_remember_where_they_were_written() -> None:
    first, second = lowered("P(X) :- Q(X).\nR(X) :- P(X).").rules
    assert (first.number, second.number) == (1, 2)
    assert second.origin is not None
    assert second.origin.place == "test.rules:2:1"


def test_bottom_may_be_a_whole_head_under_boxes() -> None:
    rule = lowered("boxplus[0,1] ⊥ :- Broken(X).").rules[0]
    assert rule.head_core == Bottom()


def test_a_conjunction_inside_an_operator_stays_together() -> None:
    body = lowered("P(X) :- diamondminus[0,1] (Q(X), (R(X), X > 3)).").rules[0].body
    assert len(body) == 1
    inner = body[0].operand
    assert isinstance(inner, And)
    assert len(inner.operands) == 3


def test_a_conjunction_in_parentheses_joins_the_body() -> None:
    rule = lowered("P(X) :- (Q(X), not R(X)), S(X).").rules[0]
    assert rule.body == (Atom("Q", (X,)), Not(Atom("R", (X,))), Atom("S", (X,)))


def test_a_negated_comparison_becomes_its_opposite() -> None:
    rule = lowered("P(X) :- Q(X), not X < 3.").rules[0]
    assert rule.body[1] == Comparison(ComparisonOperator.GREATER_EQUAL, X, number(3))


def test_top_is_kept() -> None:
    assert lowered("P :- ⊤.").rules[0].body == (Top(),)


def test_a_fact_without_a_time_holds_always() -> None:
    program = lowered("P(a). P(b)@3.")
    assert [fact.interval for fact in program.facts] == [ALWAYS, point(3)]


# signatures and delays


def test_predicates_come_in_the_order_of_first_mention() -> None:
    program = lowered("P(X) :- boxminus[0,1] Q(X), R(X, Y) since[0,1] S(X). T(a)@1.")
    assert program.predicates == ("P", "Q", "R", "S", "T")
    assert [signature.arity for signature in program.signatures.values()] == [1, 1, 2, 1, 1]


def test_a_declaration_gives_role_names_and_types() -> None:
    signature = lowered("input Speed(vehicle: string, kmh). P(X) :- Speed(X, _).").signatures["Speed"]
    assert (signature.role, signature.declared) == (Role.INPUT, True)
    assert [(p.name, p.type) for p in signature.parameters] == [
        ("vehicle", TypeName.STRING),
        ("kmh", TypeName.ANY),
    ]


def test_a_declaration_without_arguments_takes_the_arity_of_the_first_use() -> None:
    signature = lowered("output Jam. Jam(X, Y) :- Slow(X, Y).").signatures["Jam"]
    assert (signature.role, signature.arity, signature.declared) == (Role.OUTPUT, 2, True)


def test_one_declaration_may_give_the_role_and_another_the_arguments() -> None:
    program = lowered("predicate Jam(road: string). output Jam. Jam(X) :- Slow(X).")
    assert (program.signatures["Jam"].role, program.signatures["Jam"].arity) == (Role.OUTPUT, 1)


def test_delays_are_kept() -> None:
    program = lowered('Hot(X) :- Temp(X, D), D > 30. delay Temp = 5min. delay Temp("wt4", _) = 0.')
    assert program.delays == (
        Delay("Temp", None, Fraction(300)),
        Delay("Temp", (Constant("wt4"), Variable("_#1")), Fraction(0)),
    )


# what is wrong is left out, and the rest goes on


def test_a_wrong_rule_is_left_out_and_its_head_remembered() -> None:
    tree, _ = parse_program(Source("test.rules", "diamondminus[0,1] P(X) :- Q(X). R(X) :- P(X)."))
    program, found = lower(tree)
    assert [each.code for each in found] == ["E211"]
    assert [rule.number for rule in program.rules] == [2]
    assert program.left_out == {"P"}


def test_a_tree_from_another_front_end_is_checked_as_well() -> None:
    p, q = ast.Atom("P", (ast.Variable("X"),)), ast.Atom("Q", (ast.Variable("X"),))
    zero, one = ast.Number(Fraction(0)), ast.Number(Fraction(1))
    negative = ast.IntervalText(ast.Number(Fraction(-1)), one)
    unknown_unit = ast.IntervalText(zero, ast.Number(Fraction(1), "fortnight"))
    backwards = ast.IntervalText(one, zero)
    at_infinity = ast.IntervalText(ast.Infinity(), ast.Infinity())
    single = ast.IntervalText(one, one, True, False)

    def rule(interval: ast.IntervalText) -> ast.Rule:
        return ast.Rule(ast.Head((p,)), (ast.BoxMinus(interval, q),))

    assert [each.code for each in found_in(rule(negative))] == ["E230"]
    assert [each.code for each in found_in(rule(unknown_unit))] == ["E231"]
    assert [each.code for each in found_in(rule(backwards))] == ["E229"]
    assert [each.code for each in found_in(rule(at_infinity))] == ["E229"]
    assert [each.code for each in found_in(rule(single))] == ["E229"]
    assert [each.code for each in found_in(ast.TimelineDeclaration("real"))] == ["E221"]
    assert [each.code for each in found_in(ast.Fact(p, None))] == ["E232"]


@pytest.mark.parametrize("name", ["meteor_recursive", "meteor_nonrecursive", "short_stop", "meteor-aaai22-p"])
def test_programs_in_use_are_lowered_without_complaint(shared_data, name: str) -> None:
    program = lowered((shared_data / "programs" / f"{name}.txt").read_text())
    assert program.rules
