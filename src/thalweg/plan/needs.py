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
from thalweg.analysis.recursion import on_positive_cycles
from thalweg.model.formula import Atom, Bottom
from thalweg.model.program import Rule
from thalweg.model.reads import reads
from thalweg.plan.guards import EVERYWHERE, Extents, guard
from thalweg.plan.stretch import Stretch
from thalweg.time.interval import Interval

Needs = dict[str, Stretch]

_MOST_STEPS = 400_000
"""How often readings of a component are followed; after that, what still widens is taken to be infinite."""


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
        inside = frozenset(component.predicates)
        _settle(needs, component, [reading for reading in readings if reading.body in inside])
        for reading in readings:
            _follow(needs, reading)
    return needs


def _settle(needs: Needs, component: Component, inner: list[Reading]) -> None:
    """Follow the readings within a component to their end; a cycle that goes on widening goes to infinity.

    Without such a cycle, as many rounds as there are predicates are enough; and as many again after guards have set
    an end to one. A reading is followed again only when the stretch of its head has become wider.
    """
    if not inner:
        return
    by_head: dict[str | None, list[Reading]] = {}
    for reading in inner:
        by_head.setdefault(reading.head, []).append(reading)
    endless = _endless(inner)
    for name in component.predicates:
        if name in needs:
            needs[name] = endless.opened(name, needs[name])
    waiting = {name for name in by_head if name in needs}
    enough, steps = 2 * len(component.predicates) + 2, 0
    for round_number in range(2 * enough + 2):
        if not waiting:
            return
        before: Needs = {}
        for head, readings in by_head.items():
            if head not in waiting:
                continue
            waiting.discard(head)
            steps += len(readings)
            for reading in readings:
                known = needs.get(reading.body)
                _follow(needs, reading)
                if needs.get(reading.body) != known:
                    needs[reading.body] = endless.opened(reading.body, needs[reading.body])
                    waiting.add(reading.body)
                    if known is not None:
                        before.setdefault(reading.body, known)
        if round_number >= enough or steps > _MOST_STEPS:
            for name, narrower in before.items():
                needs[name] = _to_infinity(narrower, needs[name])


@dataclass(frozen=True)
class _Endless:
    """The predicates whose stretches cycles that nothing guards widen for ever: into the past, the future."""

    past: frozenset[str]
    future: frozenset[str]

    def opened(self, predicate: str, stretch: Stretch) -> Stretch:
        """A stretch of a predicate, without the ends that such a cycle takes away."""
        low = -math.inf if predicate in self.past else stretch.low
        high = math.inf if predicate in self.future else stretch.high
        return stretch if (low, high) == (stretch.low, stretch.high) else Stretch(low, high)


def _endless(inner: Iterable[Reading]) -> _Endless:
    free = [reading for reading in inner if reading.guard == EVERYWHERE and reading.head is not None]
    earlier = [(str(each.head), each.body, each.reach.end - each.offsets.start) for each in free]
    later = [(str(each.head), each.body, each.offsets.end - each.reach.start) for each in free]
    return _Endless(on_positive_cycles(earlier), on_positive_cycles(later))


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
