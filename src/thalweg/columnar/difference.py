"""Which rows two relations do not share."""

from __future__ import annotations

import numpy as np

from thalweg.columnar.arrays import Bools, sort_order
from thalweg.columnar.budget import reserve
from thalweg.columnar.keys import group_keys
from thalweg.columnar.relation import Relation


def row_difference(one: Relation, other: Relation) -> tuple[Relation, Relation]:
    """The rows of one that the other lacks, and the rows of the other that the first lacks.

    Rows are compared as they stand, times included; neither relation may hold a row twice.
    """
    if not len(one) or not len(other):
        return one, other
    if len(one) == len(other) and all(
        np.array_equal(left, right) for left, right in zip(_columns(one), _columns(other), strict=True)
    ):
        return one.take(np.empty(0, dtype=np.int64)), other.take(np.empty(0, dtype=np.int64))
    alone = _occurs_once(one, other)
    return (
        one.take(alone[: len(one)], coalesced=one.coalesced),
        other.take(alone[len(one) :], coalesced=other.coalesced),
    )


def _occurs_once(one: Relation, other: Relation) -> Bools:
    reserve(len(one) + len(other), one.arity + 10)
    columns = [np.concatenate(pair) for pair in zip(_columns(one), _columns(other), strict=True)]
    key, span = group_keys(columns, len(one) + len(other))
    order = sort_order(key, span)
    ordered = key if order is None else key[order]
    paired = np.zeros(len(key), dtype=np.bool_)
    same = ordered[1:] == ordered[:-1]
    paired[1:] |= same
    paired[:-1] |= same
    alone = np.empty(len(key), dtype=np.bool_)
    alone[slice(None) if order is None else order] = ~paired
    return alone


def _columns(relation: Relation) -> tuple[np.ndarray, ...]:
    return (*relation.columns, relation.start, relation.end)
