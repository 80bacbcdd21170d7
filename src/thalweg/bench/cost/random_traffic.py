"""Facts about vehicles, as batches that have been read, in strides of any length.

Other than in generated traffic, every vehicle reports at every time point: as many facts as possible for a vehicle.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from thalweg.generators.traffic import KINDS, LONGEST_STOP, PLACES
from thalweg.syntax.fact_batch import Coded, FactBatch

Choices = npt.NDArray[np.int64]
"""What was chosen for a vehicle (the column) at a time point (the row)."""


@dataclass(frozen=True)
class Traffic:
    """What vehicles do at the time points 1, 2, …; for each kind of predicate the one that holds."""

    names: tuple[str, ...]
    chosen: dict[tuple[str, ...], Choices]

    @classmethod
    def draw(cls, vehicles: int, times: int, seed: int) -> Traffic:
        random = np.random.default_rng(seed)
        names = tuple(f"veh{number}" for number in range(vehicles))
        return cls(names, {kind: random.integers(0, len(kind), (times, vehicles)) for kind in KINDS})

    @property
    def times(self) -> int:
        return len(self.chosen[PLACES])

    @property
    def facts(self) -> int:
        return sum(choices.size for choices in self.chosen.values())

    def stream(self, stride: int) -> list[tuple[int, list[FactBatch]]]:
        """The facts in strides of so many time points, with the last time point of each."""
        ends = range(stride, self.times + stride, stride)
        return [(min(end, self.times), self._batches(end - stride, end)) for end in ends]

    def short_stops(self) -> npt.NDArray[np.bool_]:
        """Who has just ended a short stop and when, by hand: at its place for one to four time points, and no more."""
        there = self.chosen[PLACES] == PLACES.index("Pos")
        found = np.zeros(there.shape, np.bool_)
        for length in range(1, LONGEST_STOP + 1):
            stopped = ~there[length + 1 :] & ~there[: -length - 1]
            for back in range(1, length + 1):
                stopped &= there[length + 1 - back : self.times - back]
            found[length + 1 :] |= stopped
        return found

    def _batches(self, first: int, last: int) -> list[FactBatch]:
        return [
            self._batch(predicate, first, choices[first:last] == number)
            for kind, choices in self.chosen.items()
            for number, predicate in enumerate(kind)
        ]

    def _batch(self, predicate: str, first: int, holds: npt.NDArray[np.bool_]) -> FactBatch:
        row, vehicle = np.nonzero(holds)
        times = Coded(tuple(Fraction(first + 1 + number) for number in range(len(holds))), row)
        closed = np.ones(len(row), np.bool_)
        return FactBatch(
            predicate, (Coded(self.names, vehicle),), times, times, closed, closed, np.arange(len(row)), "traffic"
        )
