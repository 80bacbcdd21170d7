"""Time-based windows on the integer timeline (LARS paper, Definition 3), arguments aside.

A window that slides by d looks from its pivot t' = ⌊t/d⌋ · d. What holds at a pivot holds until the next one.
"""

from __future__ import annotations

import numpy as np

from thalweg.columnar.arrays import Ints, expand_ranges, is_infinite
from thalweg.columnar.budget import reserve
from thalweg.columnar.relation import Relation
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

MOST_POINTS = 100_000_000
"""More time points than this are not laid out one by one."""


def from_pivots(relation: Relation, slide: int) -> Relation:
    """From what holds at pivots to what holds until the next: [a, b] has the pivots that are multiples in it.

        a      b             slide 4
    ├───┼──────┼───┤         multiples 4, 8, 12
        ├──────────┤
    """
    reserve(len(relation), 6)
    start = np.where(is_infinite(relation.start), relation.start, -(-relation.start // slide) * slide)
    end = np.where(is_infinite(relation.end), relation.end, relation.end // slide * slide + slide - 1)
    moved = relation.with_time(start, end)
    keep = start <= end
    return moved if keep.all() else moved.take(keep)


def near_pivots(relation: Relation, slide: int, ahead: int) -> Relation:
    """The times at most ``ahead`` after their pivot: those that lie in their own window."""
    reserve(len(relation), 8)
    _refuse_endless(relation)
    first, last = relation.start // slide, relation.end // slide
    _refuse_many(int((last - first + 1).sum()))
    owner, pivot = expand_ranges(first, last + 1)
    reserve(len(owner), relation.arity + 8)
    start = np.maximum(relation.start[owner], pivot * slide)
    end = np.minimum(relation.end[owner], pivot * slide + ahead)
    keep = start <= end
    return Relation(tuple(column[owner[keep]] for column in relation.columns), start[keep], end[keep])


def to_the_ends(relation: Relation, low: int, high: int) -> Relation:
    """Ranges that reach the end of the timeline go on beyond it: there a window asks for nothing."""
    start = np.where(relation.start <= low, NEGATIVE_INFINITY, relation.start)
    end = np.where(relation.end >= high, POSITIVE_INFINITY, relation.end)
    return relation.with_time(start, end, coalesced=relation.coalesced)


def instants(relation: Relation) -> tuple[Ints, Ints]:
    """Every time point of every row: the row's number and the point."""
    reserve(len(relation), 4)
    _refuse_endless(relation)
    _refuse_many(int((relation.end - relation.start + 1).sum()))
    return expand_ranges(relation.start, relation.end + 1)


def references(times: Ints, last: int, ahead: int, slide: int) -> tuple[Ints, Ints]:
    """The reference times whose windows hold each time point, as ranges."""
    reserve(len(times), 5)
    low = np.full(len(times), NEGATIVE_INFINITY) if ahead == POSITIVE_INFINITY else -(-(times - ahead) // slide) * slide
    high = np.full(len(times), POSITIVE_INFINITY) if last == POSITIVE_INFINITY else (times + last) // slide * slide
    return low, high if last == POSITIVE_INFINITY else high + slide - 1


def _refuse_endless(relation: Relation) -> None:
    if is_infinite(relation.start).any() or is_infinite(relation.end).any():
        raise OverflowError("there are infinitely many time points to go through")


def _refuse_many(count: int) -> None:
    if count > MOST_POINTS:
        raise OverflowError(f"there are {count} time points to go through one by one, more than {MOST_POINTS}")
