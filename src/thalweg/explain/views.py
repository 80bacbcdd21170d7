"""Windows of a stream at a time point (LARS paper, Definitions 2 and 3)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from thalweg.columnar.arrays import Ints
from thalweg.columnar.relation import Relation
from thalweg.columnar.shift import clip
from thalweg.explain.atoms import GroundAtom
from thalweg.explain.reading import Reader
from thalweg.model.formula import TimeWindow, TupleWindow, Value
from thalweg.null import Null
from thalweg.time.interval import ALWAYS
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

Tuples = dict[str, frozenset[tuple[int, tuple[Value, ...]]]]


@dataclass(frozen=True)
class View:
    """A part of the stream: its first and last time points, and its tuples by predicate, where they are counted."""

    first: int
    last: int
    tuples: Tuples | None = None

    @property
    def points(self) -> range:
        """The time points, first to last."""
        return range(self.first, self.last + 1)

    @property
    def is_bounded(self) -> bool:
        """Whether the time points have a first and a last."""
        return self.first > NEGATIVE_INFINITY and self.last < POSITIVE_INFINITY

    def shows(self, atom: GroundAtom, time: int) -> bool:
        """Whether an atom that holds at a time is in the view."""
        if not self.first <= time <= self.last:
            return False
        return self.tuples is None or (time, atom.values) in self.tuples.get(atom.predicate, ())


def time_view(window: TimeWindow, view: View, time: int) -> View:
    """The time-based window of a view at a time (Definition 3)."""
    pivot = math.floor(Fraction(time, window.slide)) * window.slide
    first = view.first if isinstance(window.last, float) else max(view.first, pivot - int(window.last))
    last = view.last if isinstance(window.next, float) else min(view.last, pivot + int(window.next))
    return View(first, last, view.tuples)


def tuple_view(window: TupleWindow, view: View, time: int, predicates: Collection[str], reader: Reader) -> View:
    """The last and next tuples of each part, on the shortest timeline that has what was looked through for them."""
    kept: Tuples = {}
    firsts: list[int] = []
    lasts: list[int] = []
    for predicate in sorted(predicates):
        parts = list(_parts(window, view, time, predicate, reader))
        kept[predicate] = frozenset(each for past, future in parts for each in (*past, *future))
        pasts, futures = [past for past, _ in parts if past], [future for _, future in parts if future]
        firsts.append(min((p[0][0] if len(p) == window.last else view.first for p in pasts), default=view.first))
        lasts.append(max((f[-1][0] if len(f) == window.next else view.last for f in futures), default=view.last))
    first = min(firsts, default=view.first) if window.last else time
    last = max(lasts, default=view.last) if window.next else time
    return View(max(first, view.first), min(last, view.last), kept)


_Row = tuple[int, tuple[Value, ...]]


def _parts(
    window: TupleWindow, view: View, time: int, predicate: str, reader: Reader
) -> Iterator[tuple[list[_Row], list[_Row]]]:
    """For each part of a predicate's tuples, the last up to a time and the next after it, in order."""
    known = reader.known
    pattern = (None,) * known.arity(predicate)
    relation = clip(known.coded_rows(predicate, pattern, ALWAYS, reader.before(predicate)), view.first, view.last)
    past = clip(relation, NEGATIVE_INFINITY, time)
    future = clip(relation, time + 1, POSITIVE_INFINITY)
    groups: dict[tuple[int, ...], tuple[list[_Row], list[_Row]]] = {}
    for key, rows in _grouped(past, window, past.end, window.last):
        points = ((p, row) for row in rows for p in _last_points(past, row, window.last))
        ordered = sorted(_rows(past, points, view, predicate, reader), key=_recency)
        groups.setdefault(key, ([], []))[0].extend(ordered[len(ordered) - min(window.last, len(ordered)) :])
    for key, rows in _grouped(future, window, -future.start, window.next):
        points = ((p, row) for row in rows for p in _next_points(future, row, window.next))
        ordered = sorted(_rows(future, points, view, predicate, reader), key=_recency)
        groups.setdefault(key, ([], []))[1].extend(ordered[: window.next])
    return iter(groups.values())


def _grouped(
    relation: Relation, window: TupleWindow, nearness: Ints, number: int
) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """The rows of each part that may hold one of so many nearest tuples."""
    if not number or not len(relation):
        return
    keys = [relation.columns[position] for position in window.per or ()]
    order = np.lexsort([nearness, *keys])
    begins = np.zeros(len(order), dtype=np.bool_)
    begins[0] = True
    for key in keys:
        begins[1:] |= key[order][1:] != key[order][:-1]
    edges = [*np.flatnonzero(begins).tolist(), len(order)]
    for low, high in itertools.pairwise(edges):
        rows = order[low:high]
        enough = nearness[rows[max(0, len(rows) - number)]]
        yield tuple(int(key[rows[0]]) for key in keys), rows[nearness[rows] >= enough].tolist()


def _last_points(relation: Relation, row: int, number: int) -> Iterable[int]:
    end = int(relation.end[row])
    return range(max(int(relation.start[row]), end - number + 1), end + 1)


def _next_points(relation: Relation, row: int, number: int) -> Iterable[int]:
    start = int(relation.start[row])
    return range(start, min(int(relation.end[row]), start + number - 1) + 1)


def _rows(
    relation: Relation, points: Iterable[tuple[int, int]], view: View, predicate: str, reader: Reader
) -> Iterator[_Row]:
    for time, row in points:
        values = tuple(reader.known.values.value(int(column[row])) for column in relation.columns)
        if view.shows(GroundAtom(predicate, values), time):
            yield time, values


def _recency(row: _Row) -> tuple[int, list[tuple[int, Fraction | str]]]:
    """By time; then by arguments: numbers by size, before texts, before nulls as they are written."""
    return row[0], [_place(value) for value in row[1]]


def _place(value: Value) -> tuple[int, Fraction | str]:
    match value:
        case Fraction():
            return 0, value
        case Null():
            return 2, str(value)
        case _:
            return 1, value
