"""Comparisons of time terms as the two kinds of arithmetic atoms of LARS+ (Section 2): t₁ ≤ t₂ and t₁ = t₂ + t₃.

Variables range over the timeline [0, h] only, those that stand for a value in between included. So an atom that
overflows it would be false where the comparison is true; the forms below never do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from thalweg.model.formula import Arithmetic, Comparison, Constant, Expression, Variable
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator

TimeTerm = Variable | Constant


@dataclass(frozen=True)
class AtMost:
    """t₁ ≤ t₂."""

    left: TimeTerm
    right: TimeTerm


@dataclass(frozen=True)
class Sum:
    """t₁ = t₂ + t₃."""

    result: TimeTerm
    left: TimeTerm
    right: TimeTerm


ArithmeticAtom = AtMost | Sum

Fresh = Callable[[], Variable]
"""Gives a variable that the rule does not have yet."""


def time_point(number: int) -> Constant:
    """A time point, or another natural number, as a term."""
    return Constant(Fraction(number))


NEVER = AtMost(time_point(1), time_point(0))
"""An arithmetic atom that is false."""


def arithmetic_atoms(comparison: Comparison, fresh: Fresh) -> tuple[ArithmeticAtom, ...] | None:
    """Atoms that are true of time points iff the comparison is; None when there are none."""
    left, right = _linear(comparison.left), _linear(comparison.right)
    if left is None or right is None:
        return None
    match comparison.operator:
        case ComparisonOperator.EQUAL:
            return _equal(left.minus(right))
        case ComparisonOperator.LESS_EQUAL:
            return _at_most(left.minus(right), fresh)
        case ComparisonOperator.LESS:
            return _at_most(left.minus(right).plus_constant(1), fresh)
        case ComparisonOperator.GREATER_EQUAL:
            return _at_most(right.minus(left), fresh)
        case ComparisonOperator.GREATER:
            return _at_most(right.minus(left).plus_constant(1), fresh)
        case _:
            return None


def within(atom: ArithmeticAtom, horizon: int, fresh: Fresh) -> tuple[ArithmeticAtom, ...]:
    """Atoms that are true of time points in [0, h] iff the atom is, and have no numbers beyond h.

    A true instance with such a number would, in one-sorted rules, give it to variables that stand for time points.
    """
    match atom:
        case AtMost(left, Constant() as most) if _number(most) > horizon:
            return (AtMost(left, time_point(horizon)),)
        case AtMost(Constant() as least, _) if _number(least) > horizon:
            return (NEVER,)
        case Sum(_, _, Constant() as amount) if _number(amount) > horizon:
            return (NEVER,)
        case Sum(Constant() as total, left, right) if _number(total) > horizon:
            missing = 2 * horizon - _number(total)
            if missing < 0:
                return (NEVER,)
            last, before, after = time_point(horizon), fresh(), fresh()
            return Sum(last, left, before), Sum(last, right, after), Sum(time_point(missing), before, after)
        case _:
            return (atom,)


@dataclass(frozen=True)
class _Linear:
    """A sum of variables, each as often as it says, and a constant."""

    counts: Counter[Variable]
    constant: int

    def minus(self, other: _Linear) -> _Linear:
        counts = Counter(self.counts)
        counts.subtract(other.counts)
        return _Linear(counts, self.constant - other.constant)

    def plus_constant(self, amount: int) -> _Linear:
        return _Linear(self.counts, self.constant + amount)

    def times(self, factor: int) -> _Linear:
        return _Linear(Counter({v: n * factor for v, n in self.counts.items()}), self.constant * factor)

    @property
    def sides(self) -> tuple[list[Variable], list[Variable], int]:
        """P, N and k such that the sum is 0 iff that of P is that of N and k, and so for at most."""
        negative = Counter({variable: -count for variable, count in self.counts.items()})
        return _elements(self.counts), _elements(negative), -self.constant


def _elements(counts: Counter[Variable]) -> list[Variable]:
    """The variables with a positive count, as often as it says, in the order in which they were met."""
    return list((+counts).elements())


def _linear(expression: Expression) -> _Linear | None:
    match expression:
        case Variable():
            return _Linear(Counter([expression]), 0)
        case Constant(value=Fraction(denominator=1) as value):
            return _Linear(Counter(), int(value))
        case Arithmetic(operator=operator, left=left, right=right):
            first, second = _linear(left), _linear(right)
            return None if first is None or second is None else _calculated(operator, first, second)
        case _:
            return None


def _calculated(operator: ArithmeticOperator, left: _Linear, right: _Linear) -> _Linear | None:
    match operator:
        case ArithmeticOperator.ADD:
            return left.minus(right.times(-1))
        case ArithmeticOperator.SUBTRACT:
            return left.minus(right)
        case ArithmeticOperator.MULTIPLY if not +left.counts and not -left.counts:
            return right.times(left.constant)
        case ArithmeticOperator.MULTIPLY if not +right.counts and not -right.counts:
            return left.times(right.constant)
        case _:
            return None


def _equal(zero: _Linear) -> tuple[ArithmeticAtom, ...] | None:
    first, second, amount = zero.sides
    if len(first) > len(second) or (len(first) == len(second) and amount < 0):
        first, second, amount = second, first, -amount
    match first, second:
        case [], []:
            return () if amount == 0 else (NEVER,)
        case [], [x]:
            return _constant_or_never(-amount, lambda k: (AtMost(x, k), AtMost(k, x)))
        case [], [x, y]:
            return _constant_or_never(-amount, lambda k: (Sum(k, x, y),))
        case [x], [y]:
            return (Sum(x, y, time_point(amount)),)
        case [x], [y, z] if amount == 0:
            return (Sum(x, y, z),)
        case _:
            return None


def _at_most(zero: _Linear, fresh: Fresh) -> tuple[ArithmeticAtom, ...] | None:
    first, second, amount = zero.sides
    match first, second:
        case ([], []) | ([], [_]) | ([], [_, _]) if amount >= 0:
            return ()
        case [], []:
            return (NEVER,)
        case [], [x]:
            return (AtMost(time_point(-amount), x),)
        case [], [x, y]:
            below, rest = fresh(), fresh()
            return Sum(time_point(-amount), below, rest), AtMost(below, x), AtMost(rest, y)
        case [x], []:
            return _constant_or_never(amount, lambda k: (AtMost(x, k),))
        case [x], [y] if amount == 0:
            return (AtMost(x, y),)
        case [x], [y] if amount < 0:
            later = fresh()
            return Sum(later, x, time_point(-amount)), AtMost(later, y)
        case [x], [y]:
            below, rest = fresh(), fresh()
            return Sum(x, below, rest), AtMost(below, y), AtMost(rest, time_point(amount))
        case [x], [y, z] if amount == 0:
            below, rest = fresh(), fresh()
            return Sum(x, below, rest), AtMost(below, y), AtMost(rest, z)
        case [x, y], [z] if amount == 0:
            total = fresh()
            return Sum(total, x, y), AtMost(total, z)
        case _:
            return None


def _constant_or_never(
    number: int, atoms: Callable[[Constant], tuple[ArithmeticAtom, ...]]
) -> tuple[ArithmeticAtom, ...]:
    return atoms(time_point(number)) if number >= 0 else (NEVER,)


def _number(constant: Constant) -> int:
    return int(constant.value)
