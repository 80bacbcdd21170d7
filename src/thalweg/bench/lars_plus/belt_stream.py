"""The belts of scenario S_A of the LARS+ paper, as batches of facts that have been read."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from thalweg.generators import belts as generated
from thalweg.generators.belts import ALL, HIGHEST, SOME, SPEEDS, Chances
from thalweg.generators.columns import Bools, Ints
from thalweg.syntax.fact_batch import Coded, FactBatch

__all__ = ["ALL", "SOME", "Belts", "Chances"]

TEMPERATURES = tuple(map(Fraction, range(1, HIGHEST + 1)))


@dataclass(frozen=True)
class Belts:
    """Speed and temperature of a belt (the column) at a time point (the row)."""

    drawn: generated.Belts

    @classmethod
    def draw(cls, count: int, times: int, chances: Chances, seed: int, times_longer: int = 1) -> Belts:
        return cls(generated.Belts(count, times, chances, seed, times_longer))

    @property
    def rules(self) -> str:
        return self.drawn.declarations + self.drawn.rules

    @property
    def is_slow(self) -> Bools:
        return self.drawn.is_slow

    @property
    def temperature(self) -> Ints:
        return self.drawn.temperature

    def facts(self, first: int, last: int) -> list[FactBatch]:
        """All facts from a time point to another."""
        count = self.drawn.belts
        row, belt = np.nonzero(np.ones((last - first + 1, count), np.bool_))
        times = Coded(tuple(map(Fraction, range(first, last + 1))), row)
        closed, lines = np.ones(len(row), np.bool_), np.arange(len(row))
        name = Coded(tuple(f"b{number}" for number in range(count)), belt)
        speed = Coded(SPEEDS, self.is_slow[first : last + 1].astype(np.int64).ravel())
        temperature = Coded(TEMPERATURES, self.temperature[first : last + 1].ravel() - 1)
        arguments = {"belt": (name,), "bSpeed": (name, speed), "bTmp": (name, temperature)}
        return [
            FactBatch(predicate, columns, times, times, closed, closed, lines, "belts")
            for predicate, columns in arguments.items()
        ]

    def expected(self, time: int) -> dict[str, int]:
        """How many facts the rules derive at a time point after the first, by hand."""
        return self.drawn.expected(time)
