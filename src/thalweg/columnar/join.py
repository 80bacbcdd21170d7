"""Joins on shared arguments and overlapping time.

Two ranges overlap exactly when the right one starts within the left one, or the left one starts within the
right one but not at its first cell. Each half is a search in a sorted column, so a join costs sorting and
searching plus its own output: no pair is looked at that does not overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.columnar.arrays import Ints, expand_ranges, sort_order
from thalweg.columnar.keys import Packing, TimeScale
from thalweg.columnar.relation import Relation


def intersection_join(left: Relation, right: Relation, on: Sequence[tuple[int, int]]) -> Relation:
    """Rows of both that agree on the paired columns, over the time they share.

    The result has all columns of the left, then those of the right that are not joined on.
    """
    rows_left, rows_right = overlapping_pairs(left, right, on)
    joined = {r for _, r in on}
    columns = tuple(column[rows_left] for column in left.columns) + tuple(
        column[rows_right] for position, column in enumerate(right.columns) if position not in joined
    )
    start = np.maximum(left.start[rows_left], right.start[rows_right])
    end = np.minimum(left.end[rows_left], right.end[rows_right])
    return Relation(columns, start, end)


def overlapping_pairs(left: Relation, right: Relation, on: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    """The index pairs of rows that agree on the paired columns and overlap in time."""
    nothing = np.empty(0, dtype=np.int64)
    if not len(left) or not len(right):
        return nothing, nothing
    positions = tuple(r for _, r in on)
    index = _index(right, positions)
    key, possible = index.packing.pack_foreign([left.columns[i] for i, _ in on], len(left))
    rows = np.flatnonzero(possible) if not possible.all() else np.arange(len(left))
    if not len(rows):
        return nothing, nothing
    key, start, end = key[rows], left.start[rows], left.end[rows]
    if index.is_disjoint:
        first = index.first_ending_from(key, start)
        last = index.first_starting_after(key, end)
        owner, found = expand_ranges(first, last)
        return rows[owner], index.rows[found]
    first = index.first_starting_from(key, start)
    last = index.first_starting_after(key, end)
    owner, found = expand_ranges(first, last)
    begun = _started_within(index, right, key, start)
    return np.concatenate((rows[owner], rows[begun[0]])), np.concatenate((index.rows[found], begun[1]))


def containing_rows(full: Relation, part: Relation) -> Relation:
    """The rows of a coalesced relation that share time with some row of another of equal arguments."""
    on = [(i, i) for i in range(full.arity)]
    _, rows = overlapping_pairs(part, full, on)
    return full.take(np.unique(rows), coalesced=True)


@dataclass(frozen=True)
class _Index:
    """Rows sorted by key and start; where ranges of one key never overlap, by end as well."""

    packing: Packing
    scale: TimeScale
    rows: Ints
    keys: Ints
    starts: Ints
    ends: Ints | None

    @property
    def is_disjoint(self) -> bool:
        return self.ends is not None

    def first_ending_from(self, key: Ints, time: Ints) -> Ints:
        assert self.ends is not None
        return np.searchsorted(self.ends, self.compose(key, time), side="left")

    def first_starting_from(self, key: Ints, time: Ints) -> Ints:
        return np.searchsorted(self.starts, self.compose(key, time), side="left")

    def first_starting_after(self, key: Ints, time: Ints) -> Ints:
        return np.searchsorted(self.starts, self.compose(key, time), side="right")

    def compose(self, key: Ints, time: Ints) -> Ints:
        return key * self.scale.span + self.scale.place(time)


def _index(relation: Relation, positions: tuple[int, ...]) -> _Index:
    known = relation.indexes.get(positions)
    if not isinstance(known, _Index):
        known = relation.indexes[positions] = _build_index(relation, positions)
    return known


def _build_index(relation: Relation, positions: tuple[int, ...]) -> _Index:
    scale = TimeScale.fit(np.concatenate((relation.start, relation.end)))
    columns = [relation.columns[i] for i in positions]
    packing, key = Packing.fit(columns, len(relation), reserve=scale.span)
    starts = key * scale.span + scale.place(relation.start)
    order = sort_order(starts)
    rows = np.arange(len(relation)) if order is None else order
    ends = None
    if relation.coalesced and len(set(positions)) == relation.arity:
        ends = (key * scale.span + scale.place(relation.end))[rows]
    return _Index(packing, scale, rows, key[rows], starts[rows], ends)


def _started_within(index: _Index, right: Relation, key: Ints, start: Ints) -> tuple[Ints, Ints]:
    """Pairs in which the left row starts inside the right row, after its first cell."""
    composed = index.compose(key, start)
    order = np.argsort(composed)
    sorted_starts = composed[order]
    first = np.searchsorted(sorted_starts, index.starts, side="right")
    last = np.searchsorted(sorted_starts, index.compose(index.keys, right.end[index.rows]), side="right")
    owner, found = expand_ranges(first, last)
    return order[found], index.rows[owner]
