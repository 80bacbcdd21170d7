"""Equations between the terms of a body, solved before anything is unfolded."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from thalweg.analysis.hypotheses.terms import (
    NotUnifiable,
    PatternTerm,
    Shifted,
    Value,
    substituted_condition,
    unify,
)
from thalweg.model.formula import Arithmetic, Comparison, Constant, Data, Expression, Variable
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator


def solved(
    equal: Iterable[tuple[PatternTerm, PatternTerm]], conditions: Sequence[Comparison], times: Iterable[PatternTerm]
) -> tuple[dict[str, PatternTerm], list[Comparison]] | None:
    """A substitution that makes the pairs equal and solves the conditions of the form X = c, X = Y and T = S + k.

    Returns it with the conditions that remain; None where something cannot be true.
    """
    pairs, open_ones = [*equal], [*conditions]
    sorts = {term.variable for term in times if isinstance(term, Shifted)}
    growing = True
    while growing:
        growing = False
        for condition in [*open_ones]:
            pair = _pair(condition, sorts)
            if pair is not None:
                pairs.append(pair)
                open_ones.remove(condition)
                sorts |= (
                    {term.variable for term in pair if isinstance(term, Shifted)} if _is_timed(pair, sorts) else set()
                )
                growing = True
    try:
        substitution = unify(pairs)
    except NotUnifiable:
        return None
    remaining = []
    for condition in open_ones:
        settled = holds(substituted_condition(condition, substitution))
        if settled is False:
            return None
        remaining += [condition] if settled is None else []
    return substitution, remaining


def holds(condition: Comparison) -> bool | None:
    """Whether a comparison without variables is true; None for one with variables."""
    left, right = _evaluated(condition.left), _evaluated(condition.right)
    if left is None or right is None:
        return None
    if isinstance(left, str) != isinstance(right, str):
        unequal = {ComparisonOperator.EQUAL: False, ComparisonOperator.NOT_EQUAL: True}
        return unequal.get(condition.operator)  # texts and numbers have no order, which the run will say
    return bool(_COMPARE[condition.operator](left, right))


def _evaluated(expression: Expression) -> Data | None:
    match expression:
        case Constant(value=value):
            return value
        case Arithmetic(operator=kind, left=left, right=right):
            a, b = _evaluated(left), _evaluated(right)
            if (
                not isinstance(a, Fraction)
                or not isinstance(b, Fraction)
                or (kind is ArithmeticOperator.DIVIDE and not b)
            ):
                return None
            return _ARITHMETIC[kind](a, b)
        case _:
            return None


def _pair(condition: Comparison, times: set[str]) -> tuple[PatternTerm, PatternTerm] | None:
    """The two sides of an equation between terms."""
    if condition.operator is not ComparisonOperator.EQUAL:
        return None
    left, right = _term(condition.left), _term(condition.right)
    if left is None or right is None:
        return None
    pair = left, right
    is_plain = all(isinstance(term, Value) or not term.offset for term in pair)
    return pair if is_plain or _is_timed(pair, times) else None


def _is_timed(pair: tuple[PatternTerm, PatternTerm], times: set[str]) -> bool:
    return any(isinstance(term, Shifted) and term.variable in times for term in pair)


def _term(expression: Expression) -> PatternTerm | None:
    """X, c, T + k or T − k."""
    match expression:
        case Variable(name=name):
            return Shifted(name)
        case Constant(value=value):
            return Value(value)
        case Arithmetic(
            operator=ArithmeticOperator.ADD, left=Variable(name=name), right=Constant(value=Fraction() as k)
        ):
            return Shifted(name, int(k)) if k.denominator == 1 else None
        case Arithmetic(
            operator=ArithmeticOperator.ADD, left=Constant(value=Fraction() as k), right=Variable(name=name)
        ):
            return Shifted(name, int(k)) if k.denominator == 1 else None
        case Arithmetic(
            operator=ArithmeticOperator.SUBTRACT, left=Variable(name=name), right=Constant(value=Fraction() as k)
        ):
            return Shifted(name, -int(k)) if k.denominator == 1 else None
        case _:
            known = _evaluated(expression)
            return None if known is None else Value(known)


_COMPARE: dict[ComparisonOperator, Callable[[Any, Any], bool]] = {
    ComparisonOperator.EQUAL: operator.eq,
    ComparisonOperator.NOT_EQUAL: operator.ne,
    ComparisonOperator.LESS: operator.lt,
    ComparisonOperator.LESS_EQUAL: operator.le,
    ComparisonOperator.GREATER: operator.gt,
    ComparisonOperator.GREATER_EQUAL: operator.ge,
}
_ARITHMETIC: dict[ArithmeticOperator, Callable[[Fraction, Fraction], Fraction]] = {
    ArithmeticOperator.ADD: operator.add,
    ArithmeticOperator.SUBTRACT: operator.sub,
    ArithmeticOperator.MULTIPLY: operator.mul,
    ArithmeticOperator.DIVIDE: operator.truediv,
}
