"""Streams of LARS+ (paper, Section 2), to which atoms can be added."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction

from thalweg.model.formula import Value
from thalweg.model.program import Fact, Program
from thalweg.testing.grounding import EMPTY, ground
from thalweg.testing.lars.answer_sets import TimedAtom
from thalweg.testing.lars.timeline import background_predicates, timeline_of
from thalweg.time.interval import Interval


class GrowingStream:
    """S = (T, v), with v(t) by predicate."""

    def __init__(self, timeline: range, atoms: Iterable[TimedAtom] = ()) -> None:
        self.timeline = timeline
        self._at: dict[tuple[int, str], set[tuple[Value, ...]]] = {}
        for atom in atoms:
            self.add(atom)

    def add(self, atom: TimedAtom) -> bool:
        """Make an atom hold at a time of T; say whether that is new. Outside T nothing holds."""
        predicate, arguments, time = atom
        known = self._at.setdefault((time, predicate), set())
        if time not in self.timeline or arguments in known:
            return False
        known.add(arguments)
        return True

    def at(self, time: int, predicate: str) -> Collection[tuple[Value, ...]]:
        """The arguments of the atoms of a predicate in v(t)."""
        return self._at.get((time, predicate), ())

    def __iter__(self) -> Iterator[TimedAtom]:
        return ((name, arguments, time) for (time, name), known in self._at.items() for arguments in known)


def timeline(program: Program) -> range:
    """T, of a program that says where it ends."""
    grid = timeline_of(program, ())
    return range(int(grid.start), int(grid.start) + grid.count)


def data(program: Program, facts: Iterable[Fact]) -> Iterator[TimedAtom]:
    """The data stream; background facts hold at all times."""
    background, points = background_predicates(program), timeline(program)
    for fact in (*program.facts, *facts):
        always = fact.atom.predicate in background
        for time in points:
            if always or Fraction(time) in fact.interval:
                yield fact.atom.predicate, ground(fact.atom, EMPTY), time


def timed_atoms(
    answers: Mapping[tuple[str, tuple[Value, ...]], Iterable[Interval]], points: Iterable[int]
) -> Iterator[TimedAtom]:
    """Answers as atoms with their times, for the times asked for."""
    points = tuple(points)
    for (predicate, arguments), intervals in answers.items():
        held = tuple(intervals)
        for time in points:
            if any(Fraction(time) in interval for interval in held):
                yield predicate, arguments, time
