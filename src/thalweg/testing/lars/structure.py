"""Structures (LARS paper, Definition 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from functools import cached_property

from thalweg.model.formula import Formula, Value, Windowed, atoms
from thalweg.testing.grounding import Grounding
from thalweg.testing.lars.stream import Stream
from thalweg.testing.lars.windows import window_of
from thalweg.time.timeline import Timeline

Background = Mapping[str, Collection[tuple[Value, ...]]]
"""The arguments of the facts of each background predicate."""


class Structure:
    """M = ⟨T*, v*, W, B⟩: the stream S* = (T*, v*) and the background data B; W has all windows.

    ``constants`` are values that a variable may have besides those in the data.
    """

    def __init__(self, stream: Stream, background: Background | None = None, constants: Iterable[Value] = ()) -> None:
        self.stream = stream
        self.background = dict(background or {})
        self.constants = frozenset(constants)
        self._windows: dict[tuple[int, Stream, int], Stream] = {}
        self._counted: dict[int, tuple[Windowed, frozenset[str]]] = {}
        self._groundings: dict[int, tuple[Formula, Grounding]] = {}

    def holds(self, stream: Stream, time: int, predicate: str, arguments: tuple[Value, ...]) -> bool:
        """Whether a ∈ v(t) or a ∈ B."""
        if predicate in self.background:
            return arguments in self.background[predicate]
        return (predicate, arguments) in stream.at(time)

    def window(self, formula: Windowed, stream: Stream, time: int) -> Stream:
        """The window that an operator makes of a stream; it counts the predicates that are not background."""
        # A formula is known by its identity, which is its own as long as it is kept.
        key = (id(formula), stream, time)
        if key not in self._windows:
            predicates = frozenset(atom.predicate for atom in atoms(formula.operand)).difference(self.background)
            _, counted = self._counted.setdefault(id(formula), (formula, predicates))
            self._windows[key] = window_of(formula.window, stream, time, counted)
        return self._windows[key]

    def grounding(self, formula: Formula) -> Grounding:
        """The grounding of a formula, made once."""
        if id(formula) not in self._groundings:
            self._groundings[id(formula)] = (formula, Grounding([formula], Timeline.INTEGER))
        return self._groundings[id(formula)][1]

    def arguments(self, predicate: str) -> Collection[tuple[Value, ...]]:
        """Those of the atoms of a predicate that hold sometime."""
        return self.background.get(predicate) or self._times.get(predicate, {})

    def times(self, predicate: str, arguments: tuple[Value, ...]) -> Iterable[Fraction]:
        """The time points at which an atom holds."""
        return self.points() if predicate in self.background else self._times[predicate][arguments]

    def points(self) -> Iterable[Fraction]:
        """T*."""
        return map(Fraction, self.stream.timeline)

    def domain(self) -> Iterable[Value]:
        """The constants, the values in what holds, and all time points."""
        return self._domain

    @cached_property
    def _domain(self) -> frozenset[Value]:
        known = (arguments for relation in (*self._times.values(), *self.background.values()) for arguments in relation)
        return self.constants.union(self.points(), *known)

    @cached_property
    def _times(self) -> Mapping[str, Mapping[tuple[Value, ...], list[Fraction]]]:
        times: dict[str, dict[tuple[Value, ...], list[Fraction]]] = {}
        for time in self.stream.timeline:
            for predicate, arguments in self.stream.at(time):
                times.setdefault(predicate, {}).setdefault(arguments, []).append(Fraction(time))
        return times
