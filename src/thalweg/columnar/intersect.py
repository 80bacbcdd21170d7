"""Where several relations over the same arguments hold at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thalweg.columnar.arrays import Ints, sort_order
from thalweg.columnar.budget import reserve
from thalweg.columnar.keys import TimeScale, group_keys
from thalweg.columnar.relation import Relation, concat, empty


def intersect(relations: Sequence[Relation]) -> Relation:
    """The time that all of several coalesced relations have in common, coalesced.

    The ranges of one relation never overlap. So at the start of a range all relations hold when the ranges begun so
    far, less those that are over, are as many as the relations; and the next end ends what they have in common:

        one     ├──────┤   ├────┤
        other      ├─────────┤
        both       ├───┤   ├─┤
    """
    arity = relations[0].arity
    if not all(map(len, relations)):
        return empty(arity)
    rows = concat(relations, arity)
    reserve(len(rows), arity + 12)
    scale = TimeScale.fit(np.concatenate((rows.start, rows.end)))
    key, key_span = group_keys(rows.columns, len(rows), reserve=scale.span)
    starts, by_start = _sorted(key * scale.span + scale.place(rows.start), key_span * scale.span)
    ends, by_end = _sorted(key * scale.span + scale.place(rows.end), key_span * scale.span)
    over = ends.searchsorted(starts)
    held = (np.arange(1, len(rows) + 1) - over == len(relations)).nonzero()[0]
    first, last = by_start[held], by_end[over[held]]
    return Relation(tuple(column[first] for column in rows.columns), rows.start[first], rows.end[last], coalesced=True)


def _sorted(key: Ints, span: int) -> tuple[Ints, Ints]:
    order = sort_order(key, span)
    return (key, np.arange(len(key))) if order is None else (key[order], order)
