"""Rows that agree on some columns, whatever their time: joins, semi-joins and groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thalweg.columnar.arrays import Bools, Ints, expand_ranges, sort_order, starts_group
from thalweg.columnar.budget import reserve
from thalweg.columnar.keys import Packing, group_keys


def agreeing_pairs(left: Sequence[Ints], right: Sequence[Ints], sizes: tuple[int, int]) -> tuple[Ints, Ints]:
    """The index pairs of rows that agree on all columns; all pairs where there is no column."""
    size, other_size = sizes
    if not left:
        reserve(size * other_size, 3)
        return np.repeat(np.arange(size), other_size), np.tile(np.arange(other_size), size)
    if not size or not other_size:
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing
    reserve(size + other_size, 6)
    packing, keys = Packing.fit(right, other_size)
    order = np.argsort(keys, kind="stable")
    wanted, possible = packing.pack_foreign(left, size)
    rows = possible.nonzero()[0]
    ordered, wanted = keys[order], wanted[rows]
    owner, found = expand_ranges(np.searchsorted(ordered, wanted), np.searchsorted(ordered, wanted, side="right"))
    reserve(len(owner), 2)
    return rows[owner], order[found]


def occurs_in(rows: Sequence[Ints], others: Sequence[Ints], sizes: tuple[int, int]) -> Bools:
    """Which rows agree with some other row on all columns."""
    size, other_size = sizes
    if not size or not other_size:
        return np.zeros(size, dtype=np.bool_)
    if not rows:
        return np.ones(size, dtype=np.bool_)
    reserve(size + other_size, 6)
    packing, keys = Packing.fit(others, other_size)
    wanted, possible = packing.pack_foreign(rows, size)
    ordered = np.sort(keys)
    place = np.minimum(np.searchsorted(ordered, wanted), other_size - 1)
    found: Bools = possible & (ordered[place] == wanted)
    return found


def grouped(columns: Sequence[Ints], size: int) -> tuple[Ints, Ints]:
    """The rows in an order in which equal ones stand together, the first of them first, and where groups begin."""
    reserve(size, 8)
    keys, span = group_keys(columns, size, reserve=max(size, 1))
    order = sort_order(keys * size + np.arange(size), span * max(size, 1)) if size else None
    rows = np.arange(size) if order is None else order
    return rows, starts_group(keys[rows]).nonzero()[0]


def group_numbers(columns: Sequence[Ints], size: int) -> Ints:
    """A number for every row, from 0 on, equal exactly where the rows agree on all columns."""
    rows, starts = grouped(columns, size)
    numbers = np.empty(size, dtype=np.int64)
    marks = np.zeros(size, dtype=np.int64)
    marks[starts] = 1
    numbers[rows] = np.cumsum(marks) - 1
    return numbers
