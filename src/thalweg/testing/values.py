"""Arithmetic and comparison of data values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from thalweg.model.formula import Arithmetic, Comparison, Constant, Expression, Value, Variable
from thalweg.null import Null
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator

Substitution = Mapping[str, Value]
"""The value of each variable, by its name."""

_ORDERS: Mapping[ComparisonOperator, Callable[[Any, Any], bool]] = {
    ComparisonOperator.LESS: operator.lt,
    ComparisonOperator.LESS_EQUAL: operator.le,
    ComparisonOperator.GREATER: operator.gt,
    ComparisonOperator.GREATER_EQUAL: operator.ge,
}

_ARITHMETIC: Mapping[ArithmeticOperator, Callable[[Fraction, Fraction], Fraction]] = {
    ArithmeticOperator.ADD: operator.add,
    ArithmeticOperator.SUBTRACT: operator.sub,
    ArithmeticOperator.MULTIPLY: operator.mul,
    ArithmeticOperator.DIVIDE: operator.truediv,
}


def compare(comparison: Comparison, substitution: Substitution) -> bool:
    """Whether a comparison is true; it is false where an operand has no value."""
    left = evaluate(comparison.left, substitution)
    right = evaluate(comparison.right, substitution)
    if left is None or right is None:
        return False
    if comparison.operator is ComparisonOperator.EQUAL:
        return left == right
    if comparison.operator is ComparisonOperator.NOT_EQUAL:
        return left != right
    if isinstance(left, Null) or isinstance(right, Null):
        raise ValueError(f"a null has no place in an order: {left} {comparison.operator.value} {right}")
    if isinstance(left, str) is not isinstance(right, str):
        raise ValueError(f"a text and a number have no order: {left!r} {comparison.operator.value} {right!r}")
    return _ORDERS[comparison.operator](left, right)


def evaluate(expression: Expression, substitution: Substitution) -> Value | None:
    """The exact value of an expression; None where something in it is divided by zero."""
    match expression:
        case Constant(value=value):
            return value
        case Variable(name=name):
            return substitution[name]
        case Arithmetic():
            left = evaluate(expression.left, substitution)
            right = evaluate(expression.right, substitution)
            return _calculate(expression.operator, left, right)


def _calculate(sign: ArithmeticOperator, left: Value | None, right: Value | None) -> Fraction | None:
    if isinstance(left, str) or isinstance(right, str):
        raise ValueError(f"there is no arithmetic on texts: {left!r} {sign.value} {right!r}")
    if isinstance(left, Null) or isinstance(right, Null):
        raise ValueError(f"there is no arithmetic on nulls: {left} {sign.value} {right}")
    if left is None or right is None or (sign is ArithmeticOperator.DIVIDE and right == 0):
        return None
    return _ARITHMETIC[sign](left, right)
