"""Taking time away from rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thalweg.columnar.arrays import starts_group
from thalweg.columnar.budget import reserve
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.join import overlapping_pairs
from thalweg.columnar.relation import Relation


def subtract(left: Relation, right: Relation, on: Sequence[tuple[int, int]]) -> Relation:
    """The left rows without the time of right rows that agree with them on the paired columns.

    The pairs must cover all columns of the right: it is a condition on rows, and binds nothing.
    """
    right = coalesce(right)
    rows_left, rows_right = overlapping_pairs(left, right, on)
    if not len(rows_left):
        return left
    reserve(len(rows_left) + len(left), left.arity + 10)
    # Overlaps of one left row are disjoint and stand together in the order of time; what remains are the gaps:
    # row      ├──────────────────────┤
    # taken        ├───┤     ├──┤
    # remains  ├──┤     ├───┤    ├────┤
    taken_start, taken_end = right.start[rows_right], right.end[rows_right]
    is_touched = np.zeros(len(left), dtype=np.bool_)
    is_touched[rows_left] = True
    untouched = np.flatnonzero(~is_touched)
    first = starts_group(rows_left)
    last = np.append(np.flatnonzero(first)[1:], len(first)) - 1
    before_start = np.where(first, left.start[rows_left], np.concatenate(([0], taken_end[:-1])) + 1)
    after_start = taken_end[last] + 1
    pieces_row = np.concatenate((untouched, rows_left, rows_left[last]))
    start = np.concatenate((left.start[untouched], before_start, after_start))
    end = np.concatenate((left.end[untouched], taken_start - 1, left.end[rows_left[last]]))
    keep = np.flatnonzero(start <= end)
    rows = pieces_row[keep]
    return Relation(tuple(column[rows] for column in left.columns), start[keep], end[keep])
