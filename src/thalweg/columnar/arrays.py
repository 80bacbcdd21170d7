"""Array types, the infinite ends of time, and small helpers shared by the kernels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thalweg.columnar.budget import reserve
from thalweg.time.ticks import FINITE_LIMIT, NEGATIVE_INFINITY, POSITIVE_INFINITY

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

MAX_KEY = (1 << 63) - 1
"""Keys of rows stay below this."""
FEW_RUNS = 8
"""A column of fewer ascending runs is sorted by merging them: relations put together are such columns."""


def is_infinite(codes: Ints) -> Bools:
    """Which codes are ±∞."""
    infinite: Bools = (codes == NEGATIVE_INFINITY) | (codes == POSITIVE_INFINITY)
    return infinite


def add_saturating(codes: Ints, amount: Ints | int) -> Ints:
    """codes + amount, where infinite codes stay as they are; refuses to leave the encoding."""
    moved = codes + amount
    if not _reaches(moved, FINITE_LIMIT):
        return moved
    infinite = is_infinite(codes)
    if _reaches(moved[~infinite], FINITE_LIMIT):
        raise OverflowError("a derived time is out of range of the 64-bit encoding")
    return np.where(infinite, codes, moved)


def _reaches(codes: Ints, limit: int) -> bool:
    # The functions behind max() and min(): on few rows half of the time would go into their wrappers.
    return bool(len(codes)) and bool(np.maximum.reduce(codes) >= limit or np.minimum.reduce(codes) <= -limit)


def expand_ranges(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Lay out the index ranges [first[i], last[i]) one after another.

    Returns, for every element, the i it belongs to and the index itself.

    >>> owner, index = expand_ranges(np.array([5, 0, 7]), np.array([7, 0, 8]))
    >>> owner.tolist(), index.tolist()
    ([0, 0, 2], [5, 6, 7])
    """
    counts = np.maximum(last - first, 0)
    # As a float: the sum of long ranges of time may be beyond 64 bits.
    reserve(int(counts.sum(dtype=np.float64)) + len(counts), 4)
    owner = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    index = np.arange(len(owner)) - before[owner] + first[owner]
    return owner, index


def sort_order(key: Ints, span: int = MAX_KEY) -> Ints | None:
    """The permutation that sorts the key, or None when it is sorted already.

    A caller that knows it gives the ``span``: the keys lie in [0, span).
    """
    size = len(key)
    descents = np.count_nonzero(key[1:] < key[:-1])
    if not descents:
        return None
    if descents < FEW_RUNS:
        return np.argsort(key, kind="stable")
    if span * size < MAX_KEY:
        # Numbers sort far faster than they can be argsorted: carry the row along in the number.
        return np.sort(key * size + np.arange(size)) % size
    return np.argsort(key)


def search(ordered: Ints, values: Ints) -> Ints:
    """``np.searchsorted``, looking values up in their order: near values are found in near, cached memory."""
    order = sort_order(values)
    if order is None:
        return np.searchsorted(ordered, values)
    places = np.empty(len(values), dtype=np.int64)
    places[order] = np.searchsorted(ordered, values[order])
    return places


def starts_group(key: Ints) -> Bools:
    """Where a sorted key differs from the one before it."""
    starts = np.ones(len(key), dtype=np.bool_)
    np.not_equal(key[1:], key[:-1], out=starts[1:])
    return starts
