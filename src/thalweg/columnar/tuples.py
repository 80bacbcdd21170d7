"""Tuple-based and partition-based windows (LARS paper, Definition 2 and the text after it)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thalweg.columnar.arrays import Bools, Ints, starts_group
from thalweg.columnar.budget import reserve
from thalweg.columnar.keys import group_keys
from thalweg.columnar.values import Values, sort_ranks
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY


def in_order(columns: Sequence[Ints], times: Ints, groups: Sequence[Ints], values: Values) -> tuple[Ints, Ints]:
    """The rows by group, time and arguments, and the key of the group of each, in that order.

    Simultaneous tuples are ordered by their arguments, position by position: numbers by size, then texts by code
    points. That makes the choice among them, which the paper leaves open, the same on every run and every shard.
    """
    reserve(len(times), 2 * len(columns) + 8)
    key, _ = group_keys(groups, len(times))
    order = np.lexsort((times, key))
    tied = _tied(key[order], times[order])
    if tied.any():
        rows = order[tied]
        ranks = [_ranks(column[rows], values) for column in reversed(columns)]
        # Each run of ties keeps its own places, so the rows that are not tied stay where they are.
        order[tied] = rows[np.lexsort((*ranks, times[rows], key[rows]))]
    return order, key[order]


def last_tuples(times: Ints, key: Ints, count: int) -> tuple[Ints, Ints]:
    """For tuples in order: the reference times at which each is among the last ``count`` of its group.

    It is from its own time on, until the ``count``-th after it comes.
    """
    end = np.full(len(times), POSITIVE_INFINITY)
    pushed_out = _same_group(key, count)
    if count == 0:
        return times, times - 1
    end[:-count][pushed_out] = times[count:][pushed_out] - 1
    return times, end


def next_tuples(times: Ints, key: Ints, count: int) -> tuple[Ints, Ints]:
    """For tuples in order: the reference times at which each is among the next ``count`` of its group."""
    start = np.full(len(times), NEGATIVE_INFINITY)
    if count == 0:
        return times, times - 1
    waits = _same_group(key, count)
    start[count:][waits] = times[:-count][waits]
    return start, times - 1


def newest(key: Ints, count: int) -> Bools:
    """For tuples in order: which are the last ``count`` of their group."""
    kept = np.ones(len(key), dtype=np.bool_)
    if count == 0:
        return ~kept
    kept[:-count][_same_group(key, count)] = False
    return kept


def _same_group(key: Ints, count: int) -> Bools:
    """For every tuple but the last ``count``: whether the ``count``-th after it is of its group."""
    same: Bools = key[count:] == key[: len(key) - count] if count else np.empty(0, dtype=np.bool_)
    return same


def _tied(key: Ints, times: Ints) -> Bools:
    first = starts_group(key) | starts_group(times)
    tied: Bools = ~first
    tied[:-1] |= ~first[1:]
    return tied


def _ranks(codes: Ints, values: Values) -> Ints:
    if not (codes & 1).any():
        return codes
    distinct, inverse = np.unique(codes, return_inverse=True)
    ranks = np.array(sort_ranks(values.distinct(distinct)), dtype=np.int64)
    return ranks[inverse]
