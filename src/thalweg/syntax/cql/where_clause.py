"""Δ_WHERE (LARS paper, Section 4): conditions to alternatives, comparisons and equal columns."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from thalweg.source import Span
from thalweg.syntax import ast
from thalweg.syntax.ast import ComparisonOperator, TypeName
from thalweg.syntax.cql.query import (
    AggregateCall,
    AnySlot,
    Calculation,
    Comparison,
    Condition,
    Conjunction,
    Constant,
    Disjunction,
    Expression,
    Literal,
    Minus,
    Reference,
)
from thalweg.syntax.cql.variables import Variables
from thalweg.syntax.mistake import Mistake

MAX_ALTERNATIVES = 256
"""Each alternative becomes a rule."""

_NUMBERS = frozenset({TypeName.INTEGER, TypeName.NUMBER})

Results = Mapping[AggregateCall, ast.Variable]
"""The variables for the values of aggregates."""


def alternatives(condition: Condition, span: Span | None) -> list[tuple[Literal, ...]]:
    """The disjunctive normal form: the condition holds if all literals of one alternative do."""
    match condition:
        case Disjunction(parts):
            found = [alternative for part in parts for alternative in alternatives(part, span)]
        case Conjunction(parts):
            found = [()]
            for part in parts:
                more = alternatives(part, span)
                _check_number(len(found) * len(more), span)
                found = [(*left, *right) for left, right in itertools.product(found, more)]
        case _:
            found = [(condition,)]
    _check_number(len(found), span)
    return list(dict.fromkeys(found))


def equal_slots(literals: Iterable[Literal]) -> list[tuple[AnySlot, AnySlot]]:
    """The columns that an alternative makes equal, so that one variable can stand for both."""
    return [pair for literal in literals if (pair := _equal_pair(literal)) is not None]


def comparisons(literals: Iterable[Literal], variables: Variables) -> list[ast.Formula]:
    """The comparisons that remain when equal columns have one variable."""
    remaining = (each for each in literals if isinstance(each, Comparison) and _equal_pair(each) is None)
    return [translate_comparison(each, variables) for each in remaining]


def translate_comparison(comparison: Comparison, variables: Variables, results: Results | None = None) -> ast.Formula:
    """A comparison of terms."""
    left = translate_expression(comparison.left, variables, results)
    right = translate_expression(comparison.right, variables, results)
    return ast.Comparison(comparison.operator, left, right, comparison.span)


def translate_expression(expression: Expression, variables: Variables, results: Results | None = None) -> ast.Term:
    """An expression as a term."""
    match expression:
        case Reference(slot, span):
            return variables.at(slot, span)
        case Constant(value):
            return value
        case Calculation(operator, left, right, span):
            first = translate_expression(left, variables, results)
            return ast.Arithmetic(operator, first, translate_expression(right, variables, results), span)
        case Minus(operand, span):
            return ast.Negative(translate_expression(operand, variables, results), span)
        case AggregateCall():
            assert results is not None
            return results[expression]


def _equal_pair(literal: Literal) -> tuple[AnySlot, AnySlot] | None:
    match literal:
        case Comparison(ComparisonOperator.EQUAL, Reference(first), Reference(second)) if _can_be_one(first, second):
            return first, second
    return None


def _can_be_one(first: AnySlot, second: AnySlot) -> bool:
    """Whether the types of two columns agree, and both or neither are times of tuples."""
    types = {first.type, second.type}
    agree = len(types) == 1 or types <= _NUMBERS or TypeName.ANY in types
    return first.is_time == second.is_time and agree


def _check_number(number: int, span: Span | None) -> None:
    if number > MAX_ALTERNATIVES:
        message = f"the condition has more than {MAX_ALTERNATIVES} alternatives"
        raise Mistake("E172", span, message, "select in steps, with a view for each part of the condition")
