"""Which stretch of time each predicate must be known on.

To be exact inside [start, end], a predicate read through an operator must be exact further out. Following
every reading once gives the stretch for each predicate; where a cycle of rules reads ever further into the past
(or the future), the stretch is infinite on that side, and the derivations themselves run the other way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from thalweg.plan.build import RulePlan
from thalweg.plan.nodes import Box, Diamond, Node, Scan, Since, Vacuous, inner
from thalweg.time.interval import Endpoint, Interval
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class Stretch:
    """A closed stretch of time, possibly infinite."""

    low: Endpoint
    high: Endpoint

    def union(self, other: Stretch) -> Stretch:
        """The smallest stretch that covers both."""
        return Stretch(min(self.low, other.low), max(self.high, other.high))

    def moved(self, offsets: Stretch) -> Stretch:
        """Where one must look from anywhere in this stretch, looking as far as the offsets say."""
        return Stretch(self.low + offsets.low, self.high + offsets.high)


@dataclass(frozen=True)
class Reading:
    """A rule's head at time 0 depends on a predicate at these offsets."""

    head: str | None
    predicate: str
    offsets: Stretch
    negative: bool
    plan: RulePlan


def readings(plan: RulePlan, timeline: Timeline) -> Iterator[Reading]:
    """Everything a rule reads, as seen from its head."""
    back = Stretch(-plan.reach.end, -plan.reach.start)
    for literal in plan.literals:
        negative = literal in plan.negative
        for predicate, offsets in _reads(literal.node, back, timeline):
            yield Reading(plan.head, predicate, offsets, negative, plan)


def needed_stretches(
    components: Iterable[frozenset[str]],
    edges: Mapping[str | None, list[Reading]],
    wanted: Mapping[str | None, Stretch],
) -> dict[str | None, Stretch]:
    """The stretch on which each predicate must be exact, given those that are asked for.

    ``components`` come in evaluation order: a predicate before those that depend on it. ``edges`` lists the
    readings of each head.
    """
    needs = dict(wanted)
    for reading in edges.get(None, ()):
        _widen(needs, reading)
    for component in reversed(tuple(components)):
        inside = [r for head in component for r in edges.get(head, ()) if r.predicate in component]
        _settle(needs, inside, len(component))
        for head in component:
            for reading in edges.get(head, ()):
                _widen(needs, reading)
    return needs


def _settle(needs: dict[str | None, Stretch], inside: list[Reading], size: int) -> None:
    """Follow the readings within a component to their end; a cycle that goes on widening goes to infinity."""
    for round_number in range(2 * size + 2):
        before = dict(needs)
        changed = [_widen(needs, reading) for reading in inside]
        if not any(changed):
            return
        if round_number >= size:
            for predicate, stretch in needs.items():
                old = before.get(predicate, stretch)
                low = -math.inf if stretch.low < old.low else stretch.low
                high = math.inf if stretch.high > old.high else stretch.high
                needs[predicate] = Stretch(low, high)


def _widen(needs: dict[str | None, Stretch], reading: Reading) -> bool:
    if reading.head not in needs:
        return False
    stretch = needs[reading.head].moved(reading.offsets)
    known = needs.get(reading.predicate)
    needs[reading.predicate] = stretch if known is None else known.union(stretch)
    return needs[reading.predicate] != known


def _reads(node: Node, seen_from: Stretch, timeline: Timeline) -> Iterator[tuple[str, Stretch]]:
    match node:
        case Scan(predicate=predicate):
            yield predicate, seen_from
        case Diamond(interval=interval, child=child) | Box(interval=interval, child=child):
            yield from _reads(child, _looking(seen_from, interval), timeline)
        case Vacuous(interval=interval, child=child, future=future):
            near = 0 if timeline is Timeline.RATIONAL else 1
            yield from _reads(child, seen_from.moved(_direction(0, min(near, interval.end), future)), timeline)
        case Since(interval=interval, left=left, right=right, future=future):
            yield from _reads(left, seen_from.moved(_direction(0, interval.end, future)), timeline)
            span = _direction(interval.start, interval.end, future)
            yield from _reads(right, seen_from.moved(span), timeline)
        case _:
            for child in inner(node):
                yield from _reads(child, seen_from, timeline)


def _looking(seen_from: Stretch, interval: Interval) -> Stretch:
    return seen_from.moved(Stretch(-interval.end, -interval.start))


def _direction(near: Endpoint, far: Endpoint, future: bool) -> Stretch:
    return Stretch(near, far) if future else Stretch(-far, -near)
