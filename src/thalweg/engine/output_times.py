"""The output time domain T of a stream query (journal paper, Definition 3)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from thalweg.columnar.arrays import Ints, expand_ranges
from thalweg.columnar.relation import Relation
from thalweg.errors import UsageError
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class OutputTimes:
    """When answers are wanted.

    ``INTERVALS``: as they are. ``DATA``: at the time points of the data (the finite ends of its intervals).
    ``every(s)``: at the multiples of s. ``at(times)``: at given times.
    """

    kind: str
    step: Fraction | None = None
    times: tuple[Fraction, ...] = ()

    @classmethod
    def of(cls, wanted: OutputTimes | str | Iterable[Fraction | int]) -> OutputTimes:
        """From a text, or from given times."""
        if isinstance(wanted, OutputTimes):
            return wanted
        return cls.parse(wanted) if isinstance(wanted, str) else cls.at(wanted)

    @classmethod
    def parse(cls, text: str) -> OutputTimes:
        """``intervals``, ``data``, or ``every:S``."""
        if text in ("intervals", "data"):
            return cls(text)
        kind, _, step = text.partition(":")
        try:
            length = Fraction(step)
        except (ValueError, ZeroDivisionError):
            length = Fraction(0)
        if kind != "every" or length <= 0:
            raise UsageError(f"{text} is not an output time: write data, every:S or intervals")
        return cls("every", length)

    @classmethod
    def every(cls, step: Fraction | int) -> OutputTimes:
        """At the multiples of a step."""
        if step <= 0:
            raise UsageError(f"answers every {step}: the step must be positive")
        return cls("every", Fraction(step))

    @classmethod
    def at(cls, times: Iterable[Fraction | int]) -> OutputTimes:
        """At given times."""
        return cls("at", times=tuple(sorted(map(Fraction, times))))

    @property
    def exact_times(self) -> tuple[Fraction, ...]:
        """The times that the tick must be able to express."""
        return self.times if self.step is None else (self.step,)

    def points(self, low: int, high: int, tick: Fraction, timeline: Timeline, data: Ints) -> Ints | None:
        """The codes of the wanted time points in [low, high]; None when intervals are wanted as they are."""
        per_tick = 2 if timeline is Timeline.RATIONAL else 1
        if self.kind == "intervals":
            return None
        if self.kind == "data":
            return data[(data >= low) & (data <= high)]
        if self.step is not None:
            stride = int(self.step / tick) * per_tick
            first = max(0, math.ceil(low / stride))
            return np.arange(first, high // stride + 1, dtype=np.int64) * stride
        codes = np.array([int(time / tick) * per_tick for time in self.times], dtype=np.int64)
        return codes[(codes >= low) & (codes <= high)]


INTERVALS = OutputTimes("intervals")
DATA = OutputTimes("data")


def at_points(relation: Relation, points: Ints) -> Relation:
    """The relation at single time points only: a row for each point inside each range."""
    first = np.searchsorted(points, relation.start, side="left")
    last = np.searchsorted(points, relation.end, side="right")
    owner, found = expand_ranges(first, last)
    times = points[found]
    return Relation(tuple(column[owner] for column in relation.columns), times, times)
