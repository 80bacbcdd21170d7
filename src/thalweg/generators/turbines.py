"""Wind turbines whose readings come late, out of order, or not at all: the paper on hypothetical answers.

Every turbine is read at every time point. A reading is lost with a certain chance; otherwise it arrives up to ``delay``
time points later, each delay as likely as the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa

from thalweg.generators.columns import Bools, Ints, numbered
from thalweg.generators.stream import Slice

SHARE_HIGH = 0.3
LENGTH = 3
"""So many high readings in a row are a malfunction."""

LEVELS = ("low", "high")

RULES = """\
output Malf(device: string).

Flag(X) at T     :- Temp(X, high) at T.
Cool(X) at T + 1 :- Flag(X) at T, Flag(X) at T + 1.
Shdn(X) at T + 1 :- Cool(X) at T, Flag(X) at T + 1.
Malf(X) at T - 2 :- Shdn(X) at T.
"""
"""Example 1 of the paper."""


@dataclass(frozen=True)
class Readings:
    """Readings in the order of their arrival: turbine by number, whether it is hot, the time of the reading."""

    device: Ints
    is_high: Bools
    time: Ints

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: Ints | Bools | slice) -> Readings:
        """Some of them."""
        return Readings(self.device[rows], self.is_high[rows], self.time[rows])


@dataclass(frozen=True)
class Turbines:
    """So many turbines, read at the time points 0, 1, 2, …; a slice has what arrives at a time point."""

    turbines: int
    times: int
    delay: int = 5
    loss: float = 0.0
    seed: int = 0

    @property
    def name(self) -> str:
        """What its files are called by."""
        return "turbines"

    @property
    def declarations(self) -> str:
        """What a program says to read it."""
        return f"timeline integer.\ninput Temp(device: string, level: string).\ndelay Temp = {self.delay}.\n"

    def slices(self) -> Iterator[Slice]:
        """All of it by the time of arrival; after the last reading as long as one can be under way."""
        for now, arrived in self.arrivals():
            yield Slice(Fraction(now), self.tables(arrived))

    def tables(self, readings: Readings) -> dict[str, pa.Table]:
        """Readings as facts."""
        device = self._names.take(pa.array(readings.device))
        level = pa.array(LEVELS).take(pa.array(readings.is_high.astype(np.int8)))
        return {"Temp": pa.table({"device": device, "level": level, "time": readings.time})}

    def arrivals(self) -> Iterator[tuple[int, Readings]]:
        """Time points, and what arrives then, in any order."""
        under_way: list[list[Readings]] = [[] for _ in range(self.delay + 1)]
        for now in range(self.times + self.delay):
            if now < self.times:
                self._send(now, under_way)
            arrived = _together(under_way.pop(0))
            under_way.append([])
            order = np.random.default_rng((self.seed, now, 1)).permutation(len(arrived))
            yield now, arrived.take(order)

    def readings(self) -> Readings:
        """All that arrive, in their order."""
        return _together([arrived for _, arrived in self.arrivals()])

    def malfunctions(self) -> tuple[Ints, Ints]:
        """The answers, found by hand from the readings that are not lost: turbines by number, and times."""
        hot = np.zeros((self.turbines, self.times), np.bool_)
        for time in range(self.times):
            drawn, _, is_lost = self._draw(time)
            hot[:, time] = drawn.is_high & ~is_lost
        last = max(0, self.times - LENGTH + 1)
        device, time = np.logical_and.reduce([hot[:, k : last + k] for k in range(LENGTH)]).nonzero()
        return device, time

    @cached_property
    def _names(self) -> pa.Array:
        return numbered("wt", self.turbines)

    def _send(self, time: int, under_way: list[list[Readings]]) -> None:
        drawn, delays, is_lost = self._draw(time)
        for delay, arriving in enumerate(under_way):
            arriving.append(drawn.take((delays == delay) & ~is_lost))

    def _draw(self, time: int) -> tuple[Readings, Ints, Bools]:
        """The readings of a time point, the delay of each, and whether it is lost."""
        random = np.random.default_rng((self.seed, time, 0))
        is_high = random.random(self.turbines) < SHARE_HIGH
        is_lost = random.random(self.turbines) < self.loss
        delays = random.integers(0, self.delay + 1, self.turbines)  # last: the readings are the same for any delay
        return Readings(np.arange(self.turbines), is_high, np.full(self.turbines, time)), delays, is_lost


def _together(parts: list[Readings]) -> Readings:
    if not parts:
        return Readings(np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0, np.int64))
    device, is_high, time = (
        np.concatenate(c) for c in zip(*((p.device, p.is_high, p.time) for p in parts), strict=True)
    )
    return Readings(device, is_high, time)
