"""Streams (LARS paper, Definition 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from thalweg.model.formula import Value
from thalweg.testing.answers import GroundAtom

Valuation = Mapping[int, frozenset[GroundAtom]]


@dataclass(frozen=True, eq=False)
class Stream:
    """S = (T, v): the timeline T = [first, last], without time points where first > last, and what holds when.

    What the valuation has outside the timeline does not count.
    """

    first: int
    last: int
    valuation: Valuation

    @property
    def timeline(self) -> range:
        """T."""
        return range(self.first, self.last + 1)

    def at(self, time: int) -> frozenset[GroundAtom]:
        """v(t)."""
        return self.valuation.get(time, frozenset()) if self.first <= time <= self.last else frozenset()

    def restricted(self, first: int, last: int) -> Stream:
        """The stream on a part of its timeline."""
        return Stream(first, last, self.valuation)

    def tuples(self, predicate: str) -> Iterator[tuple[int, tuple[Value, ...]]]:
        """The atoms of a predicate, each with its time."""
        for time in self.timeline:
            yield from ((time, arguments) for name, arguments in self.at(time) if name == predicate)

    def contents(self) -> dict[int, frozenset[GroundAtom]]:
        """v as the paper writes it: the times at which something holds, with what does."""
        return {time: self.at(time) for time in self.timeline if self.at(time)}


def valuation(tuples: Iterable[tuple[int, GroundAtom]]) -> Valuation:
    """What holds when, from atoms with their times."""
    at: dict[int, set[GroundAtom]] = {}
    for time, atom in tuples:
        at.setdefault(time, set()).add(atom)
    return {time: frozenset(atoms) for time, atoms in at.items()}
