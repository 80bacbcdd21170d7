"""Arithmetic and comparison of single data values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from thalweg.explain.atoms import Binding, value_of
from thalweg.model.formula import Arithmetic, Comparison, Expression, Value
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator

_COMPARE: Mapping[ComparisonOperator, Callable[[Any, Any], bool]] = {
    ComparisonOperator.EQUAL: operator.eq,
    ComparisonOperator.NOT_EQUAL: operator.ne,
    ComparisonOperator.LESS: operator.lt,
    ComparisonOperator.LESS_EQUAL: operator.le,
    ComparisonOperator.GREATER: operator.gt,
    ComparisonOperator.GREATER_EQUAL: operator.ge,
}

_CALCULATE: Mapping[ArithmeticOperator, Callable[[Fraction, Fraction], Fraction]] = {
    ArithmeticOperator.ADD: operator.add,
    ArithmeticOperator.SUBTRACT: operator.sub,
    ArithmeticOperator.MULTIPLY: operator.mul,
    ArithmeticOperator.DIVIDE: operator.truediv,
}


def compare(comparison: Comparison, binding: Binding) -> bool:
    """Whether a comparison is true; it is not where a side has no value."""
    left, right = evaluate(comparison.left, binding), evaluate(comparison.right, binding)
    return left is not None and right is not None and _COMPARE[comparison.operator](left, right)


def evaluate(expression: Expression, binding: Binding) -> Value | None:
    """The value of an expression; None where a variable has none, or something is divided by zero."""
    if not isinstance(expression, Arithmetic):
        return value_of(expression, binding)
    left, right = evaluate(expression.left, binding), evaluate(expression.right, binding)
    if not isinstance(left, Fraction) or not isinstance(right, Fraction):
        return None
    if expression.operator is ArithmeticOperator.DIVIDE and right == 0:
        return None
    return _CALCULATE[expression.operator](left, right)
