"""The values that a program mentions."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.model.formula import (
    Aggregate,
    Arithmetic,
    At,
    Atom,
    Comparison,
    Constant,
    Expression,
    Formula,
    Skolem,
    Value,
    subformulas,
)
from thalweg.model.program import Program


def constants(program: Program) -> Iterator[Value]:
    """The constants in the rules of a program."""
    formulas = (formula for rule in program.rules for formula in (rule.head, *rule.body))
    for part in (part for formula in formulas for part in subformulas(formula)):
        for expression in _expressions(part):
            yield from _values(expression)


def _expressions(formula: Formula) -> tuple[Expression, ...]:
    match formula:
        case Atom(arguments=arguments):
            return tuple(term for term in arguments if not isinstance(term, Skolem))
        case Comparison(left=left, right=right):
            return left, right
        case At(time=time):
            return (time,)
        case Aggregate(elements=elements):
            return elements
        case _:
            return ()


def _values(expression: Expression) -> Iterator[Value]:
    match expression:
        case Constant(value=value):
            yield value
        case Arithmetic(left=left, right=right):
            yield from _values(left)
            yield from _values(right)
