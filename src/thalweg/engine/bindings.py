"""Relations whose columns are named by variables, and their joins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.columnar import arithmetic
from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.budget import MemoryLimitError
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.intersect import intersect
from thalweg.columnar.join import intersection_join
from thalweg.columnar.relation import Relation, always
from thalweg.columnar.shift import clip
from thalweg.columnar.subtract import subtract
from thalweg.columnar.values import Values
from thalweg.model.formula import Arithmetic, Comparison, Constant, Expression, Variable, expression_variables
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator

FEW_ROWS = 500
"""Relations of so few rows are intersected all at once: a join of two would cost more than its rows are worth."""


@dataclass(frozen=True)
class Bindings:
    """What the variables stand for, and when."""

    variables: tuple[str, ...]
    relation: Relation

    def __len__(self) -> int:
        return len(self.relation)

    def project(self, variables: Sequence[str]) -> Bindings:
        """The wanted variables only, coalesced."""
        if tuple(variables) == self.variables:
            return Bindings(self.variables, coalesce(self.relation))
        columns = [self.variables.index(name) for name in variables]
        return Bindings(tuple(variables), coalesce(self.relation.select_columns(columns)))

    def clipped(self, low: int, high: int) -> Bindings:
        """The part inside [low, high]."""
        return Bindings(self.variables, clip(self.relation, low, high))

    def join(self, other: Bindings) -> Bindings:
        """Both at once: equal shared variables, time in common."""
        shared = self._shared(other)
        try:
            relation = intersection_join(self.relation, other.relation, shared)
        except MemoryLimitError as error:
            if not shared and self.variables and other.variables:
                error.apart = self.variables, other.variables
            raise
        added = tuple(name for name in other.variables if name not in self.variables)
        return Bindings(self.variables + added, relation)

    def without(self, other: Bindings) -> Bindings:
        """These bindings except when the other hold; the other's variables are among these."""
        return Bindings(self.variables, subtract(self.relation, other.relation, self._shared(other)))

    def where(self, rows: Bools) -> Bindings:
        """The chosen rows."""
        return self if rows.all() else Bindings(self.variables, self.relation.take(rows))

    def extended(self, name: str, column: Ints) -> Bindings:
        """One more variable."""
        relation = Relation((*self.relation.columns, column), self.relation.start, self.relation.end)
        return Bindings((*self.variables, name), relation)

    def _shared(self, other: Bindings) -> list[tuple[int, int]]:
        return [
            (self.variables.index(name), position)
            for position, name in enumerate(other.variables)
            if name in self.variables
        ]


def join_all(parts: Iterable[Bindings], first: Bindings | None = None) -> Bindings:
    """The join of all parts, the given one first.

    Small parts with the same variables are intersected beforehand. Next comes a part that binds nothing new if there
    is one, then one that shares a variable; the smaller first.
    """
    waiting = _intersected([*parts] if first is None else [first, *parts])
    joined = None if first is None else waiting.pop(0)
    while waiting:
        known = set(joined.variables) if joined is not None else set()
        chosen = min(waiting, key=lambda part: _join_rank(part, known))
        waiting.remove(chosen)
        joined = chosen if joined is None else joined.join(chosen)
        if not len(joined):
            variables = dict.fromkeys(joined.variables + tuple(n for p in waiting for n in p.variables))
            return _nothing(tuple(variables))
    return joined if joined is not None else Bindings((), always())


def apply_conditions(
    bindings: Bindings, conditions: Sequence[Comparison], values: Values, undefined: list[int] | None = None
) -> Bindings:
    """Keep the rows that satisfy all comparisons; an equation with one unknown variable binds it.

    With ``undefined``, the numbers of rows are added to it for which a comparison has no value.
    """
    waiting = list(conditions)
    while waiting:
        ready = next(c for c in waiting if _is_ready(c, bindings))
        waiting.remove(ready)
        if undefined is not None:
            sides = (side for side in (ready.left, ready.right) if not _unknown(side, bindings))
            defined = [_column(side, bindings, values)[1] for side in sides]
            undefined.append(int((~np.logical_and.reduce(defined)).sum()))
        bindings = _apply(bindings, ready, values)
    return bindings


