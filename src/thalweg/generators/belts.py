"""Conveyor belts with sensors of speed and temperature: scenario S_A of the LARS+ paper (Section 5, Appendix D).

At every time point every belt has a speed and a temperature. Belts are slow, and get hot, by chance; a belt that is hot
for long is an incident.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa

from thalweg.generators.columns import Bools, Ints, at_time, numbered
from thalweg.generators.stream import Slice

SOME, ALL = 5, 3
"""The lengths of the paper's windows."""

SPEEDS = ("high", "low")
HIGHEST, FIRST_HIGH = 9, 8
"""Temperatures go from 1 to 9, and these two are high."""

DECLARATIONS = """\
timeline integer.
input belt(X).
input bSpeed(X, Y).
input bTmp(X, Y: integer).
"""

RULES = """\
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


@dataclass(frozen=True)
class Chances:
    """p1, p2 and p3: that a belt is slow, that it gets hot, and that it then stays hot until rule (21) fires."""

    slow: float
    hot: float
    lasting: float

    def __str__(self) -> str:
        return f"{self.slow:.1f}/{self.hot:.1f}/{self.lasting:.1f}"


MIDDLING = Chances(0.3, 0.3, 0.5)


@dataclass(frozen=True)
class Belts:
    """So many belts at the time points 0, 1, 2, …; windows are ``times_longer`` than the paper's."""

    belts: int
    times: int
    chances: Chances = MIDDLING
    seed: int = 0
    times_longer: int = 1

    @property
    def name(self) -> str:
        """What its files are called by."""
        return "belts"

    @property
    def declarations(self) -> str:
        """What a program says to read it."""
        return DECLARATIONS

    @property
    def rules(self) -> str:
        """The paper's rules."""
        return RULES.format(some=SOME * self.times_longer, all=ALL * self.times_longer)

    @property
    def facts(self) -> int:
        """How many facts there are altogether."""
        return 3 * self.belts * self.times

    @property
    def is_slow(self) -> Bools:
        """Whether a belt (the column) is slow at a time point (the row)."""
        return self._drawn[0]

    @property
    def temperature(self) -> Ints:
        """The temperature of a belt (the column) at a time point (the row)."""
        return self._drawn[1]

    def slices(self) -> Iterator[Slice]:
        """All of it, time point by time point."""
        belt, speeds = numbered("b", self.belts), pa.array(SPEEDS)
        for time in range(self.times):
            speed = speeds.take(pa.array(self.is_slow[time].astype(np.int64)))
            tables = {
                "belt": at_time(time, X=belt),
                "bSpeed": at_time(time, X=belt, Y=speed),
                "bTmp": at_time(time, X=belt, Y=pa.array(self.temperature[time])),
            }
            yield Slice(Fraction(time), tables)

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
            "bOpr": self.belts,
            "brkG": int(slow.sum()),
            "incId": incidents,
            "assign": incidents,
            "block": 0,
        }

    @cached_property
    def _drawn(self) -> tuple[Bools, Ints]:
        """A belt that gets hot has one high temperature until it cools down or gets hot anew."""
        random, shape = np.random.default_rng(self.seed), (self.times, self.belts)
        temperature = random.integers(1, FIRST_HIGH, shape)
        high = random.integers(FIRST_HIGH, HIGHEST + 1, shape)
        gets_hot = random.random(shape) < self.chances.hot
        lasts = random.random(shape) < self.chances.lasting
        hot_for = np.zeros(self.belts, np.int64)
        now = np.zeros(self.belts, np.int64)
        for time in range(self.times):
            begins = (hot_for == 0) & gets_hot[time]
            now[begins] = high[time, begins]
            hot_for[begins] = np.where(lasts[time, begins], ALL * self.times_longer + 1, 1)
            temperature[time] = np.where(hot_for > 0, now, temperature[time])
            hot_for = np.maximum(hot_for - 1, 0)
        return random.random(shape) < self.chances.slow, temperature
