"""Scenario S_A of the LARS+ paper (Appendix D): conveyor belts with sensors of speed and temperature."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from thalweg.syntax.fact_batch import Coded, FactBatch

RULES = """
timeline integer.
input belt(X).
input bSpeed(X, Y).
input bTmp(X, Y: integer).
background slow(Y).
background high(Y).

exists Y: bOpr(X, Y) :- belt(X).
exists Z: brkG(X, Z) :- window[last {some}] some bSpeed(X, Y), slow(Y).
exists Z: incId(Z, X) :- window[last {all}] all bTmp(X, Y), high(Y).
assign(Y, Z) :- incId(Y, X), bOpr(X, Z).
block(X) :- window[last {all}] all incId(Z, X).

slow(low).
high(8).
high(9).
"""
"""The rules (19) to (23), for windows of lengths to be filled in."""

SOME, ALL = 5, 3
"""The lengths of the paper's windows."""

SPEEDS = ("high", "low")
TEMPERATURES = tuple(map(Fraction, range(1, 10)))
FIRST_HIGH = 8

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Chances:
    """p1, p2 and p3: that a belt is slow, that it gets hot, and that it then stays hot until rule (21) fires."""

    slow: float
    hot: float
    lasting: float

    def __str__(self) -> str:
        return f"{self.slow:.1f}/{self.hot:.1f}/{self.lasting:.1f}"


@dataclass(frozen=True)
class Belts:
    """Speed and temperature of a belt (the column) at a time point (the row).

    ``times_longer`` are the windows than the paper's.
    """

    names: tuple[str, ...]
    is_slow: Bools
    temperature: Ints
    times_longer: int = 1

    @classmethod
    def draw(cls, count: int, times: int, chances: Chances, seed: int, times_longer: int = 1) -> Belts:
        """A belt that gets hot has one high temperature until it cools down or gets hot anew."""
        random = np.random.default_rng(seed)
        temperature = random.integers(1, FIRST_HIGH, (times, count))
        high = random.integers(FIRST_HIGH, len(TEMPERATURES) + 1, (times, count))
        gets_hot = random.random((times, count)) < chances.hot
        lasts = random.random((times, count)) < chances.lasting
        hot_for = np.zeros(count, np.int64)
        now = np.zeros(count, np.int64)
        for time in range(times):
            begins = (hot_for == 0) & gets_hot[time]
            now[begins] = high[time, begins]
            hot_for[begins] = np.where(lasts[time, begins], ALL * times_longer + 1, 1)
            temperature[time] = np.where(hot_for > 0, now, temperature[time])
            hot_for = np.maximum(hot_for - 1, 0)
        is_slow = random.random((times, count)) < chances.slow
        return cls(tuple(f"b{number}" for number in range(count)), is_slow, temperature, times_longer)

    @property
    def rules(self) -> str:
        return RULES.format(some=SOME * self.times_longer, all=ALL * self.times_longer)

    def facts(self, first: int, last: int) -> list[FactBatch]:
        """All facts from a time point to another."""
        row, belt = np.nonzero(np.ones((last - first + 1, len(self.names)), np.bool_))
        times = Coded(tuple(map(Fraction, range(first, last + 1))), row)
        closed, lines = np.ones(len(row), np.bool_), np.arange(len(row))
        name = Coded(self.names, belt)
        speed = Coded(SPEEDS, self.is_slow[first : last + 1].astype(np.int64).ravel())
        temperature = Coded(TEMPERATURES, self.temperature[first : last + 1].ravel() - 1)
        arguments = {"belt": (name,), "bSpeed": (name, speed), "bTmp": (name, temperature)}
        return [
            FactBatch(predicate, columns, times, times, closed, closed, lines, "belts")
            for predicate, columns in arguments.items()
        ]

    def expected(self, time: int) -> dict[str, int]:
        """How many facts the rules derive at a time point after the first, by hand.

        The nulls of rule (21) differ from time point to time point, so no incident is there at two: rule (23) does not
        fire.
        """
        some, every = (range(max(0, time - n * self.times_longer), time + 1) for n in (SOME, ALL))
        hot = (self.temperature[every] == self.temperature[time]).all(axis=0) & (self.temperature[time] >= FIRST_HIGH)
        slow = self.is_slow[some].any(axis=0)
        incidents = int(hot.sum())
        return {
            "bOpr": len(self.names),
            "brkG": int(slow.sum()),
            "incId": incidents,
            "assign": incidents,
            "block": 0,
        }
