"""Array types, the infinite ends of time, and small helpers shared by the kernels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thalweg.time.ticks import FINITE_LIMIT, NEGATIVE_INFINITY, POSITIVE_INFINITY

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def is_infinite(codes: Ints) -> Bools:
    """Which codes are ±∞."""
    infinite: Bools = (codes == NEGATIVE_INFINITY) | (codes == POSITIVE_INFINITY)
    return infinite


def add_saturating(codes: Ints, amount: Ints | int) -> Ints:
    """codes + amount, where infinite codes stay as they are; refuses to leave the encoding."""
    moved = codes + amount
    infinite = is_infinite(codes)
    if infinite.any():
        moved = np.where(infinite, codes, moved)
    finite = moved[~infinite] if infinite.any() else moved
    if len(finite) and (finite.max() >= FINITE_LIMIT or finite.min() <= -FINITE_LIMIT):
        raise OverflowError("a derived time is out of range of the 64-bit encoding")
    return moved


def expand_ranges(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Lay out the index ranges [first[i], last[i]) one after another.

    Returns, for every element, the i it belongs to and the index itself.

    >>> owner, index = expand_ranges(np.array([5, 0, 7]), np.array([7, 0, 8]))
    >>> owner.tolist(), index.tolist()
    ([0, 0, 2], [5, 6, 7])
    """
    counts = np.maximum(last - first, 0)
    owner = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    index = np.arange(len(owner)) - before[owner] + first[owner]
    return owner, index


def sort_order(key: Ints) -> Ints | None:
    """The permutation that sorts the key, or None when it is sorted already."""
    if len(key) < 2 or bool((key[1:] >= key[:-1]).all()):
        return None
    return np.argsort(key)
