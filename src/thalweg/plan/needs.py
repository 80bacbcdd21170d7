"""Which stretch of time each predicate must be known on.

To be exact inside [start, end], a predicate read through an operator must be exact further out. Following
every reading once gives the stretch for each predicate; where a cycle of rules reads ever further into the past
(or the future), the stretch is infinite on that side, and the derivations themselves run the other way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from thalweg.analysis.dependency import Component, DependencyGraph
from thalweg.model.program import Rule
from thalweg.model.reads import reads
from thalweg.time.interval import Endpoint, Interval


@dataclass(frozen=True)
class Stretch:
    """A closed stretch of time, possibly infinite."""

    low: Endpoint
    high: Endpoint

    def union(self, other: Stretch) -> Stretch:
        """The smallest stretch that covers both."""
        return Stretch(min(self.low, other.low), max(self.high, other.high))

    def looking(self, offsets: Interval) -> Stretch:
        """Where one looks from anywhere in this stretch, when looking at these offsets."""
        return Stretch(self.low + offsets.start, self.high + offsets.end)


Needs = dict[str, Stretch]


def needed_stretches(
    graph: DependencyGraph, constraints: Iterable[Rule], wanted: Mapping[str, Stretch], asked_for: Stretch
) -> Needs:
    """The stretch on which each predicate must be exact, given those wanted.

    Constraints must be checked wherever answers are asked for.
    """
    needs = dict(wanted)
    for rule in constraints:
        for literal in rule.body:
            for read in reads(literal):
                _widen(needs, read.atom.predicate, asked_for.looking(read.offsets))
    for component in reversed(graph.components):
        _settle(needs, component)
        for predicate in component.predicates:
            for edge in graph.edges_from[predicate]:
                if predicate in needs:
                    _widen(needs, edge.body, needs[predicate].looking(edge.offsets))
    return needs


def _settle(needs: Needs, component: Component) -> None:
    """Follow the readings within a component to their end; a cycle that goes on widening goes to infinity."""
    size = len(component.predicates)
    for round_number in range(2 * size + 2):
        before = dict(needs)
        for edge in component.edges:
            if edge.head in needs:
                _widen(needs, edge.body, needs[edge.head].looking(edge.offsets))
        if needs == before:
            return
        if round_number >= size:
            for predicate in component.predicates:
                if predicate in before:
                    needs[predicate] = _to_infinity(before[predicate], needs[predicate])


def _to_infinity(before: Stretch, after: Stretch) -> Stretch:
    low = -math.inf if after.low < before.low else after.low
    return Stretch(low, math.inf if after.high > before.high else after.high)


def _widen(needs: Needs, predicate: str, stretch: Stretch) -> None:
    known = needs.get(predicate)
    needs[predicate] = stretch if known is None else known.union(stretch)
