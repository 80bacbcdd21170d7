"""The time points for which arithmetic atoms are true."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from thalweg.model.formula import Arithmetic, Comparison, Constant, Expression, Variable, variables
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator

Assignment = Mapping[Variable, int]


class TooLargeError(Exception):
    """There are more ways to choose time points than anyone wants to look at."""


@dataclass
class Budget:
    """How many steps may still be taken."""

    left: int

    def spend(self, steps: int = 1) -> None:
        """Take some steps; raises :class:`TooLargeError` when none are left."""
        self.left -= steps
        if self.left < 0:
            raise TooLargeError


@dataclass(frozen=True)
class Linear:
    """c₁x₁ + … + cₙxₙ + k, without coefficients that are 0."""

    coefficients: Mapping[Variable, Fraction]
    constant: Fraction

    @classmethod
    def of(cls, expression: Expression) -> Linear | None:
        """The expression as a linear one; None where it is not."""
        match expression:
            case Variable():
                return cls({expression: Fraction(1)}, Fraction(0))
            case Constant(value=Fraction() as value):
                return cls({}, value)
            case Arithmetic(operator=operator, left=left, right=right):
                first, second = cls.of(left), cls.of(right)
                return None if first is None or second is None else _calculated(operator, first, second)
            case _:
                return None

    def plus(self, other: Linear, factor: Fraction | int = 1) -> Linear:
        """The sum with a multiple of another."""
        names = dict.fromkeys((*self.coefficients, *other.coefficients))
        sums = {x: self.coefficients.get(x, Fraction(0)) + factor * other.coefficients.get(x, 0) for x in names}
        return Linear({x: c for x, c in sums.items() if c}, self.constant + factor * other.constant)

    def times(self, factor: Fraction) -> Linear:
        """A multiple."""
        return Linear({}, Fraction(0)).plus(self, factor)


def difference(comparison: Comparison) -> Linear | None:
    """What a comparison compares with 0: its left side minus its right side, where that is linear."""
    left, right = Linear.of(comparison.left), Linear.of(comparison.right)
    return None if left is None or right is None else left.plus(right, -1)


def projections(
    wanted: Sequence[Variable], arithmetic: Sequence[Comparison], timeline: range, budget: Budget
) -> Iterator[tuple[int, ...]]:
    """The different values of the wanted variables for which all arithmetic atoms can be true on the timeline.

    Variables that no atom connects are chosen apart from each other.
    """
    constraints = [_Constraint(each) for each in arithmetic]
    groups = []
    for group in _connected(wanted, constraints):
        about = [each for each in constraints if each.variables <= group]
        search = _Search(about, timeline, budget)
        here = [variable for variable in wanted if variable in group]
        rest = sorted(group.difference(here), key=lambda variable: variable.name)
        solutions = dict.fromkeys(tuple(found[v] for v in here) for found in search.extended({}, here, rest))
        groups.append([dict(zip(here, values, strict=True)) for values in solutions])
    grounds = (each for each in constraints if not each.variables)
    if not all(each.is_true({}) for each in grounds):
        return
    budget.spend(math.prod(map(len, groups)))
    for parts in product(*groups):
        values = {variable: value for part in parts for variable, value in part.items()}
        yield tuple(values[variable] for variable in wanted)


class _Constraint:
    """An arithmetic atom, prepared."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.variables = frozenset(variables(comparison))
        self.linear = difference(comparison)

    def is_true(self, values: Assignment) -> bool:
        left, right = (_value(side, values) for side in (self.comparison.left, self.comparison.right))
        if left is None or right is None:
            return False
        match self.comparison.operator:
            case ComparisonOperator.EQUAL:
                return left == right
            case ComparisonOperator.NOT_EQUAL:
                return left != right
            case operator if isinstance(left, Fraction) and isinstance(right, Fraction):
                return _holds(operator, left - right)
            case _:
                return False

    def range(self, variable: Variable, values: Assignment) -> tuple[Fraction | float, Fraction | float]:
        """Between which values the variable lies if it is the only one without a value."""
        everything = -math.inf, math.inf
        if self.linear is None or variable not in self.linear.coefficients:
            return everything
        coefficient = self.linear.coefficients[variable]
        rest = self.linear.constant + sum(
            c * values[other] for other, c in self.linear.coefficients.items() if other != variable
        )
        at = -rest / coefficient
        operator = self.comparison.operator
        if operator is ComparisonOperator.EQUAL:
            return at, at
        below = operator in (ComparisonOperator.LESS, ComparisonOperator.LESS_EQUAL)
        if operator is ComparisonOperator.NOT_EQUAL:
            return everything
        return (-math.inf, at) if below == (coefficient > 0) else (at, math.inf)


