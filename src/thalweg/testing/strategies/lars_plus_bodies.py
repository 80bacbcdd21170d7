"""Bodies of LARS+ rules: atoms as in (1) of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from thalweg.model.binding import bound_by_all
from thalweg.model.formula import (
    All,
    Arithmetic,
    At,
    Atom,
    Comparison,
    Constant,
    Expression,
    Formula,
    Some,
    Term,
    TimeWindow,
    Top,
    Variable,
    Windowed,
)
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.lars_formulas import TIMES
from thalweg.testing.strategies.lars_plus_knobs import LarsPlusKnobs
from thalweg.testing.strategies.vocabulary import INPUTS, NAMES, VALUES, Kind, Predicate

PURE_INPUTS = tuple(predicate for predicate in INPUTS if Kind.NUMBER not in predicate.kinds)
"""Those whose arguments are abstract."""

_FIRST, _SECOND = (Variable(name) for name in TIMES)


class LarsPlusBodyWriter:
    """Writes bodies over the sources; every variable of an arithmetic atom occurs after an ``at``, too."""

    def __init__(self, choices: Choices, knobs: LarsPlusKnobs, sources: Sequence[Predicate]) -> None:
        self.choices = choices
        self.knobs = knobs
        self.inputs = [predicate for predicate in sources if predicate in PURE_INPUTS]
        self.derived = [p for p in sources if p not in INPUTS and Kind.NUMBER not in p.kinds]

    def body(self) -> list[Formula]:
        """Few atoms, and arithmetic."""
        count = self.choices.one_of((1, 1, 2, 2, 3))
        first = self.choices.one_of(self.derived[-3:]) if self.derived and self.choices.chance(75) else self.predicate()
        literals = [self.literal(each) for each in (first, *self._others(count - 1))]
        if self.choices.chance(15):
            # The time of the body, by name.
            literals.append(Windowed(TimeWindow(Fraction(0)), At(Top(), self.choices.one_of((_FIRST, _SECOND)))))
        return self.with_arithmetic(literals)

    def recursive(self, premise: Predicate) -> list[Formula]:
        """A premise of the rule's own component, and often something else."""
        literals = [self.literal(premise)]
        if self.choices.chance(60):
            literals.append(self.literal(self.predicate()))
        return self.with_arithmetic(literals)

    def later(self, premise: Predicate) -> list[Formula]:
        """A premise at the time U, in a window or not; at most once, so that few nulls come of it."""
        atom = At(self.atom(premise), _FIRST)
        if not self.knobs.unbounded:
            # U + 1 is then no earlier than the body's own time: nothing depends on ever later times.
            return [Windowed(TimeWindow(Fraction(self.choices.one_of((1, 0)))), atom)]
        return [Windowed(self.window(), atom) if self.choices.chance(60) else atom]

    def literal(self, predicate: Predicate) -> Formula:
        """An atom of LARS+ around a simple one."""
        atom = self.atom(predicate)
        shapes = ["simple"] * 4 + ["some"] * 2 + ["all"] * 2 + ["window at"] * 3
        match self.choices.one_of(shapes + ["at", "at", "top"] * self.knobs.unbounded):
            case "some":
                return Windowed(self.window(), Some(atom))
            case "all":
                return Windowed(self.window(), All(atom))
            case "at":
                return At(atom, self.time())
            case "window at":
                return Windowed(self.window(), At(atom, self.time()))
            case "top":
                window = TimeWindow(Fraction(self.choices.one_of((1, 0))))
                return Windowed(window, At(Top(), self.choices.one_of((_FIRST, _SECOND))))
            case _:
                return atom

    def window(self) -> TimeWindow:
        """A window of the paper."""
        return TimeWindow(Fraction(self.choices.one_of((1, 2, 0, 3))))

    def atom(self, predicate: Predicate) -> Atom:
        """A simple atom; seldom with a variable twice, but different ones have the same often, so that they join."""
        names = (*NAMES[Kind.TEXT], *NAMES[Kind.TEXT])
        first = self.choices.one_of(range(len(NAMES[Kind.TEXT])))
        return Atom(predicate.name, tuple(self._term(names[first + place]) for place in range(len(predicate.kinds))))

    def predicate(self) -> Predicate:
        """One that earlier rules derive, or an input."""
        return self.choices.one_of(self.derived if self.derived and self.choices.chance(50) else self.inputs)

    def time(self) -> Term:
        """A time variable, sometimes a time point."""
        if self.choices.chance(8):
            return Constant(Fraction(self.choices.one_of((1, 2, 4))))
        return self.choices.one_of((_FIRST, _FIRST, _SECOND))

    def with_arithmetic(self, literals: list[Formula]) -> list[Formula]:
        """The literals, often with an arithmetic atom about their times."""
        times = [time for time in (_FIRST, _SECOND) if time in bound_by_all(literals)]
        if times and self.knobs.arithmetic and self.choices.chance(50):
            return [*literals, self._arithmetic(times)]
        return literals

    def _others(self, count: int) -> list[Predicate]:
        return [self.predicate() for _ in range(count)]

    def _arithmetic(self, times: list[Variable]) -> Comparison:
        """t₁ ≤ t₂ or t₁ = t₂ + t₃."""
        one, other = (times[0], times[-1]) if self.choices.chance(50) else (times[-1], times[0])
        limit: Expression = other if len(times) > 1 else Constant(Fraction(self.choices.one_of((3, 4, 2, 5))))
        if len(times) > 1 and self.choices.chance(50):
            amount: Term = Constant(Fraction(self.choices.one_of((1, 2, 0))))
            amount = other if self.choices.chance(15) else amount
            return Comparison(ComparisonOperator.EQUAL, one, Arithmetic(ArithmeticOperator.ADD, other, amount))
        sides = (one, limit) if self.choices.chance(50) else (limit, one)
        return Comparison(ComparisonOperator.LESS_EQUAL, *sides)

    def _term(self, name: str) -> Term:
        match self.choices.one_of(range(20)):
            case 18:
                return Constant(self.choices.one_of(VALUES[Kind.TEXT]))
            case 19 | 17:
                return Variable(self.choices.one_of(NAMES[Kind.TEXT]))
            case _:
                return Variable(name)
