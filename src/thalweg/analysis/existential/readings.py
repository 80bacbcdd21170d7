"""The ways in which a body can hold, each weakened to positive atoms at some times.

LARS+ (Section 2) knows few kinds of atoms; here any formula of the language is read as a conjunction of them that
holds whenever the formula does. Weaker bodies have more consequences, so if the chase ends with them it ends with the
original ones (the argument of Theorem 3). What is only a restriction is dropped: negation, the left operands of since
and until (which bind nothing), and aggregates without groups. A disjunction is read in as many ways as it has parts,
an aggregate with groups in two: with an empty set, and with a member of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    At,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Or,
    Since,
    Some,
    Term,
    TimeWindow,
    Until,
    Variable,
    Window,
    Windowed,
)
from thalweg.model.program import Program
from thalweg.model.reads import NOW as HERE
from thalweg.model.reads import window_span
from thalweg.syntax.ast import ComparisonOperator
from thalweg.time.interval import Interval, point
from thalweg.time.timeline import Timeline

NOW = Variable("now#")
"""N: the time at which a body is evaluated (LARS+ paper, Section 4)."""

_MOST_READINGS = 256


class Bound(NamedTuple):
    """A time lies at a distance in ``offsets`` from the base."""

    base: Term
    offsets: Interval


Point = tuple[Bound, ...]
"""A time point to which all the bounds apply; without any it can be every time point."""


class Occurrence(NamedTuple):
    """An atom that holds at a time."""

    atom: Atom
    time: Point


class Reading(NamedTuple):
    """One way in which a formula can hold: its atoms hold, its times lie where they must, its comparisons are true.

    ``several`` are in one where there would be too many: then not all its atoms need hold at once.
    """

    occurrences: tuple[Occurrence, ...] = ()
    times: tuple[tuple[Term, Point], ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    several: bool = False

    def beside(self, other: Reading) -> Reading:
        """Both readings together."""
        return Reading(
            self.occurrences + other.occurrences,
            self.times + other.times,
            self.comparisons + other.comparisons,
            self.several or other.several,
        )


_TRUE = Reading()


def readings(program: Program, body: Iterable[Formula], *, windows: bool) -> list[Reading]:
    """The ways in which a body can hold.

    With ``windows`` a time in a window lies no farther away than the window reaches; the paper's wfree forgets that.
    """
    reader = _Reader(program.timeline is Timeline.INTEGER, program.background, windows)
    return reader.all_of(body, _Place())


@dataclass(frozen=True)
class _Place:
    """Where a formula is evaluated, in which window, and whether that time is known to lie in the window."""

    at: Point = (Bound(NOW, HERE),)
    window: Point = ()
    inside: bool = True

    def moved(self, offsets: Interval) -> _Place:
        if offsets == HERE:
            return self
        return replace(self, at=_moved(self.at, offsets), inside=False)

    def somewhere(self) -> _Place:
        return replace(self, at=self.window, inside=True)


@dataclass(frozen=True)
class _Reader:
    integers: bool
    background: Collection[str]
    windows: bool

    def all_of(self, formulas: Iterable[Formula], place: _Place) -> list[Reading]:
        found = [_TRUE]
        for formula in formulas:
            parts = self.read(formula, place)
            if len(found) * len(parts) > _MOST_READINGS:
                found, parts = [_at_once(found)], [_at_once(parts)]
            found = [reading.beside(part) for reading in found for part in parts]
        return found

    def read(self, formula: Formula, place: _Place) -> list[Reading]:
        match formula:
            case Atom(predicate=predicate):
                # What holds always holds now, too, however far outside the timeline it is looked for.
                time = _Place().at if predicate in self.background else place.at
                return [Reading((Occurrence(formula, time),))]
            case Bottom():
                return []
            case Comparison():
                return [Reading(comparisons=(formula,))]
            case And(operands=operands):
                return self.all_of(operands, place)
            case Or(operands=operands):
                return [reading for operand in operands for reading in self.read(operand, place)]
            case DiamondMinus(interval=interval, operand=operand) | Since(interval=interval, right=operand):
                return self._at_some(operand, place, interval.reflected())
            case DiamondPlus(interval=interval, operand=operand) | Until(interval=interval, right=operand):
                return self._at_some(operand, place, interval)
            case BoxMinus(interval=interval, operand=operand):
                return self._at_all(operand, place, interval.reflected())
            case BoxPlus(interval=interval, operand=operand):
                return self._at_all(operand, place, interval)
            case Windowed(operand=operand):
                return self.read(operand, self._in_window(formula, place))
            case Some(operand=operand):
                return self.read(operand, place.somewhere())
            case All(operand=operand):
                return self.read(operand, place if place.inside else place.somewhere())
            case At(operand=operand, time=time):
                there = replace(place, at=(Bound(time, HERE),), inside=True)
                lies = Reading(times=((time, place.window),))
                return [lies.beside(reading) for reading in self.read(operand, there)]
            case Aggregate(body=body, groups=groups) if groups:
                # Its set may be empty, unless it gives its groups their values.
                return [_TRUE, *self.all_of(body, place)]
            case _:
                return [_TRUE]

    def _at_some(self, operand: Formula, place: _Place, offsets: Interval) -> list[Reading]:
        whole = offsets.to_integers() if self.integers else offsets
        return [] if whole is None else self.read(operand, place.moved(whole))

    def _at_all(self, operand: Formula, place: _Place, offsets: Interval) -> list[Reading]:
        """What holds at all these times holds at the nearest of them."""
        whole = offsets.to_integers() if self.integers else offsets
        return [_TRUE] if whole is None else self.read(operand, place.moved(_nearest(whole)))

    def _in_window(self, formula: Windowed, place: _Place) -> _Place:
        inside = place.inside and _reaches_the_present(formula.window)
        if not self.windows:
            return replace(place, window=(), inside=inside)
        window = _moved(place.at, window_span(formula.window))
        return replace(place, window=window if formula.of_stream else (*window, *place.window), inside=inside)


def _moved(time: Point, offsets: Interval) -> Point:
    return tuple(Bound(base, before.plus(offsets)) for base, before in time)


def _nearest(offsets: Interval) -> Interval:
    """The offset that is nearest to 0; where there is none because the end is open, an interval with one near it."""
    if Fraction(0) in offsets:
        return HERE
    end, is_closed = (offsets.start, offsets.start_closed) if offsets.start >= 0 else (offsets.end, offsets.end_closed)
    return point(end) if is_closed and not isinstance(end, float) else offsets


def _reaches_the_present(window: Window) -> bool:
    """Whether a window contains the time at which it is evaluated, wherever its pivot is then."""
    return not isinstance(window, TimeWindow) or window.next >= window.slide - 1


def _at_once(parts: Sequence[Reading]) -> Reading:
    """Too many readings as one from which values flow at least as they do from any of them, at any times."""
    atoms = dict.fromkeys(occurrence.atom for reading in parts for occurrence in reading.occurrences)
    equal = dict.fromkeys(each for reading in parts for each in reading.comparisons if is_equation(each))
    always = set.intersection(*({term for term, _ in reading.times} for reading in parts))
    times = dict.fromkeys(term for term, _ in parts[0].times if term in always and isinstance(term, Variable))
    anywhere = tuple(Occurrence(atom, ()) for atom in atoms)
    return Reading(anywhere, tuple((term, ()) for term in times), tuple(equal), several=True)


def is_equation(comparison: Comparison) -> bool:
    """Whether it says that two variables have the same value."""
    sides = (comparison.left, comparison.right)
    return comparison.operator is ComparisonOperator.EQUAL and all(isinstance(side, Variable) for side in sides)
