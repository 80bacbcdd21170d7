"""Which stretch of time each predicate must be known on.

To be exact inside [start, end], a predicate read through an operator must be exact further out. Following
every reading once gives the stretch for each predicate; where a cycle of rules reads ever further into the past
(or the future), the stretch is infinite on that side, and the derivations themselves run the other way. A rule can
fire only where the facts it is guarded by hold; so guards end such cycles.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from thalweg.analysis.dependency import Component, DependencyGraph
from thalweg.model.formula import Atom, Bottom
from thalweg.model.program import Rule
from thalweg.model.reads import reads
from thalweg.plan.guards import Extents, guard
from thalweg.plan.stretch import Stretch
from thalweg.time.interval import Interval

Needs = dict[str, Stretch]

_MOST_ROUNDS = 400
"""Rounds of following readings in a large component, after which what still widens is taken to be infinite."""


@dataclass(frozen=True)
class Reading:
    """A rule for ``head`` reads ``body`` at these offsets from its own time; the head holds at ``reach`` from it."""

    head: str | None
    body: str
    offsets: Interval
    reach: Interval
    guard: Stretch | None

    def needed_for(self, stretch: Stretch) -> Stretch | None:
        """Where the body predicate matters for the head on a stretch; None when the rule cannot fire there."""
        firing = self.guard and stretch.looking(self.reach.reflected()).intersection(self.guard)
        return firing and firing.looking(self.offsets)


def rule_readings(rule: Rule, extents: Extents) -> Iterator[Reading]:
    """Everything a rule reads; ⊥ is wrong anywhere, so constraints have no reach."""
    core = rule.head_core
    head = core.predicate if isinstance(core, Atom) else None
    reach = Interval(0, 0) if isinstance(core, Bottom) else rule.reach
    where = guard(rule, extents)
    for literal in rule.body:
        for read in reads(literal):
            yield Reading(head, read.atom.predicate, read.offsets, reach, where)


def needed_stretches(
    graph: DependencyGraph, rules: Iterable[Rule], wanted: Mapping[str, Stretch], asked_for: Stretch, extents: Extents
) -> Needs:
    """The stretch on which each predicate must be exact, given those wanted.

    Constraints must be checked wherever answers are asked for. ``extents`` says where given facts lie, as far as that
    is known.
    """
    by_head: dict[str | None, list[Reading]] = {}
    for rule in rules:
        for reading in rule_readings(rule, extents):
            by_head.setdefault(reading.head, []).append(reading)
    needs = dict(wanted)
    for reading in by_head.get(None, ()):
        _widen(needs, reading.body, reading.needed_for(asked_for))
    for component in reversed(graph.components):
        readings = [reading for name in component.predicates for reading in by_head.get(name, ())]
        _settle(needs, component, [reading for reading in readings if reading.body in component.predicates])
        for reading in readings:
            _follow(needs, reading)
    return needs


def _settle(needs: Needs, component: Component, inner: list[Reading]) -> None:
    """Follow the readings within a component to their end; a cycle that goes on widening goes to infinity.

    Without such a cycle, as many rounds as there are predicates are enough; and as many again after guards have set
    an end to one.
    """
    enough = min(2 * len(component.predicates) + 2, _MOST_ROUNDS)
    for round_number in range(2 * enough + 2):
        before = dict(needs)
        for reading in inner:
            _follow(needs, reading)
        if needs == before:
            return
        if round_number >= enough:
            for predicate in component.predicates:
                if predicate in before:
                    needs[predicate] = _to_infinity(before[predicate], needs[predicate])


def _follow(needs: Needs, reading: Reading) -> None:
    if reading.head in needs:
        _widen(needs, reading.body, reading.needed_for(needs[reading.head]))


def _to_infinity(before: Stretch, after: Stretch) -> Stretch:
    low = -math.inf if after.low < before.low else after.low
    return Stretch(low, math.inf if after.high > before.high else after.high)


def _widen(needs: Needs, predicate: str, stretch: Stretch | None) -> None:
    if stretch is not None:
        known = needs.get(predicate)
        needs[predicate] = stretch if known is None else known.union(stretch)
