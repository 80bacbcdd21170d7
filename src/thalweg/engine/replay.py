"""Facts that are already there, fed to a stream reasoner as if they came now."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from thalweg.columnar.arrays import Ints
from thalweg.engine.materialisation import Materialisation
from thalweg.engine.stream import StreamReasoner
from thalweg.syntax.fact_batch import Coded, FactBatch


@dataclass(frozen=True)
class Stride:
    """One step of a replay: the time reached, the facts that came in, and the answers that went out."""

    to: Fraction
    facts: Sequence[FactBatch]
    answers: Materialisation

    @property
    def facts_in(self) -> int:
        """How many facts came in."""
        return sum(map(len, self.facts))


def replay(
    reasoner: StreamReasoner, batches: Sequence[FactBatch], step: Fraction, until: Fraction | None = None
) -> Iterator[Stride]:
    """Feed facts in the order of their lines, in strides that end at multiples of ``step``.

    Strides without facts are skipped over. A fact that begins before the stride reached when its turn comes is
    late, and the reasoner refuses it. At the end time goes on to ``until``, or as long as answers lag behind.
    """
    strides = _strides(batches, step)
    if until is not None:
        strides = [(min(to, until), parts) for to, parts in strides if to - step < until]
    reached = None
    for to, parts in strides:
        answers = reasoner.advance(parts, to)
        yield Stride(to, parts, answers)
        reached = to
    last = until if until is not None else None if reached is None else reached + reasoner.delay
    if last is not None and (reached is None or last > reached):
        yield Stride(last, (), reasoner.advance([], last))


def _strides(batches: Sequence[FactBatch], step: Fraction) -> list[tuple[Fraction, list[FactBatch]]]:
    """The facts of each stride, by the time at which it ends; no stride comes before an earlier line's."""
    batches = [batch for batch in batches if len(batch)]
    if not batches:
        return []
    numbers = np.concatenate([_stride_numbers(batch, step) for batch in batches])
    has_no_start = numbers == _FIRST
    numbers[has_no_start] = first = numbers[~has_no_start].min(initial=0)
    files = {name: i for i, name in enumerate(dict.fromkeys(batch.source for batch in batches))}
    file = np.concatenate([np.full(len(batch), files[batch.source]) for batch in batches])
    order = np.lexsort((np.concatenate([batch.lines for batch in batches]), file))
    numbers[order] = np.maximum.accumulate(numbers[order])
    numbers[has_no_start] = first
    found: dict[int, list[FactBatch]] = {number: [] for number in np.unique(numbers).tolist()}
    offsets = np.cumsum([len(batch) for batch in batches])
    for batch, turns in zip(batches, np.split(numbers, offsets[:-1]), strict=True):
        for number, part in cut(batch, turns):
            found[number].append(part)
    return [(number * step, parts) for number, parts in found.items()]


_FIRST = -(1 << 62)


def _stride_numbers(batch: FactBatch, step: Fraction) -> Ints:
    """Which multiple of the step is the first at or after each fact's start; an infinite start comes first."""
    numbers = [_FIRST if start == -math.inf else math.ceil(start / step) for start in batch.starts.values]
    taken: Ints = np.array(numbers, dtype=np.int64)[batch.starts.codes]
    return taken


def cut(batch: FactBatch, turns: Ints) -> Iterator[tuple[int, FactBatch]]:
    """The facts of a batch turn by turn, in the order of their lines."""
    order = np.argsort(turns, kind="stable")
    numbers, edges = np.unique(turns[order], return_index=True)
    edges = np.append(edges, len(batch))
    arguments = [_cut_column(column, order, edges) for column in batch.arguments]
    starts, ends = (_cut_column(column, order, edges) for column in (batch.starts, batch.ends))
    for turn, number in enumerate(numbers.tolist()):
        rows = order[edges[turn] : edges[turn + 1]]
        part = FactBatch(
            batch.predicate,
            tuple(column[turn] for column in arguments),
            starts[turn],
            ends[turn],
            batch.start_closed[rows],
            batch.end_closed[rows],
            batch.lines[rows],
            batch.source,
        )
        yield number, part


def _cut_column(column: Coded, order: Ints, edges: Ints) -> list[Coded]:
    """The rows between the edges, each time with only the values that occur there."""
    turn = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    used, codes = np.unique(turn * len(column.values) + column.codes[order], return_inverse=True)
    owner, value = np.divmod(used, len(column.values))
    firsts = np.searchsorted(owner, np.arange(len(edges))).tolist()
    values = [column.values[i] for i in value.tolist()]
    return [
        Coded(tuple(values[first:last]), codes[low:high] - first)
        for (first, last), (low, high) in zip(pairwise(firsts), pairwise(edges.tolist()), strict=True)
    ]
