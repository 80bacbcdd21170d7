"""What a formula of a window rests on, time point by time point (LARS paper, Definition 7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from thalweg.explain.atoms import Binding, ground, pattern_of
from thalweg.explain.evidence import Evidence
from thalweg.explain.times import whole
from thalweg.explain.truth import Truth, time_of
from thalweg.explain.values import compare
from thalweg.explain.views import View, time_view, tuple_view
from thalweg.explain.wording import formula_text
from thalweg.model.formula import (
    All,
    And,
    At,
    Atom,
    BinaryMetric,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Metric,
    Not,
    Or,
    Since,
    Some,
    TimeWindow,
    Top,
    TupleWindow,
    Until,
    Variable,
    Windowed,
    atoms,
    variables,
)
from thalweg.time.interval import ALWAYS, Interval, point
from thalweg.time.interval_set import IntervalSet

MOST_STEPS = 20_000
MOST_TIMES = 1_000
"""After so many looks at a formula, or from so many times, it is enough to say which facts it reads."""


_Found = TypeVar("_Found")


class _TooLongError(Exception):
    """There is too much to look at, or nothing to show."""


@dataclass
class WindowWalk:
    """Collects evidence for formulas of windows."""

    truth: Truth
    evidence: Evidence
    _steps: int = 0
    _views: dict[tuple[Windowed, View | None, int], View] = field(default_factory=dict)

    def collect(self, formula: Windowed, binding: Binding, times: IntervalSet) -> bool:
        """What makes a formula hold at times at which it does; False when that takes too long to say."""
        found = Evidence()
        walk = WindowWalk(self.truth, found)
        try:
            for part in reversed(times.intervals):
                walk._backwards(formula, binding, part)
        except _TooLongError:
            return False
        for atom, held in found.facts.items():
            self.evidence.add_fact(atom, held)
        for text in found.conditions:
            self.evidence.add_condition(text)
        return True

    def _backwards(self, formula: Windowed, binding: Binding, part: Interval) -> None:
        """From the last time on, as a tuple among the last was among them ever since it came."""
        inside = part.to_integers()
        if inside is None or not inside.is_bounded:
            raise _TooLongError
        first, time, walked = int(inside.start), int(inside.end), 0
        whole_stream = self._stream()
        while time >= first:
            witness = self._witness(formula, binding, time, whole_stream)
            if witness is None:
                self._walk(formula, binding, time, whole_stream)
            time = time - 1 if witness is None else witness - 1
            walked += 1
            if walked > MOST_TIMES:
                raise _TooLongError

    def _witness(self, formula: Windowed, binding: Binding, time: int, view: View) -> int | None:
        """The time of a tuple that was among the last ones since, where one is all that the formula needs."""
        match formula:
            case Windowed(
                window=TupleWindow(next=0), operand=Some(operand=Atom() as atom) | At(operand=Atom() as atom)
            ):
                inside = self._view(formula, view, time)
                if isinstance(formula.operand, At):
                    moment = time_of(formula.operand.time, binding)
                    candidates = [] if moment is None else [int(moment)]
                else:
                    named = ground(atom, binding)
                    shown = (inside.tuples or {}).get(atom.predicate, frozenset())
                    candidates = sorted((t for t, values in shown if named and values == named.values), reverse=True)
                for candidate in candidates:
                    if candidate <= time and self._holds(atom, binding, candidate, inside):
                        self._walk(atom, binding, candidate, inside)
                        return candidate
        return None

    def _walk(self, formula: Formula, binding: Binding, time: int, view: View) -> None:
        """Evidence for a formula that holds at a time in a view."""
        match formula:
            case Atom():
                atom = ground(formula, binding)
                assert atom is not None
                self.evidence.add_fact(atom, whole(point(time), self.truth.known.timeline))
            case Comparison():
                self.evidence.add_condition(formula_text(formula, binding))
            case Not():
                self.evidence.add_condition(f"{formula_text(formula, binding)}, in its window, at {time}")
            case And(operands=operands):
                for operand in operands:
                    self._walk(operand, binding, time, view)
            case Or(operands=operands):
                ways = ((operand, way) for operand in operands for way in self._extensions(operand, binding, view))
                self._walk(*_first(way for way in ways if self._holds(*way, time, view)), time, view)
            case Windowed(operand=operand):
                self._walk(operand, binding, time, self._view(formula, view, time))
            case Some(operand=operand) | DiamondMinus(operand=operand) | DiamondPlus(operand=operand):
                points = self._looked_at(formula, time, view)
                self._walk(operand, binding, _first(p for p in points if self._holds(operand, binding, p, view)), view)
            case All(operand=operand) | BoxMinus(operand=operand) | BoxPlus(operand=operand):
                for each in self._looked_at(formula, time, view):
                    self._walk(operand, binding, each, view)
            case At(operand=operand, time=term):
                moment = time_of(term, binding)
                assert moment is not None
                self._walk(operand, binding, int(moment), view)
            case Since() | Until():
                self._walk_since(formula, binding, time, view)

    def _walk_since(self, formula: Since | Until, binding: Binding, time: int, view: View) -> None:
        for when in self._looked_at(formula, time, view):
            if self._is_unbroken(formula, binding, time, when, view):
                self._walk(formula.right, binding, when, view)
                for each in _between(time, when):
                    self._walk(formula.left, binding, each, view)
                return

    def _holds(self, formula: Formula, binding: Binding, time: int, view: View) -> bool:
        """M, S, t ⊩ α for the part of the stream that is in view."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise _TooLongError
        match formula:
            case Top():
                return True
            case Bottom():
                return False
            case Atom():
                return self._atom_holds(formula, binding, time, view)
            case Comparison():
                return compare(formula, binding)
            case And(operands=operands):
                return all(self._holds(operand, binding, time, view) for operand in operands)
            case Or(operands=operands):
                ways = ((operand, way) for operand in operands for way in self._extensions(operand, binding, view))
                return any(self._holds(*way, time, view) for way in ways)
            case Not(operand=operand):
                extended = self._extensions(operand, binding, view)
                return not any(self._holds(operand, each, time, view) for each in extended)
            case Windowed(operand=operand):
                return self._holds(operand, binding, time, self._view(formula, view, time))
            case Some(operand=operand) | DiamondMinus(operand=operand) | DiamondPlus(operand=operand):
                return any(self._holds(operand, binding, t, view) for t in self._looked_at(formula, time, view))
            case All(operand=operand):
                points = self._looked_at(formula, time, view)
                return bool(points) and all(self._holds(operand, binding, each, view) for each in points)
            case BoxMinus(operand=operand) | BoxPlus(operand=operand):
                return all(self._holds(operand, binding, t, view) for t in self._looked_at(formula, time, view))
            case At(operand=operand, time=term):
                moment = time_of(term, binding)
                inside = moment is not None and view.first <= moment <= view.last
                return inside and self._holds(operand, binding, int(moment or 0), view)
            case Since() | Until():
                looked_at = self._looked_at(formula, time, view)
                return any(self._is_unbroken(formula, binding, time, when, view) for when in looked_at)
        raise AssertionError(f"{type(formula).__name__} stands in no window")

    def _is_unbroken(self, formula: Since | Until, binding: Binding, time: int, when: int, view: View) -> bool:
        return self._holds(formula.right, binding, when, view) and all(
            self._holds(formula.left, binding, each, view) for each in _between(time, when)
        )

    def _atom_holds(self, atom: Atom, binding: Binding, time: int, view: View) -> bool:
        named = ground(atom, binding)
        if named is None:
            return False
        if atom.predicate in self.truth.known.program.background:
            return bool(self.truth.known.times(atom.predicate, named.values))
        return view.shows(named, time) and bool(self.truth.of(atom, binding, point(time)))

    def _extensions(self, formula: Formula, binding: Binding, view: View) -> Iterator[Binding]:
        """The bindings with values for variables that only a part of a formula has: those that atoms have, or times."""
        missing = [v.name for v in dict.fromkeys(variables(formula)) if v.name not in binding]
        if not missing:
            yield binding
            return
        for atom in atoms(formula):
            names = [t.name if isinstance(t, Variable) and t.name in missing else None for t in atom.arguments]
            if any(names):
                for values in self.truth.known.matching(atom.predicate, pattern_of(atom, binding), ALWAYS):
                    more = {name: value for name, value in zip(names, values, strict=True) if name is not None}
                    yield from self._extensions(formula, {**binding, **more}, view)
                return
        if not view.is_bounded:
            raise _TooLongError
        for time in view.points:
            yield from self._extensions(formula, {**binding, missing[0]: Fraction(time)}, view)

    def _view(self, formula: Windowed, view: View, time: int) -> View:
        outer = self._stream() if formula.of_stream else view
        key = formula, None if outer == self._stream() else outer, time
        if outer.tuples is not None or key not in self._views:
            window = formula.window
            if isinstance(window, TimeWindow):
                return time_view(window, outer, time)
            names = {atom.predicate for atom in atoms(formula.operand)} - self.truth.known.program.background
            made = tuple_view(window, outer, time, names, self.truth)
            if outer.tuples is not None:
                return made
            self._views[key] = made
        return self._views[key]

    def _stream(self) -> View:
        return View(*self.truth.known.history.timeline)

    def _looked_at(self, formula: Formula, time: int, view: View) -> Sequence[int]:
        """The time points that some, all or a metric operator looks at, nearest first."""
        if not isinstance(formula, Metric | BinaryMetric):
            if not view.is_bounded:
                raise _TooLongError
            return sorted(view.points, key=lambda each: (each > time, abs(each - time)))
        distances = formula.interval.to_integers()
        if distances is None:
            return range(0)
        if not distances.is_bounded:
            raise _TooLongError
        near, far = int(distances.start), int(distances.end)
        if isinstance(formula, DiamondMinus | BoxMinus | Since):
            return range(time - near, time - far - 1, -1)
        return range(time + near, time + far + 1)


def _first(found: Iterable[_Found]) -> _Found:
    """The first of what was found; without any there is nothing to show."""
    for each in found:
        return each
    raise _TooLongError


def _between(time: int, when: int) -> Iterable[int]:
    return range(min(time, when) + 1, max(time, when))
