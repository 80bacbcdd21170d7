"""The metric operators cell by cell, as Table 1 of the journal paper says them.

For a sample time t of a cell, an operator with interval ϱ looks at the times t' whose distance to t is in ϱ.
They lie in certain cells; truth is the same all over a cell; so the operator looks at those cells. Which
ones, counted from t's own cell, depends only on whether t is a point or in a gap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from thalweg.testing.cells import Cells, Grid
from thalweg.time.interval import Interval

Look = Callable[[Cells, int], Cells]
"""``Grid.earlier`` or ``Grid.later``."""


class Quantifier:
    """Quantification over the times at a distance in ϱ, in the past or in the future."""

    def __init__(self, grid: Grid, interval: Interval, look: Look) -> None:
        self.grid = grid
        self.look = look
        self.vacuous_at_once = Fraction(0) in interval
        self.offsets = [_offsets(grid, interval, kind) for kind in range(grid.kinds)]

    def some(self, operand: Cells) -> Cells:
        """Where the operand holds at some t'."""
        result = 0
        for kind, offsets in enumerate(self.offsets):
            found = 0
            for offset in offsets:
                found |= self.look(operand, offset)
            result |= found & self.grid.of_kind[kind]
        return result

    def every(self, operand: Cells) -> Cells:
        """Where the operand holds at all t'."""
        result = 0
        for kind, offsets in enumerate(self.offsets):
            kept = self.grid.of_kind[kind]
            for offset in offsets:
                kept &= self.look(operand, offset)
            result |= kept
        return result

    def unbroken(self, left: Cells, right: Cells) -> Cells:
        """Where right holds at some t' and left at all times strictly between t' and t."""
        result = 0
        for kind, offsets in enumerate(self.offsets):
            result |= self._unbroken(kind, offsets, left, right)
        return result

    def _unbroken(self, kind: int, offsets: range, left: Cells, right: Cells) -> Cells:
        found, held, next_between = 0, self.grid.of_kind[kind], 0
        for offset in offsets:
            for between in self._between(kind, offset)[next_between:]:
                held &= self.look(left, between)
                next_between += 1
            found |= self.look(right, offset) & held
        return found

    def _between(self, kind: int, offset: int) -> range:
        """The offsets of the cells with times strictly between t and a t' in the cell at an offset.

        A gap's times have other times of the gap on both sides; only t' = t has nothing between.
        """
        if offset == 0 and self.vacuous_at_once:
            return range(0)
        first = 0 if _is_gap(self.grid, kind, 0) else 1
        last = offset if _is_gap(self.grid, kind, offset) else offset - 1
        return range(first, last + 1)


def _offsets(grid: Grid, interval: Interval, kind: int) -> range:
    """The offsets of the cells with a t' whose distance to the sample time of a cell of this kind is in ϱ."""
    start, end = (end if isinstance(end, float) else end / grid.distance for end in (interval.start, interval.end))
    distances = Interval(start, end, interval.start_closed, interval.end_closed)
    # As far as the end of ϱ, but never further than one cell beyond the grid: there truth stays what it is.
    furthest = math.ceil(end if interval.is_bounded else max(start, Fraction(grid.count)))
    met = [offset for offset in range(furthest + 2) if _meets(distances, offset, _is_gap(grid, kind, offset))]
    return range(met[0], met[-1] + 1) if met else range(0)


def _meets(distances: Interval, offset: int, is_gap: bool) -> bool:
    """Whether the cell at an offset has a time at one of the distances."""
    if is_gap:
        return distances.start < offset + 1 and offset - 1 < distances.end
    return Fraction(offset) in distances


def _is_gap(grid: Grid, kind: int, offset: int) -> bool:
    """Whether the cell at an offset from a cell of this kind is a gap."""
    return (kind + offset) % grid.kinds == 1
