"""Data streams: facts and when they arrive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from thalweg.model.program import Program
from thalweg.testing.hypotheses.atoms import GroundAtom
from thalweg.testing.hypotheses.delays import delay, future_possible


class Arrival(NamedTuple):
    """A fact, and the time point at which the stream delivers it."""

    atom: GroundAtom
    arrives: int


def slices(arrivals: Iterable[Arrival], last: int | None = None, first: int = 0) -> list[frozenset[GroundAtom]]:
    """D|_τ for every τ from the first time point to the last; a fact is delivered once, the first time."""
    arrivals = sorted(arrivals, key=lambda each: each.arrives)
    end = max([first - 1, *(each.arrives for each in arrivals)]) if last is None else last
    seen: set[GroundAtom] = set()
    found: list[set[GroundAtom]] = [set() for _ in range(first, end + 1)]
    for atom, arrives in arrivals:
        if first <= arrives <= end and atom not in seen:
            found[arrives - first].add(atom)
            seen.add(atom)
    return [frozenset(each) for each in found]


def histories(delivered: Iterable[Iterable[GroundAtom]]) -> list[frozenset[GroundAtom]]:
    """D_τ for every τ."""
    found: list[frozenset[GroundAtom]] = []
    for each in delivered:
        found.append(frozenset(each).union(*found[-1:]))
    return found


def in_time(program: Program, arrival: Arrival) -> bool:
    """Whether a fact arrives neither before its time nor later than δ allows.

    It is judged by the slices that were complete before it came.
    """
    return arrival.atom.time <= arrival.arrives and future_possible(program, arrival.atom, arrival.arrives - 1)


def arrival_times(program: Program, atom: GroundAtom) -> range:
    """When a fact may arrive."""
    return range(atom.time, atom.time + int(delay(program, atom.predicate, atom.values)) + 1)


def all_arrivals(program: Program, facts: Sequence[GroundAtom]) -> Iterator[tuple[Arrival, ...]]:
    """All ways in which facts may arrive within δ."""
    for times in product(*(arrival_times(program, fact) for fact in facts)):
        yield tuple(map(Arrival, facts, times))


def on_time(facts: Iterable[GroundAtom]) -> tuple[Arrival, ...]:
    """Without any delay."""
    return tuple(Arrival(fact, fact.time) for fact in facts)
