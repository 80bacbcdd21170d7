"""Since and until (journal paper, Table 1).

A S B holds at t when B held at some t' before, within the interval, and A on the open stretch between. A pair
of rows of A and B contributes the stretch that starts in B, within reach of A, and ends within reach of A,
where A's reach is one cell wider than A at an open end (rational timeline) or at both ends (integers): t' and t
themselves need no A. Until is since with time running backwards.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thalweg.columnar.arrays import Ints, add_saturating
from thalweg.columnar.budget import reserve
from thalweg.columnar.join import overlapping_pairs
from thalweg.columnar.relation import Relation
from thalweg.columnar.shift import diamond, shift_range
from thalweg.time.timeline import Timeline


def since(
    left: Relation, right: Relation, on: Sequence[tuple[int, int]], low: int, high: int, timeline: Timeline
) -> Relation:
    """left S right where the left operand matters; the left relation must be coalesced.

    The result has all columns of the left, then those of the right that are not joined on. The vacuous case,
    which needs no left row, is :func:`vacuous`.
    """
    assert left.coalesced
    reach = _widened(left, timeline)
    rows_left, rows_right = overlapping_pairs(reach, right, on)
    reserve(len(rows_left), left.arity + right.arity - len(on) + 8)
    start = np.maximum(reach.start[rows_left], right.start[rows_right])
    end = np.minimum(reach.end[rows_left], right.end[rows_right])
    start, end = shift_range(start, end, low, high, timeline)
    end = np.minimum(end, reach.end[rows_left])
    joined = {r for _, r in on}
    columns = tuple(column[rows_left] for column in left.columns) + tuple(
        column[rows_right] for position, column in enumerate(right.columns) if position not in joined
    )
    result = Relation(columns, start, end)
    keep = start <= end
    return result if keep.all() else result.take(keep)


def vacuous(right: Relation, low: int, high: int, timeline: Timeline) -> Relation | None:
    """left S right where no time lies between: t' = t, and t' = t − 1 on the integers. None if never."""
    nearest = 0 if timeline is Timeline.RATIONAL else 1
    if low > nearest:
        return None
    return diamond(right, low, min(high, nearest), timeline)


def _widened(left: Relation, timeline: Timeline) -> Relation:
    before: Ints | int
    after: Ints | int
    before, after = (left.start & 1, left.end & 1) if timeline is Timeline.RATIONAL else (1, 1)
    return left.with_time(add_saturating(left.start, -before), add_saturating(left.end, after))