def _intersected(parts: list[Bindings]) -> list[Bindings]:
    """The parts, of which small ones with the same variables become one."""
    groups: dict[object, list[Bindings]] = {}
    for part in parts:
        is_small = part.relation.coalesced and len(part) <= FEW_ROWS
        groups.setdefault(part.variables if is_small else id(part), []).append(part)
    return [
        Bindings(group[0].variables, intersect([part.relation for part in group])) if len(group) > 1 else group[0]
        for group in groups.values()
    ]


def _join_rank(part: Bindings, known: set[str]) -> tuple[bool, bool, int]:
    adds = any(name not in known for name in part.variables)
    apart = bool(known) and not any(name in known for name in part.variables)
    return apart, adds, len(part)


def _nothing(variables: tuple[str, ...]) -> Bindings:
    none = np.empty(0, dtype=np.int64)
    return Bindings(variables, Relation((none,) * len(variables), none, none, coalesced=True))


def _unknown(expression: Expression, bindings: Bindings) -> set[str]:
    return {v.name for v in expression_variables(expression)} - set(bindings.variables)


def _is_ready(condition: Comparison, bindings: Bindings) -> bool:
    left, right = _unknown(condition.left, bindings), _unknown(condition.right, bindings)
    return not (left | right) or _assigned(condition, bindings) is not None


def _assigned(condition: Comparison, bindings: Bindings) -> tuple[str, Expression] | None:
    """The variable that an equation binds, and the expression that gives its value."""
    if condition.operator is not ComparisonOperator.EQUAL:
        return None
    for side, other in ((condition.left, condition.right), (condition.right, condition.left)):
        if isinstance(side, Variable) and _unknown(side, bindings) and not _unknown(other, bindings):
            return side.name, other
    return None


def _apply(bindings: Bindings, condition: Comparison, values: Values) -> Bindings:
    assigned = _assigned(condition, bindings)
    if assigned is not None:
        name, expression = assigned
        column, defined = _column(expression, bindings, values)
        return bindings.extended(name, column).where(defined)
    left, left_defined = _column(condition.left, bindings, values)
    right, right_defined = _column(condition.right, bindings, values)
    defined = left_defined & right_defined
    bindings, left, right = bindings.where(defined), left[defined], right[defined]
    return bindings.where(_COMPARE[condition.operator](left, right, values))


def _column(expression: Expression, bindings: Bindings, values: Values) -> tuple[Ints, Bools]:
    """The expression's value on every row, and where it has one: a division by zero has none."""
    match expression:
        case Variable(name=name):
            column = bindings.relation.columns[bindings.variables.index(name)]
            return column, np.ones(len(column), dtype=np.bool_)
        case Constant(value=value):
            size = len(bindings)
            return np.full(size, values.code(value), dtype=np.int64), np.ones(size, dtype=np.bool_)
        case Arithmetic(operator=operator, left=left_term, right=right_term):
            left, left_defined = _column(left_term, bindings, values)
            right, right_defined = _column(right_term, bindings, values)
            defined = left_defined & right_defined
            if operator is ArithmeticOperator.DIVIDE:
                defined &= ~arithmetic.is_zero(right)
            result = np.zeros(len(left), dtype=np.int64)
            result[defined] = _ARITHMETIC[operator](left[defined], right[defined], values)
            return result, defined


_ARITHMETIC: dict[ArithmeticOperator, Callable[[Ints, Ints, Values], Ints]] = {
    ArithmeticOperator.ADD: arithmetic.add,
    ArithmeticOperator.SUBTRACT: arithmetic.subtract,
    ArithmeticOperator.MULTIPLY: arithmetic.multiply,
    ArithmeticOperator.DIVIDE: arithmetic.divide,
}

_COMPARE: dict[ComparisonOperator, Callable[[Ints, Ints, Values], Bools]] = {
    ComparisonOperator.EQUAL: lambda left, right, _: left == right,
    ComparisonOperator.NOT_EQUAL: lambda left, right, _: left != right,
    ComparisonOperator.LESS: lambda left, right, values: arithmetic.order(left, right, values) < 0,
    ComparisonOperator.LESS_EQUAL: lambda left, right, values: arithmetic.order(left, right, values) <= 0,
    ComparisonOperator.GREATER: lambda left, right, values: arithmetic.order(left, right, values) > 0,
    ComparisonOperator.GREATER_EQUAL: lambda left, right, values: arithmetic.order(left, right, values) >= 0,
}
