"""Joins on shared arguments and overlapping time.

Two ranges overlap exactly when the right one starts within the left one, or the left one starts within the
right one but not at its first cell. Each half is a search in a sorted column, so a join costs sorting and
searching plus its own output: no pair is looked at that does not overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.columnar.arrays import Ints, expand_ranges, sort_order, starts_group
from thalweg.columnar.budget import reserve
from thalweg.columnar.keys import Packing, TimeScale
from thalweg.columnar.relation import Relation


def intersection_join(left: Relation, right: Relation, on: Sequence[tuple[int, int]]) -> Relation:
    """Rows of both that agree on the paired columns, over the time they share.

    The result has all columns of the left, then those of the right that are not joined on.
    """
    rows_left, rows_right = overlapping_pairs(left, right, on)
    joined = {r for _, r in on}
    reserve(len(rows_left), left.arity + right.arity - len(joined) + 4)
    columns = tuple(column[rows_left] for column in left.columns) + tuple(
        column[rows_right] for position, column in enumerate(right.columns) if position not in joined
    )
    start = np.maximum(left.start[rows_left], right.start[rows_right])
    end = np.minimum(left.end[rows_left], right.end[rows_right])
    return Relation(columns, start, end)


def overlapping_pairs(left: Relation, right: Relation, on: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    """The index pairs of rows that agree on the paired columns and overlap in time.

    If the right side is coalesced and joined on all its columns, the pairs of one left row stand together, in the
    order of time.
    """
    if not len(left) or not len(right):
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing
    index = _index(right, tuple(r for _, r in on))
    rows, starts, ends = index.locate([left.columns[i] for i, _ in on], left)
    last = np.searchsorted(index.starts, ends, side="right")
    if index.is_disjoint:
        owner, found = expand_ranges(np.searchsorted(index.ends, starts), last)
        reserve(len(owner), 2)
        return rows[owner], index.rows[found]
    owner, found = expand_ranges(np.searchsorted(index.starts, starts), last)
    begun, beginning = _started_within(index, starts)
    reserve(len(owner) + len(begun), 3)
    return (
        np.concatenate((rows[owner], rows[begun])),
        np.concatenate((index.rows[found], index.rows[beginning])),
    )


def containing_rows(full: Relation, part: Relation) -> Relation:
    """The rows of a coalesced relation that share time with some row of another of equal arguments."""
    on = [(i, i) for i in range(full.arity)]
    _, rows = overlapping_pairs(part, full, on)
    chosen = np.zeros(len(full), dtype=np.bool_)
    chosen[rows] = True
    return full.take(chosen, coalesced=True)


@dataclass(frozen=True)
class _Index:
    """Rows sorted by key and start; their keys and times as single numbers.

    Where ranges of one key never overlap, the ends are sorted as well.
    """

    packing: Packing
    scale: TimeScale
    rows: Ints
    starts: Ints
    ends: Ints
    is_disjoint: bool

    def locate(self, columns: Sequence[Ints], other: Relation) -> tuple[Ints, Ints, Ints]:
        """The rows of another relation that may have a match, by key and start, and their starts and ends."""
        reserve(len(other), 8)
        key, possible = self.packing.pack_foreign(columns, len(other))
        rows = possible.nonzero()[0]
        starts, ends = self.compose(key, other.start), self.compose(key, other.end)
        if len(rows) < len(other):
            starts, ends = starts[rows], ends[rows]
        # Searching for sorted values is several times faster, as it stays in cached memory.
        order = sort_order(starts, self.packing.span * self.scale.span)
        return (rows, starts, ends) if order is None else (rows[order], starts[order], ends[order])

    def sharing_key(self, starts: Ints) -> Ints:
        """Where rows lie that share their key with one of the sorted starts; all, when the starts are not few."""
        if 4 * len(starts) > len(self.rows):
            return np.arange(len(self.rows))
        key = starts // self.scale.span
        low = key[starts_group(key)] * self.scale.span
        first, last = np.searchsorted(self.starts, low), np.searchsorted(self.starts, low + self.scale.span)
        return expand_ranges(first, last)[1]

    def compose(self, key: Ints, time: Ints) -> Ints:
        return key * self.scale.span + self.scale.place(time)


def _index(relation: Relation, positions: tuple[int, ...]) -> _Index:
    known = relation.indexes.get(positions)
    if not isinstance(known, _Index):
        known = relation.indexes[positions] = _build_index(relation, positions)
    return known


def _build_index(relation: Relation, positions: tuple[int, ...]) -> _Index:
    reserve(len(relation), 8)
    scale = TimeScale.fit(np.concatenate((relation.start, relation.end)))
    columns = [relation.columns[i] for i in positions]
    packing, key = Packing.fit(columns, len(relation), reserve=scale.span)
    starts, ends = (key * scale.span + scale.place(time) for time in (relation.start, relation.end))
    order = sort_order(starts, packing.span * scale.span)
    rows = np.arange(len(relation)) if order is None else order
    if order is not None:
        starts, ends = starts[order], ends[order]
    is_disjoint = relation.coalesced and len(set(positions)) == relation.arity
    return _Index(packing, scale, rows, starts, ends, is_disjoint)


def _started_within(index: _Index, starts: Ints) -> tuple[Ints, Ints]:
    """Pairs in which one of the sorted starts lies inside an indexed row, after its first cell."""
    near = index.sharing_key(starts)
    first = np.searchsorted(starts, index.starts[near], side="right")
    last = np.searchsorted(starts, index.ends[near], side="right")
    owner, found = expand_ranges(first, last)
    return found, near[owner]
