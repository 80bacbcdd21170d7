"""Signals that are on or off, as facts and as the events that a monitor takes one by one.

A signal has one input or several, such as the *p* and the *q* of *p since q*, each of them on or off at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from thalweg.syntax.fact_batch import Coded, FactBatch

SILENT = 10
"""Time units at the beginning when no input is on: what holds before the beginning is then no question."""

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Stream = list[tuple[int, list[FactBatch]]]


@dataclass(frozen=True)
class Signals:
    """For each input by its name: whether it is on for a signal (the row) from time t (the column) to t + 1."""

    inputs: Mapping[str, Bools]

    @classmethod
    def draw(cls, chances: Mapping[str, float], count: int, times: int, seed: int) -> Signals:
        """Each input is on with its chance, at times when the inputs before it are on."""
        random = np.random.default_rng(seed)
        is_on = np.ones((count, times), np.bool_)
        is_on[:, :SILENT] = False
        inputs = {}
        for name, chance in chances.items():
            is_on = is_on & (random.random((count, times)) < chance)
            inputs[name] = is_on
        return cls(inputs)

    @property
    def count(self) -> int:
        return int(self._any.shape[0])

    @property
    def end(self) -> int:
        return int(self._any.shape[1])

    def first(self, count: int, end: int) -> Signals:
        """The first few signals, up to a time."""
        return Signals({name: is_on[:count, :end] for name, is_on in self.inputs.items()})

    def ticks_as_facts(self, stride: int) -> Stream:
        """A fact for each time point at which an input is on, in strides of time."""
        return [
            (last, [self._batch(name, *_shifted(is_on[:, first : last + 1], first)) for name, is_on in self._inputs()])
            for first, last in self._strides(stride)
        ]

    def stretches_as_facts(self, stride: int) -> Stream:
        """A fact for each stretch [rise, fall) in which an input is on, cut at the strides: the future is not told."""
        return [
            (
                last,
                [self._batch(name, *_stretches(is_on[:, first : last + 1], first)) for name, is_on in self._inputs()],
            )
            for first, last in self._strides(stride)
        ]

    def changes(self, signal: int) -> list[int]:
        """When some input of a signal changes, the beginning and the end included."""
        states = np.stack([is_on[signal] for is_on in self.inputs.values()])
        differ = (states[:, 1:] != states[:, :-1]).any(axis=0)
        return [0, *(np.flatnonzero(differ) + 1).tolist(), self.end]

    @property
    def tick_count(self) -> int:
        return self.count * self.end

    @property
    def change_count(self) -> int:
        """The changes of all signals, as :meth:`changes` counts them."""
        states = np.stack(list(self.inputs.values()))
        return int((states[:, :, 1:] != states[:, :, :-1]).any(axis=0).sum()) + 2 * self.count

    @property
    def _any(self) -> Bools:
        return next(iter(self.inputs.values()))

    def _inputs(self) -> Iterator[tuple[str, Bools]]:
        return iter(self.inputs.items())

    def _strides(self, stride: int) -> Iterator[tuple[int, int]]:
        """The first and the last time point of each stride."""
        for first in range(0, self.end, stride):
            yield first, min(first + stride, self.end) - 1

    def _batch(self, name: str, signal: Ints, start: Ints, end: Ints, end_closed: bool) -> FactBatch:
        return FactBatch(
            name.upper(),
            (_coded(signal, "s"),),
            _coded(start),
            _coded(end),
            np.ones(len(signal), np.bool_),
            np.full(len(signal), end_closed),
            np.arange(len(signal)),
            "signals",
        )


def _shifted(is_on: Bools, first: int) -> tuple[Ints, Ints, Ints, bool]:
    signal, time = np.nonzero(is_on)
    return signal, time + first, time + first, True


def _stretches(is_on: Bools, first: int) -> tuple[Ints, Ints, Ints, bool]:
    padded = np.pad(is_on, ((0, 0), (1, 1)))
    signal, time = np.nonzero(padded[:, 1:] != padded[:, :-1])
    return signal[::2], time[::2] + first, time[1::2] + first, False


def _coded(numbers: Ints, name: str = "") -> Coded:
    """A column of times, or of names that end in a number."""
    found, codes = np.unique(numbers, return_inverse=True)
    values = (f"{name}{number}" if name else Fraction(number) for number in found.tolist())
    return Coded(tuple(values), codes)
