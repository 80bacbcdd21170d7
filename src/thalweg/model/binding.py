"""Which variables a body gives a value to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    At,
    Atom,
    BinaryMetric,
    Bottom,
    Comparison,
    Expression,
    Formula,
    Metric,
    Not,
    Or,
    Some,
    Top,
    Variable,
    Windowed,
    expression_variables,
    variables,
)
from thalweg.syntax.ast import ComparisonOperator


def bound_by(formula: Formula) -> frozenset[Variable]:
    """The variables a formula binds: those of positive atoms outside left operands of since and until.

    A left operand binds nothing because it may hold vacuously, over an empty stretch of time. A disjunction binds what
    all its parts bind; an aggregate its result, and its groups, which are those that are not empty.
    """
    match formula:
        case Atom():
            return frozenset(variables(formula))
        case Metric() | Windowed() | Some() | All():
            return bound_by(formula.operand)
        case At(operand=operand, time=time):
            return bound_by(operand) | ({time} if isinstance(time, Variable) else frozenset())
        case Or(operands=operands):
            return frozenset.intersection(*map(bound_by, operands))
        case Aggregate(result=result, groups=groups):
            return frozenset((result, *groups))
        case BinaryMetric(right=right):
            return bound_by(right)
        case And(operands=operands):
            return bound_by_all(operands)
        case Top() | Bottom() | Not() | Comparison():
            return frozenset()


def bound_by_all(literals: Iterable[Formula]) -> frozenset[Variable]:
    """The variables a conjunction binds: X = e binds X once the variables of e are bound."""
    literals = tuple(literals)
    bound = frozenset().union(*map(bound_by, literals))
    equations = [each for literal in literals for each in solved_equations(literal)]
    growing = True
    while growing:
        growing = False
        for variable, expression in equations:
            if variable not in bound and bound.issuperset(expression_variables(expression)):
                bound, growing = bound | {variable}, True
    return bound


def solved_equations(literal: Formula) -> Iterator[tuple[Variable, Expression]]:
    """(X, e) for X = e and for e = X."""
    if isinstance(literal, Comparison) and literal.operator is ComparisonOperator.EQUAL:
        for variable, expression in ((literal.left, literal.right), (literal.right, literal.left)):
            if isinstance(variable, Variable):
                yield variable, expression
