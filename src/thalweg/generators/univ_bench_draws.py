"""Seeded numbers, a stream of them for each purpose: what is drawn for one thing does not depend on another.

A longer draw begins with the same numbers as a shorter one, so that a larger data set contains a smaller one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thalweg.generators.univ_bench import Range

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Draws:
    """Numbers for a ``seed`` of 0 or more."""

    seed: int

    def below(self, purpose: str, limits: Ints | int, size: int) -> Ints:
        """Numbers from 0 up to each limit, without it."""
        drawn: Ints = (self._random(purpose).random(size) * limits).astype(np.int32)
        return drawn

    def within(self, purpose: str, ranges: Range, size: int) -> Ints:
        """Numbers from a range."""
        return self.between(purpose, np.full(size, ranges.low, np.int32), np.full(size, ranges.high, np.int32))

    def between(self, purpose: str, low: Ints, high: Ints) -> Ints:
        """Numbers from each low end to each high end, both included."""
        return low + self.below(purpose, high - low + 1, len(low))

    def order(self, purpose: str, groups: Ints) -> npt.NDArray[np.int64]:
        """The rows group by group, those of a group in random order; groups are numbered in order."""
        return np.lexsort((self._random(purpose).random(len(groups)), groups))

    def distinct(self, purpose: str, most: int, limits: Ints) -> Ints:
        """For each limit so many different numbers below it, as a row."""
        uniform = self._random(purpose).random((len(limits), most))
        drawn: Ints = (uniform * (limits[:, None] - np.arange(most))).astype(np.int32)
        for place in range(1, most):
            taken = np.sort(drawn[:, :place], axis=1)
            for earlier in range(place):  # step over the numbers that are taken, from the least
                drawn[:, place] += drawn[:, place] >= taken[:, earlier]
        return drawn

    def _random(self, purpose: str) -> np.random.Generator:
        return np.random.default_rng([self.seed, *purpose.encode()])
