"""Facts that are already there, in the order in which they came: one line after another, one file after another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from thalweg.columnar.arrays import Ints
from thalweg.engine.hypotheses.stream import HypothesisStream, HypotheticalAnswers
from thalweg.engine.replay import cut
from thalweg.syntax.fact_batch import Coded, FactBatch
from thalweg.time.ticks import FINITE_LIMIT


@dataclass(frozen=True)
class Arrival:
    """Facts that come together, when the time points up to ``over`` are over; None where that is not known better."""

    facts: list[FactBatch]
    over: int | None = None

    def __len__(self) -> int:
        return sum(map(len, self.facts))


@dataclass
class Arrivals:
    """Cuts facts into batches that end where the newest time grows, so that each is judged as if it came alone.

    With ``size`` they end after so many lines instead, and what is late is judged once for each.
    """

    size: int | None = None
    newest: int | None = field(default=None, init=False)

    def __call__(self, batches: Sequence[FactBatch]) -> Iterator[Arrival]:
        """The arrivals in order; facts of later calls come after those of earlier ones."""
        batches = [batch for batch in batches if len(batch)]
        if not batches:
            return
        order = _in_order(batches)
        first, last = (np.concatenate([_points(batch, each) for batch in batches])[order] for each in (True, False))
        turns = np.arange(len(order)) // self.size if self.size else self._growth(last)
        starts = np.flatnonzero(np.diff(turns, prepend=-1))
        newest = np.maximum.reduceat(last, starts)
        for start, time, facts in zip(starts, newest.tolist(), _cut(batches, order, turns), strict=True):
            grows = self.newest is None or time > self.newest
            self.newest = time if self.newest is None else max(self.newest, time)
            is_known = grows and not self.size and _LEAST < first[start] < _MOST
            yield Arrival(facts, int(first[start]) - 1 if is_known else None)

    def _growth(self, times: Ints) -> Ints:
        """Which batch each fact is in: a new one begins with each fact that is newer than all before."""
        before = _LEAST if self.newest is None else self.newest
        highest = np.maximum.accumulate(np.concatenate(([before], times)))
        turns = np.cumsum(times > highest[:-1])
        numbers: Ints = turns - turns[0]
        return numbers


def feed(stream: HypothesisStream, arrival: Arrival) -> Iterator[HypotheticalAnswers]:
    """What changes when facts arrive: first what time decides, then what they do."""
    if arrival.over is not None and (stream.closed is None or arrival.over > stream.closed):
        yield stream.advance((), arrival.over)
    yield stream.advance(arrival.facts)


_LEAST, _MOST = -FINITE_LIMIT, FINITE_LIMIT


def _in_order(batches: Sequence[FactBatch]) -> Ints:
    """The rows of all batches in the order of files and lines."""
    files = {name: number for number, name in enumerate(dict.fromkeys(batch.source for batch in batches))}
    file = np.concatenate([np.full(len(batch), files[batch.source]) for batch in batches])
    order: Ints = np.lexsort((np.concatenate([batch.lines for batch in batches]), file))
    return order


def _cut(batches: Sequence[FactBatch], order: Ints, turns: Ints) -> list[list[FactBatch]]:
    """The facts of each turn, where the turns are those of the rows in order."""
    parts: list[list[FactBatch]] = [[] for _ in range(int(turns[-1]) + 1)]
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = turns
    offsets = np.cumsum([len(batch) for batch in batches])
    for batch, taken in zip(batches, np.split(numbers, offsets[:-1]), strict=True):
        for turn, part in cut(batch, taken):
            parts[turn].append(part)
    return parts


def _points(batch: FactBatch, is_start: bool) -> Ints:
    """The first or the last time point of each fact; times that are too far away to be counted are as far as can be."""
    column, closed = (batch.starts, batch.start_closed) if is_start else (batch.ends, batch.end_closed)
    points: Ints = _whole(column, is_start)[column.codes] + np.where(closed, 0, 1 if is_start else -1)
    return points


def _whole(column: Coded, is_start: bool) -> Ints:
    rounded = math.ceil if is_start else math.floor
    values = [time if math.isinf(time) else rounded(time) for time in column.values]
    return np.array([max(_LEAST, min(value, _MOST)) for value in values], dtype=np.int64)
