"""Facts that are already there, fed to a stream reasoner as if they came now."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from thalweg.engine.materialisation import Materialisation
from thalweg.engine.stream import StreamReasoner
from thalweg.syntax.fact_batch import FactBatch


@dataclass(frozen=True)
class Stride:
    """One step of a replay: the time reached, how many facts came in, and the answers that went out."""

    to: Fraction
    facts_in: int
    answers: Materialisation


def replay(
    reasoner: StreamReasoner, batches: Sequence[FactBatch], step: Fraction, until: Fraction | None = None
) -> Iterator[Stride]:
    """Feed facts in the order of their lines, in strides that end at multiples of ``step``.

    Strides without facts are skipped over. A fact that begins before the stride reached when its turn comes is
    late, and the reasoner refuses it. At the end time goes on to ``until``, or as long as answers lag behind.
    """
    strides = _strides(batches, step)
    if until is not None:
        strides = [(to, parts) for to, parts in strides if to <= until]
    reached = None
    for to, parts in strides:
        answers = reasoner.advance(parts, to)
        yield Stride(to, sum(map(len, parts)), answers)
        reached = to
    last = until if until is not None else None if reached is None else reached + reasoner.delay
    if last is not None and (reached is None or last > reached):
        yield Stride(last, 0, reasoner.advance([], last))


def _strides(batches: Sequence[FactBatch], step: Fraction) -> list[tuple[Fraction, list[FactBatch]]]:
    """The facts of each stride, by the time at which it ends; no stride comes before an earlier line's."""
    if not any(map(len, batches)):
        return []
    owner = np.concatenate([np.full(len(batch), i) for i, batch in enumerate(batches)])
    row = np.concatenate([np.arange(len(batch)) for batch in batches])
    lines = np.concatenate([batch.lines for batch in batches])
    numbers = np.concatenate([_stride_numbers(batch, step) for batch in batches])
    files = {name: i for i, name in enumerate(dict.fromkeys(batch.source for batch in batches))}
    order = np.lexsort((lines, np.array([files[batch.source] for batch in batches])[owner]))
    numbers[numbers == _FIRST] = numbers[numbers != _FIRST].min(initial=0)
    turn = np.maximum.accumulate(numbers[order])
    firsts = np.concatenate(([0], np.flatnonzero(np.diff(turn)) + 1))
    found = []
    for number, chosen in zip(turn[firsts].tolist(), np.split(order, firsts[1:]), strict=True):
        to = number * step
        parts = [batches[i].take(np.sort(row[chosen[owner[chosen] == i]])) for i in np.unique(owner[chosen])]
        found.append((to, parts))
    return found


_FIRST = -(1 << 62)


def _stride_numbers(batch: FactBatch, step: Fraction) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Which multiple of the step is the first at or after each fact's start; an infinite start comes first."""
    numbers = [_FIRST if start == -math.inf else math.ceil(start / step) for start in batch.starts.values]
    taken: np.ndarray[tuple[int], np.dtype[np.int64]] = np.array(numbers, dtype=np.int64)[batch.starts.codes]
    return taken
