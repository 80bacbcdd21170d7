"""The cells of a finite stretch of time, on each of which no truth ever changes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from thalweg.time.interval import Endpoint, Interval
from thalweg.time.timeline import Timeline

Cells = int
"""A set of cells as a bit mask: bit i is cell i."""


@dataclass(frozen=True)
class Grid:
    """The cells between two time points, counted from 0.

    On the rational timeline points and the gaps between them take turns: cell 2i is a point, cell 2i + 1 the
    gap after it. When ``step``, the distance of the points, divides every endpoint in a program and its
    facts, truth can change at points only; so one sample time decides a cell: the point, or the middle of the
    gap. On the integer timeline a cell is an integer.

    Before the first cell truth is taken to be as on the first, after the last as on the last.
    """

    timeline: Timeline
    step: Fraction
    start: Fraction
    count: int

    @classmethod
    def around(cls, timeline: Timeline, step: Fraction, start: Fraction, end: Fraction) -> Grid:
        """The grid that begins at a point before the start and ends at a point after the end."""
        first, last = math.ceil(start / step) - 1, math.floor(end / step) + 1
        steps = last - first
        return cls(timeline, step, first * step, steps * (2 if timeline is Timeline.RATIONAL else 1) + 1)

    @property
    def distance(self) -> Fraction:
        """How far apart the sample times of neighbouring cells are."""
        return self.step / self.kinds

    @property
    def kinds(self) -> int:
        """Points and gaps; on the integer timeline points only."""
        return 2 if self.timeline is Timeline.RATIONAL else 1

    @cached_property
    def everywhere(self) -> Cells:
        """All cells."""
        return (1 << self.count) - 1

    @cached_property
    def of_kind(self) -> tuple[Cells, ...]:
        """The points and the gaps; on the integer timeline the points."""
        return tuple(sum(1 << i for i in range(kind, self.count, self.kinds)) for kind in range(self.kinds))

    def earlier(self, cells: Cells, cells_back: int) -> Cells:
        """The cells i for which cell i − cells_back is in the set."""
        if cells_back >= self.count:
            return self.everywhere if cells & 1 else 0
        before_the_first = (1 << cells_back) - 1 if cells & 1 else 0
        return (cells << cells_back) & self.everywhere | before_the_first

    def later(self, cells: Cells, cells_ahead: int) -> Cells:
        """The cells i for which cell i + cells_ahead is in the set."""
        last = cells >> (self.count - 1)
        if cells_ahead >= self.count:
            return self.everywhere if last else 0
        after_the_last = self.everywhere << (self.count - cells_ahead) & self.everywhere if last else 0
        return cells >> cells_ahead | after_the_last

    def cells_of(self, interval: Interval) -> Cells:
        """The cells inside an interval whose endpoints are points of the grid."""
        whole = interval.to_integers() if self.timeline is Timeline.INTEGER else interval
        if whole is None:
            return 0
        first = self._position(whole.start) + (not whole.start_closed)
        last = self._position(whole.end) - (not whole.end_closed)
        first, last = max(first, 0), min(last, self.count - 1)
        return (1 << last + 1) - (1 << first) if first <= last else 0

    def intervals_of(self, cells: Cells) -> tuple[Interval, ...]:
        """The cells as intervals, those of neighbouring cells joined."""
        return tuple(self._interval(first, last) for first, last in _runs(cells))

    def _position(self, time: Endpoint) -> int:
        """The cell of a point of the grid, whether or not it is between the first and the last."""
        if isinstance(time, float):
            return self.count + 1 if time > 0 else -2
        position = (time - self.start) / self.distance
        assert position.denominator == 1
        return position.numerator

    def _interval(self, first: int, last: int) -> Interval:
        starts_in_gap, ends_in_gap = (bool(cell % self.kinds) for cell in (first, last))
        start = self.start + (first - starts_in_gap) * self.distance
        end = self.start + (last + ends_in_gap) * self.distance
        return Interval(start, end, not starts_in_gap, not ends_in_gap)


def cell_numbers(cells: Cells) -> Iterator[int]:
    """The cells of a set, in order."""
    return (cell for cell in range(cells.bit_length()) if cells >> cell & 1)


def _runs(cells: Cells) -> Iterator[tuple[int, int]]:
    """The first and last cell of each stretch of neighbouring cells."""
    position = 0
    while cells:
        skipped = (cells & -cells).bit_length() - 1
        cells >>= skipped
        length = (~cells & cells + 1).bit_length() - 1
        yield position + skipped, position + skipped + length - 1
        cells >>= length
        position += skipped + length
