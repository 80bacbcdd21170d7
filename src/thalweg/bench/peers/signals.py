"""Signals that are on or off, as facts and as the events that a monitor takes one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from thalweg.syntax.fact_batch import Coded, FactBatch

SILENT = 5
"""Time units at the beginning when no signal is on: what holds before the beginning is then no question."""

Ints = npt.NDArray[np.int64]
Stream = list[tuple[int, list[FactBatch]]]
Events = list[dict[str, Any]]


@dataclass(frozen=True)
class Signals:
    """Whether a signal (the row) is on from time t (the column) to t + 1."""

    names: tuple[str, ...]
    is_on: npt.NDArray[np.bool_]

    @classmethod
    def draw(cls, count: int, times: int, seed: int) -> Signals:
        is_on = np.random.default_rng(seed).integers(0, 2, (count, times)).astype(np.bool_)
        is_on[:, :SILENT] = False
        return cls(tuple(f"s{number}" for number in range(count)), is_on)

    @property
    def end(self) -> int:
        return int(self.is_on.shape[1])

    def ticks_as_facts(self, stride: int) -> Stream:
        """A fact for each time point at which a signal is on, in strides of time."""
        signal, time = np.nonzero(self.is_on)
        return self._stream(signal, time, time, stride, end_closed=True)

    def stretches_as_facts(self, stride: int) -> Stream:
        """A fact for each stretch [rise, fall) in which a signal is on, in strides of time."""
        signal, time = np.nonzero(self._changes())
        return self._stream(signal[::2], time[::2], time[1::2], stride, end_closed=False)

    def tick_events(self, signal: int) -> Events:
        """The state of a signal at each time point."""
        return [{"signal": state} for state in self.is_on[signal].tolist()]

    def change_events(self, signal: int) -> Events:
        """The changes of a signal, and its state at the end, so that all before it is known."""
        times = np.flatnonzero(self._changes()[signal]).tolist()
        events = [{"time": time, "signal": number % 2 == 0} for number, time in enumerate(times) if time < self.end]
        return [*events, {"time": self.end, "signal": False}]

    @property
    def tick_count(self) -> int:
        return self.is_on.size

    @property
    def change_count(self) -> int:
        """Events of all signals, that at the end included."""
        return int(self._changes()[:, :-1].sum()) + len(self.names)

    def _changes(self) -> npt.NDArray[np.bool_]:
        """Where a state differs from the one before; all signals are off before the beginning and after the end."""
        padded = np.pad(self.is_on, ((0, 0), (1, 1)))
        changes: npt.NDArray[np.bool_] = padded[:, 1:] != padded[:, :-1]
        return changes

    def _stream(self, signal: Ints, start: Ints, end: Ints, stride: int, *, end_closed: bool) -> Stream:
        times = tuple(map(Fraction, range(self.end + 1)))
        found = []
        for first, last in self._strides(stride):
            rows = np.flatnonzero((start >= first) & (start <= last))
            batch = FactBatch(
                "Signal",
                (Coded(self.names, signal[rows]),),
                _coded(times, start[rows]),
                _coded(times, end[rows]),
                np.ones(len(rows), np.bool_),
                np.full(len(rows), end_closed),
                np.arange(len(rows)),
                "signals",
            )
            found.append((last, [batch]))
        return found

    def _strides(self, stride: int) -> Iterator[tuple[int, int]]:
        """The first and the last time point of each stride; the last one goes on to the end."""
        for first in range(0, self.end, stride):
            last = first + stride - 1
            yield first, last if last < self.end - 1 else self.end


def _coded(times: tuple[Fraction, ...], codes: Ints) -> Coded:
    """A column of times with no other values than lie between the first and the last."""
    low, high = (int(codes.min()), int(codes.max())) if len(codes) else (0, -1)
    return Coded(times[low : high + 1], codes - low)
