"""Merging ranges of equal arguments that overlap or touch."""

from __future__ import annotations

import numpy as np

from thalweg.columnar.arrays import Bools, Ints, sort_order, starts_group
from thalweg.columnar.budget import reserve
from thalweg.columnar.keys import TimeScale, group_keys
from thalweg.columnar.relation import Relation


def coalesce(relation: Relation) -> Relation:
    """The same facts as maximal ranges, sorted by arguments and time.

    Two closed ranges of codes touch when ``next.start <= end + 1``, on both timelines.
    """
    if relation.coalesced:
        return relation
    if not len(relation):
        return Relation(relation.columns, relation.start, relation.end, coalesced=True)
    reserve(len(relation), relation.arity + 10)
    key, start, end, rows = _sorted_by_group(relation)
    opens = starts_group(key)
    reached = _running_maximum(end, opens)
    opens[1:] |= start[1:] > reached[:-1] + 1
    if opens.all():
        columns = relation.columns if rows is None else tuple(column[rows] for column in relation.columns)
        return Relation(columns, start, end, coalesced=True)
    first = opens.nonzero()[0]
    last = np.append(first[1:], len(relation)) - 1
    kept = first if rows is None else rows[first]
    columns = tuple(column[kept] for column in relation.columns)
    return Relation(columns, start[first], reached[last], coalesced=True)


def _sorted_by_group(relation: Relation) -> tuple[Ints, Ints, Ints, Ints | None]:
    """The keys, starts, ends and numbers of the rows, sorted by arguments and start; None for rows as they are."""
    scale = TimeScale.fit(relation.start)
    key, key_span = group_keys(relation.columns, len(relation), reserve=scale.span)
    order = sort_order(key * scale.span + scale.place(relation.start), key_span * scale.span)
    if order is None:
        return key, relation.start, relation.end, None
    return key[order], relation.start[order], relation.end[order], order


def _running_maximum(end: Ints, first_of_group: Bools) -> Ints:
    """The largest end so far within each group of consecutive rows."""
    if not ((end[1:] < end[:-1]) & ~first_of_group[1:]).any():
        return end
    scale = TimeScale.fit(end)
    lifted = scale.place(end) + np.cumsum(first_of_group) * scale.span
    # The row that holds the running maximum, found by where the maximum was last raised.
    raises = lifted == np.maximum.accumulate(lifted)
    return end[np.maximum.accumulate(raises * np.arange(len(end)))]
