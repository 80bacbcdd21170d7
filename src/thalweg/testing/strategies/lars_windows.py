"""Windows, and intervals of metric operators on the integer timeline."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from thalweg.model.formula import (
    AnyMetric,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    Formula,
    TimeWindow,
    TupleWindow,
    Window,
    atoms,
)
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.lars_knobs import LarsKnobs
from thalweg.time.interval import Endpoint, Interval

_LAST = (2, 3, 1, 0, 5)


class WindowWriter:
    """Writes windows."""

    def __init__(self, choices: Choices, knobs: LarsKnobs) -> None:
        self.choices = choices
        self.knobs = knobs

    def time_window(self) -> TimeWindow:
        """Last, next and slide, as long as the slide is no longer than the window."""
        last = self._length(_LAST)
        ahead = self._length((1, 2, 3)) if self.knobs.future and self.choices.chance(35) else Fraction(0)
        return TimeWindow(last, ahead, self._slide(last, ahead))

    def window(self, operand: Formula, counted: bool) -> Window:
        """A window for a formula; with ``counted`` it may count tuples."""
        if not (counted and self.knobs.tuples and self.choices.chance(40)):
            return self.time_window()
        last, ahead = self.choices.one_of((1, 2, 3, 0)), 0
        if self.knobs.future:
            ahead = self.choices.one_of((1, 2) if last == 0 else (0, 0, 0, 1, 2))
        return TupleWindow(max(last, 1 - ahead), ahead, self._positions(operand))

    def metric(self) -> tuple[type[AnyMetric], Interval]:
        """A unary metric operator with its interval."""
        operators: tuple[type[AnyMetric], ...] = (DiamondMinus, BoxMinus)
        if self.knobs.future:
            operators = (*operators, DiamondPlus, BoxPlus)
        return self.choices.one_of(operators), self.interval()

    def interval(self) -> Interval:
        """The interval of a metric operator."""
        start = self.choices.one_of(range(3))
        if self.knobs.unbounded and self.choices.chance(12):
            return Interval(Fraction(start), math.inf)
        return Interval(Fraction(start), Fraction(start + self.choices.one_of(range(3))))

    def _length(self, lengths: Iterable[int]) -> Endpoint:
        if self.knobs.unbounded and self.choices.chance(10):
            return math.inf
        return Fraction(self.choices.one_of(tuple(lengths)))

    def _slide(self, last: Endpoint, ahead: Endpoint) -> int:
        if not self.knobs.slides or not self.choices.chance(25):
            return 1
        longest = 4 if math.inf in (last, ahead) else int(max(1, last + ahead))
        return self.choices.one_of(range(1, min(longest, 4) + 1))

    def _positions(self, operand: Formula) -> tuple[int, ...] | None:
        common = min(len(atom.arguments) for atom in atoms(operand))
        if not common or not self.choices.chance(50):
            return None
        return self.choices.one_of(((0,), (0, 1), (1,)) if common > 1 else ((0,),))
