"""Several integer columns as one: the keys by which rows are grouped, sorted and joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.columnar.arrays import MAX_KEY, Bools, Ints, is_infinite, search, sort_order, starts_group
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

MAX_DIGIT = 1 << 31
"""Ranks never exceed the number of rows, nor digits this: two of them fit one key."""


@dataclass(frozen=True)
class Digit:
    """One column's part in a packed key: its offset, or the ranks of its values where the span is too wide.

    ``ranked_key`` holds the distinct keys so far, when the key had to be replaced by its rank to make room.
    """

    low: int
    span: int
    distinct: Ints | None
    ranked_key: Ints | None


@dataclass(frozen=True)
class Packing:
    """A packing of columns into one key, fitted to one set of rows.

    ``ranked_key`` holds the distinct keys, when they had to be replaced by their ranks to make room for a time.
    """

    digits: tuple[Digit, ...]
    span: int
    ranked_key: Ints | None

    @classmethod
    def fit(cls, columns: Sequence[Ints], length: int, reserve: int = 1) -> tuple[Packing, Ints]:
        """The packing that fits these columns, and their keys; keys times ``reserve`` stay below 2^63."""
        digits: list[Digit] = []
        key, key_span = np.zeros(length, dtype=np.int64), 1
        for position, column in enumerate(columns):
            low, high = (int(column.min()), int(column.max())) if length else (0, 0)
            span, distinct, ranked_key = high - low + 1, None, None
            if span > MAX_DIGIT:
                distinct, column = _ranks(column)
                low, span = 0, len(distinct)
            if key_span * span > MAX_KEY:
                ranked_key, key = _ranks(key)
                key_span = len(ranked_key)
            digits.append(Digit(low, span, distinct, ranked_key))
            key = key * span + (column - low) if position else column - low
            key_span *= span
        ranked_key = None
        if key_span * reserve > MAX_KEY:
            ranked_key, key = _ranks(key)
            key_span = len(ranked_key)
        return cls(tuple(digits), key_span, ranked_key), key

    def pack_foreign(self, columns: Sequence[Ints], length: int) -> tuple[Ints, Bools]:
        """The keys of other rows, and which of them can match a fitted row at all."""
        possible = np.ones(length, dtype=np.bool_)
        key = np.zeros(length, dtype=np.int64)
        for column, digit in zip(columns, self.digits, strict=True):
            if digit.ranked_key is not None:
                key = _find(key, digit.ranked_key, possible)
            if digit.distinct is not None:
                value = _find(column, digit.distinct, possible)
            else:
                value = column - digit.low
                possible &= (value >= 0) & (value < digit.span)
            key = key * digit.span + value * possible
        if self.ranked_key is not None:
            key = _find(key, self.ranked_key, possible)
        return key, possible


@dataclass(frozen=True)
class TimeScale:
    """An order-preserving map of time codes to small non-negative integers, fitted to some codes.

    The order of any time to the fitted codes is kept; other times may fall together.
    """

    low: int
    span: int
    distinct: Ints | None = None

    @classmethod
    def fit(cls, codes: Ints) -> TimeScale:
        """The scale for these codes, infinite ones among them."""
        if not len(codes):
            return cls(-2, 5)
        low, high = int(codes.min()), int(codes.max())
        if low == NEGATIVE_INFINITY or high == POSITIVE_INFINITY:
            return cls.fit(codes[~is_infinite(codes)])
        if high - low < MAX_DIGIT - 8:
            return cls(low - 2, high - low + 5)
        distinct, _ = _ranks(codes)
        return cls(0, 2 * len(distinct) + 3, distinct)

    def place(self, times: Ints) -> Ints:
        """Where times lie on the scale."""
        if self.distinct is None:
            return np.minimum(np.maximum(times - self.low, 0), self.span - 1)
        below = search(self.distinct, times)
        exact = self.distinct[np.minimum(below, len(self.distinct) - 1)] == times
        place = 2 * below + exact + 1
        return np.where(times == NEGATIVE_INFINITY, 0, np.where(times == POSITIVE_INFINITY, self.span - 1, place))


def group_keys(columns: Sequence[Ints], length: int, reserve: int = 1) -> tuple[Ints, int]:
    """One integer a row, equal exactly where the rows agree, and a bound on it."""
    packing, key = Packing.fit(columns, length, reserve)
    return key, packing.span


def _ranks(values: Ints) -> tuple[Ints, Ints]:
    """The distinct values in order, and the rank of every value among them.

    As ``np.unique`` with its inverse, but quick on sorted values and on sorted runs.
    """
    order = sort_order(values)
    ordered = values if order is None else values[order]
    is_first = starts_group(ordered)
    ranks = np.cumsum(is_first) - 1
    if order is not None:
        ranks[order] = ranks.copy()
    return ordered[is_first], ranks


def _find(values: Ints, distinct: Ints, possible: Bools) -> Ints:
    """The ranks of values among the distinct ones; clears ``possible`` where there is none."""
    rank = np.minimum(search(distinct, values), len(distinct) - 1)
    possible &= distinct[rank] == values
    return rank
