"""The belts of scenario S_A of the LARS+ paper, as batches of facts that have been read."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from thalweg.generators.belts import HIGHEST, SPEEDS, Belts
from thalweg.syntax.fact_batch import Coded, FactBatch

TEMPERATURES = tuple(map(Fraction, range(1, HIGHEST + 1)))


def belt_batches(drawn: Belts, first: int, last: int) -> list[FactBatch]:
    """All facts from a time point to another."""
    row, belt = np.nonzero(np.ones((last - first + 1, drawn.belts), np.bool_))
    times = Coded(tuple(map(Fraction, range(first, last + 1))), row)
    closed, lines = np.ones(len(row), np.bool_), np.arange(len(row))
    name = Coded(tuple(f"b{number}" for number in range(drawn.belts)), belt)
    speed = Coded(SPEEDS, drawn.is_slow[first : last + 1].astype(np.int64).ravel())
    temperature = Coded(TEMPERATURES, drawn.temperature[first : last + 1].ravel() - 1)
    arguments = {"belt": (name,), "bSpeed": (name, speed), "bTmp": (name, temperature)}
    return [
        FactBatch(predicate, columns, times, times, closed, closed, lines, "belts")
        for predicate, columns in arguments.items()
    ]
