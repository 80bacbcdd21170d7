"""Facts of a program of LARS lie on its timeline."""

from __future__ import annotations

import numpy as np

from thalweg.columnar.arrays import is_infinite
from thalweg.columnar.relation import Relation
from thalweg.columnar.shift import clip
from thalweg.errors import DataError, Diagnostic
from thalweg.time.interval import Interval
from thalweg.time.ticks import Ticks

HINT = "declare the timeline with another start or end (timeline integer from 0 to 100.), or leave the fact out"


def on_timeline(name: str, relation: Relation, timeline: tuple[int, int], ticks: Ticks) -> Relation:
    """The facts, where they hold without an end cut off at that of the timeline; others may not lie beyond it."""
    low, high = timeline
    early = (relation.start < low) & ~is_infinite(relation.start)
    late = (relation.end > high) & ~is_infinite(relation.end)
    outside = np.flatnonzero(early | late)
    if len(outside):
        row = int(outside[0])
        interval = ticks.decode(int(relation.start[row]), int(relation.end[row]))
        raise DataError([off_timeline(name, interval, ticks.decode(low, high))])
    return clip(relation, low, high)


def off_timeline(name: str, interval: Interval, timeline: Interval, place: str | None = None) -> Diagnostic:
    """A fact that lies outside the timeline."""
    when = f"at {interval.start}" if interval.is_punctual else f"at {interval}"
    return Diagnostic("E437", None, f"a fact of {name} holds {when}, outside the timeline {timeline}", HINT, place)
