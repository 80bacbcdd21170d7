"""Windows over tuples: the facts of a predicate in order, and what is kept of them on a stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thalweg.columnar.arrays import Ints, starts_group
from thalweg.columnar.join import overlapping_pairs
from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.tuples import in_order, last_tuples, newest, next_tuples
from thalweg.columnar.values import Values
from thalweg.columnar.windows import instants
from thalweg.engine.interpretation import Interpretation
from thalweg.model.formula import TupleWindow
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

KEPT = "#last"
"""The name under which a stream keeps tuples that the window W has forgotten begins so."""


@dataclass(frozen=True)
class Sequence:
    """Tuples in order: their columns, times, and the group within which they are counted."""

    columns: tuple[Ints, ...]
    times: Ints
    key: Ints

    def reached(self, window: TupleWindow, reference: Relation, low: Ints, high: Ints) -> tuple[Ints, Ints]:
        """How far the window reaches back and ahead from each reference time.

        The columns of ``reference`` are the last of the tuples'. It reaches to the oldest of the last tuples and the
        last of the next ones, and where there are too few, to the ends of the timeline.
        """
        times = reference.start
        back = np.full(len(times), POSITIVE_INFINITY)
        ahead = np.full(len(times), NEGATIVE_INFINITY)
        owned = self.columns[len(self.columns) - reference.arity :]
        if window.last == 0 or not len(self.times):
            back = times if window.last == 0 else low
        else:
            for row, at in self._oldest(window.last, reference, owned):
                reached = low[at] if row is None else self.times[row]
                np.minimum.at(back, at, reached)
            back = np.where(back == POSITIVE_INFINITY, low, back)
        if window.next == 0 or not len(self.times):
            ahead = times if window.next == 0 else high
        else:
            for row, at in self._furthest(window.next, reference, owned):
                reached = high[at] if row is None else self.times[row]
                np.maximum.at(ahead, at, reached)
            ahead = np.where(ahead == NEGATIVE_INFINITY, high, ahead)
        return back, ahead

    def _oldest(self, count: int, reference: Relation, owned: tuple[Ints, ...]) -> list[tuple[Ints | None, Ints]]:
        """The tuples that are the oldest of the last ``count``, and where there are fewer, each with references.

        A group that has not begun does not count.
        """
        size = len(self.times)
        filled = np.flatnonzero(self.key[count - 1 :] == self.key[: size - count + 1]) if size >= count else _NONE
        start = self.times[filled + count - 1]
        following = filled + count
        same = np.zeros(len(filled), dtype=np.bool_)
        inside = following < size
        same[inside] = self.key[following[inside]] == self.key[filled[inside]]
        end = np.full(len(filled), POSITIVE_INFINITY)
        end[same] = self.times[following[same]] - 1
        first = np.flatnonzero(starts_group(self.key))
        fills = first + count - 1
        can = np.zeros(len(first), dtype=np.bool_)
        inside = fills < size
        can[inside] = self.key[fills[inside]] == self.key[first[inside]]
        until = np.full(len(first), POSITIVE_INFINITY)
        until[can] = self.times[fills[can]] - 1
        return [
            _at(filled, start, end, reference, owned),
            (None, _at(first, self.times[first], until, reference, owned)[1]),
        ]

    def _furthest(self, count: int, reference: Relation, owned: tuple[Ints, ...]) -> list[tuple[Ints | None, Ints]]:
        """As :meth:`_oldest`, for the last of the next ``count``: time runs the other way."""
        backwards = Sequence(tuple(c[::-1] for c in self.columns), -self.times[::-1], self.key[::-1])
        # The next tuples come after the reference time, the last ones at it or before.
        mirrored = Relation(reference.columns, -reference.start - 1, -reference.start - 1)
        size = len(self.times) - 1
        found = backwards._oldest(count, mirrored, tuple(c[::-1] for c in owned))
        return [(None if row is None else size - row, at) for row, at in found]


_NONE = np.empty(0, dtype=np.int64)


def sequence_of(relation: Relation, arity: int, window: TupleWindow, values: Values) -> Sequence:
    """The facts of a relation in order, each at one time point; columns after the arguments are groups of their own."""
    rows, times = instants(relation)
    columns = tuple(column[rows] for column in relation.columns)
    positions = range(arity, len(columns)) if window.per is None else (*window.per, *range(arity, len(columns)))
    order, key = in_order(columns[:arity], times, [columns[i] for i in positions], values)
    return Sequence(tuple(column[order] for column in columns), times[order], key)


def held_tuples(relation: Relation, window: TupleWindow, values: Values) -> Relation:
    """The facts of a relation when they are in the window: their arguments and their time point, as a value."""
    sequence = sequence_of(relation, relation.arity, window, values)
    columns = (*sequence.columns, sequence.times * 2)
    last = Relation(columns, *last_tuples(sequence.times, sequence.key, window.last))
    ahead = Relation(columns, *next_tuples(sequence.times, sequence.key, window.next))
    return concat([part.take(part.start <= part.end) for part in (last, ahead)], relation.arity + 1)


def kept_name(predicate: str, window: TupleWindow) -> str:
    """The name under which a stream keeps the tuples that a window may still need."""
    per = "" if window.per is None else f" per {','.join(map(str, window.per))}"
    return f"{KEPT} {window.last}{per} of {predicate}"


def with_kept(relation: Relation, interpretation: Interpretation, predicate: str, window: TupleWindow) -> Relation:
    """The facts of a predicate, and those that were kept for the window."""
    kept = interpretation.relation(kept_name(predicate, window), relation.arity + 1)
    if not len(kept):
        return relation
    times = kept.columns[-1] >> 1
    return concat((relation, Relation(kept.columns[:-1], times, times)), relation.arity)


def tuples_to_keep(relation: Relation, window: TupleWindow, values: Values) -> Relation:
    """The last tuples of a relation, as many as the window counts: arguments and time point, always."""
    sequence = sequence_of(relation, relation.arity, window, values)
    rows = newest(sequence.key, window.last)
    columns = (*(column[rows] for column in sequence.columns), sequence.times[rows] * 2)
    size = int(rows.sum())
    return Relation(columns, np.full(size, NEGATIVE_INFINITY), np.full(size, POSITIVE_INFINITY))


def _at(rows: Ints, start: Ints, end: Ints, reference: Relation, owned: tuple[Ints, ...]) -> tuple[Ints, Ints]:
    """The rows, each with the reference times of its own frame at which it counts."""
    keep = np.flatnonzero(start <= end)
    held = Relation(tuple(column[rows[keep]] for column in owned), start[keep], end[keep])
    found, at = overlapping_pairs(held, reference, [(i, i) for i in range(held.arity)])
    return rows[keep[found]], at
