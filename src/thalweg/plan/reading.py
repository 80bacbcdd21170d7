"""How far a plan node looks into the past and the future."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from thalweg.model.reads import window_span
from thalweg.plan.build import RulePlan
from thalweg.plan.nodes import (
    Box,
    Carried,
    Diamond,
    FromPivots,
    Instants,
    Left,
    Node,
    Scan,
    Since,
    Vacuous,
    inner,
    scanned,
)
from thalweg.time.interval import ALWAYS, Endpoint, add


@dataclass(frozen=True)
class Reading:
    """A node's value at time 0 depends on a predicate at these offsets."""

    predicate: str
    first: Endpoint
    last: Endpoint


def rule_readings(plan: RulePlan) -> Iterator[Reading]:
    """What a rule's head at time 0 depends on."""
    for literal in plan.literals:
        yield from node_readings(literal.node, -plan.reach.end, -plan.reach.start)


def node_readings(node: Node, first: Endpoint = Fraction(0), last: Endpoint = Fraction(0)) -> Iterator[Reading]:
    """What a node depends on when it is evaluated at the times [first, last].

    An operator without a bound in the past is taken to look no further than it must: what lies beyond is
    remembered in another way (the history, or a carried since).
    """
    match node:
        case Scan(predicate=predicate):
            yield Reading(predicate, first, last)
        case Diamond(interval=interval, child=child) | Box(interval=interval, child=child):
            far = interval.start if interval.end == math.inf else interval.end
            yield from node_readings(child, first - far, last - interval.start)
        case Vacuous(interval=interval, child=child, future=future):
            near = min(interval.end, 1)
            yield from node_readings(child, first - (0 if future else near), last + (near if future else 0))
        case Since(interval=interval, left=left, right=right, future=future):
            far = interval.start if interval.end == math.inf and not future else interval.end
            back, ahead = (0, far) if future else (far, 0)
            yield from node_readings(left, first - back, last + ahead)
            yield from node_readings(right, first - back, last + ahead)
        case Carried(name=name, child=child):
            # The facts themselves are needed when they are new; later on the carried ones stand for them.
            yield Reading(name, first, last)
            for reading in node_readings(child, last, last):
                yield Reading(reading.predicate, min(last, reading.last), reading.last)
        case FromPivots(slide=slide, child=child):
            yield from node_readings(child, first - (slide - 1), last)
        case Instants(window=window, child=child) if not node.rough:
            span = ALWAYS if window is None else window_span(window)
            yield from node_readings(child, add(span.start, first), add(span.end, last))
        case Left(span=span):
            # A window over tuples is kept apart: beyond its own time nothing else is read.
            back = span.start if span.start > -math.inf else Fraction(0)
            ahead = span.end if span.end < math.inf else Fraction(0)
            yield from (Reading(name, first + back, last + ahead) for name in scanned(node))
        case _:
            for child in inner(node):
                yield from node_readings(child, first, last)