@dataclass(frozen=True)
class _Search:
    """A search for values of some variables, one after the other: always for the one with the fewest choices."""

    constraints: Sequence[_Constraint]
    timeline: range
    budget: Budget

    def extended(
        self, values: Assignment, wanted: Sequence[Variable], rest: Sequence[Variable]
    ) -> Iterator[Assignment]:
        """The assignments of the wanted variables that can be extended to the rest, each with one extension."""
        if not wanted and not rest:
            yield values
            return
        variable, choices = min(
            ((each, self._choices(each, values)) for each in wanted or rest), key=lambda pair: len(pair[1])
        )
        others = [each for each in wanted or rest if each != variable]
        for choice in choices:
            self.budget.spend()
            more = {**values, variable: choice}
            if self._is_true_so_far(variable, more):
                found = self.extended(more, others, rest) if wanted else self.extended(more, (), others)
                for each in found:
                    yield each
                    if not wanted:
                        return

    def _choices(self, variable: Variable, values: Assignment) -> range:
        low: Fraction | float = self.timeline.start
        high: Fraction | float = self.timeline.stop - 1
        for each in self.constraints:
            if variable in each.variables and all(v in values for v in each.variables if v != variable):
                start, end = each.range(variable, values)
                low, high = max(low, start), min(high, end)
        return range(math.ceil(low), math.floor(high) + 1)

    def _is_true_so_far(self, variable: Variable, values: Assignment) -> bool:
        return all(
            each.is_true(values)
            for each in self.constraints
            if variable in each.variables and each.variables.issubset(values)
        )


def _connected(wanted: Sequence[Variable], constraints: Sequence[_Constraint]) -> list[frozenset[Variable]]:
    """The variables in groups that share no constraint, in the order of the wanted ones."""
    groups: list[frozenset[Variable]] = [frozenset({variable}) for variable in wanted]
    for each in constraints:
        if each.variables:
            touched = [group for group in groups if group & each.variables]
            joined = each.variables.union(*touched)
            kept = [group for group in groups if not group & each.variables]
            groups = [*kept, joined]
    return groups


def _value(expression: Expression, values: Assignment) -> Fraction | str | None:
    """The value of an expression; None where there is none."""
    match expression:
        case Variable():
            return Fraction(values[expression])
        case Constant(value=value):
            return value
        case Arithmetic(operator=operator, left=left, right=right):
            first, second = _value(left, values), _value(right, values)
            if not isinstance(first, Fraction) or not isinstance(second, Fraction):
                return None
            if operator is ArithmeticOperator.DIVIDE:
                return first / second if second else None
            return _CALCULATE[operator](first, second)


def _holds(operator: ComparisonOperator, difference: Fraction) -> bool:
    match operator:
        case ComparisonOperator.LESS:
            return difference < 0
        case ComparisonOperator.LESS_EQUAL:
            return difference <= 0
        case ComparisonOperator.GREATER:
            return difference > 0
        case _:
            return difference >= 0


def _calculated(operator: ArithmeticOperator, left: Linear, right: Linear) -> Linear | None:
    match operator:
        case ArithmeticOperator.ADD:
            return left.plus(right)
        case ArithmeticOperator.SUBTRACT:
            return left.plus(right, -1)
        case ArithmeticOperator.MULTIPLY if not left.coefficients:
            return right.times(left.constant)
        case ArithmeticOperator.MULTIPLY if not right.coefficients:
            return left.times(right.constant)
        case ArithmeticOperator.DIVIDE if not right.coefficients and right.constant:
            return left.times(1 / right.constant)
        case _:
            return None


_CALCULATE = {
    ArithmeticOperator.ADD: Fraction.__add__,
    ArithmeticOperator.SUBTRACT: Fraction.__sub__,
    ArithmeticOperator.MULTIPLY: Fraction.__mul__,
}
