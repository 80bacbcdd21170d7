"""Windows of a stream as grounding sees them: a timeline, and the tuples that are left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thalweg.engine.answers.decided import Arguments
from thalweg.model.formula import TimeWindow
from thalweg.time.interval import Endpoint

Instant = int | float
"""A time point, or ``math.inf`` or ``-math.inf``."""

Tuples = frozenset[tuple[int, Arguments]]
"""Atoms of one predicate at time points."""


@dataclass(frozen=True)
class Window:
    """A substream: its timeline [low, high], and of some predicates only these tuples.

    An empty timeline has low > high.
    """

    low: Instant
    high: Instant
    tuples: Mapping[str, Tuples] | None = field(default=None, hash=False)

    def __contains__(self, time: int) -> bool:
        return self.low <= time <= self.high

    def has(self, predicate: str, arguments: Arguments, time: int) -> bool:
        """Whether the window lets an atom of the stream through."""
        if not self.low <= time <= self.high:
            return False
        return self.tuples is None or (time, arguments) in self.tuples.get(predicate, ())


def time_window(window: TimeWindow, of: Window, time: int) -> Window:
    """The time-based window at a time point (LARS paper, Definition 3)."""
    pivot = time // window.slide * window.slide
    low, high = max(of.low, pivot - instant(window.last)), min(pivot + instant(window.next), of.high)
    return Window(low, high, of.tuples)


def instant(end: Endpoint) -> Instant:
    """A whole number as one, which is quicker to calculate with than a fraction; or an infinity."""
    return end if isinstance(end, float) else int(end)
