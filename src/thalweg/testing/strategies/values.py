"""Comparisons and arithmetic on the variables that a body binds."""

from __future__ import annotations

from collections.abc import Iterable

from thalweg.model.formula import Arithmetic, Comparison, Constant, Expression, Variable
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.testing.strategies.formulas import FormulaWriter
from thalweg.testing.strategies.vocabulary import NAMES, RESULT, Kind

_EQUALITIES = (ComparisonOperator.NOT_EQUAL, ComparisonOperator.EQUAL)


def comparisons(write: FormulaWriter, bound: Iterable[str]) -> list[Comparison]:
    """A comparison, an equality that gives :data:`RESULT` a value, or both."""
    bound = set(bound)
    numbers = [Variable(name) for name in NAMES[Kind.NUMBER] if name in bound]
    texts = [Variable(name) for name in NAMES[Kind.TEXT] if name in bound]
    if numbers and write.chance(70):
        return _of_numbers(write, numbers)
    if texts:
        return [_of_texts(write, texts, numbers)]
    return []


def _of_numbers(write: FormulaWriter, numbers: list[Variable]) -> list[Comparison]:
    shape = write.one_of(["comparison", "result", "both"])
    result = Comparison(ComparisonOperator.EQUAL, RESULT, _arithmetic(write, numbers))
    compared = numbers if shape == "comparison" else [RESULT]
    sign = write.one_of(tuple(ComparisonOperator))
    comparison = Comparison(sign, write.one_of(compared), _operand(write, numbers))
    return {"comparison": [comparison], "result": [result], "both": [comparison, result]}[shape]


def _of_texts(write: FormulaWriter, texts: list[Variable], numbers: list[Variable]) -> Comparison:
    """Texts have an order; a text and a number are never equal."""
    left = write.one_of(texts)
    if numbers and write.chance(20):
        return Comparison(ComparisonOperator.NOT_EQUAL, left, write.one_of(numbers))
    right: Expression = write.one_of(texts) if write.chance(50) else write.constant(Kind.TEXT)
    sign = write.one_of(_EQUALITIES if write.chance(60) else tuple(ComparisonOperator))
    return Comparison(sign, left, right)


def _arithmetic(write: FormulaWriter, numbers: list[Variable]) -> Arithmetic:
    sign = write.one_of(tuple(ArithmeticOperator))
    inner: Expression = write.one_of(numbers)
    if write.chance(25):
        inner = Arithmetic(write.one_of(tuple(ArithmeticOperator)), inner, _operand(write, numbers))
    return Arithmetic(sign, inner, _operand(write, numbers))


def _operand(write: FormulaWriter, numbers: list[Variable]) -> Variable | Constant:
    return write.one_of(numbers) if write.chance(40) else write.constant(Kind.NUMBER)
