"""Several integer columns as one: the keys by which rows are grouped, sorted and joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.columnar.arrays import Bools, Ints
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

MAX_KEY = 1 << 62
MAX_DIGIT = 1 << 31
"""A digit or a ranked key never exceeds the number of rows, so two of them fit one key."""


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
    """A packing of columns into one key, fitted to one set of rows."""

    digits: tuple[Digit, ...]
    span: int

    @classmethod
    def fit(cls, columns: Sequence[Ints], length: int, reserve: int = 1) -> tuple[Packing, Ints]:
        """The packing that fits these columns, and their keys; keys times ``reserve`` stay below 2^62."""
        digits: list[Digit] = []
        key, key_span = np.zeros(length, dtype=np.int64), 1
        for column in columns:
            low, span, distinct = _column_span(column)
            ranked_key = None
            if key_span * span * reserve >= MAX_KEY and key_span > 1:
                ranked_key, key = np.unique(key, return_inverse=True)
                key_span = len(ranked_key)
            if key_span * span * reserve >= MAX_KEY and distinct is None:
                distinct = np.unique(column)
                low, span = 0, len(distinct)
            digits.append(Digit(low, span, distinct, ranked_key))
            key = key * span + (column - low if distinct is None else np.searchsorted(distinct, column))
            key_span *= span
        if key_span * reserve >= MAX_KEY:
            raise OverflowError("too many distinct values to combine in one key")
        return cls(tuple(digits), key_span), key

    def pack_foreign(self, columns: Sequence[Ints], length: int) -> tuple[Ints, Bools]:
        """The keys of other rows, and which of them can match a fitted row at all."""
        possible = np.ones(length, dtype=np.bool_)
        key = np.zeros(length, dtype=np.int64)
        for column, digit in zip(columns, self.digits, strict=True):
            if digit.ranked_key is not None:
                key = _rank(key, digit.ranked_key, possible)
            if digit.distinct is not None:
                value = _rank(column, digit.distinct, possible)
            else:
                value = column - digit.low
                possible &= (value >= 0) & (value < digit.span)
            key = key * digit.span + np.where(possible, value, 0)
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
        finite = codes[(codes != NEGATIVE_INFINITY) & (codes != POSITIVE_INFINITY)]
        if not len(finite):
            return cls(-2, 5)
        low, high = int(finite.min()), int(finite.max())
        if high - low < MAX_DIGIT - 8:
            return cls(low - 2, high - low + 5)
        distinct = np.unique(finite)
        return cls(0, 2 * len(distinct) + 3, distinct)

    def place(self, times: Ints) -> Ints:
        """Where times lie on the scale."""
        if self.distinct is None:
            return np.clip(times, self.low, self.low + self.span - 1) - self.low
        below = np.searchsorted(self.distinct, times, side="left")
        exact = self.distinct[np.minimum(below, len(self.distinct) - 1)] == times
        place = 2 * below + exact + 1
        return np.where(times == NEGATIVE_INFINITY, 0, np.where(times == POSITIVE_INFINITY, self.span - 1, place))


def group_keys(columns: Sequence[Ints], length: int, reserve: int = 1) -> tuple[Ints, int]:
    """One integer a row, equal exactly where the rows agree, and a bound on it."""
    packing, key = Packing.fit(columns, length, reserve)
    return key, packing.span


def _column_span(column: Ints) -> tuple[int, int, Ints | None]:
    if not len(column):
        return 0, 1, None
    low, high = int(column.min()), int(column.max())
    if high - low < MAX_DIGIT:
        return low, high - low + 1, None
    distinct = np.unique(column)
    return 0, len(distinct), distinct


def _rank(values: Ints, distinct: Ints, possible: Bools) -> Ints:
    """The ranks of values among the distinct ones; clears ``possible`` where there is none."""
    rank = np.minimum(np.searchsorted(distinct, values), len(distinct) - 1)
    possible &= distinct[rank] == values
    return rank
