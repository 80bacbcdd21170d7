"""The triggers of rules of one shape, and how they are found again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from thalweg.columnar.arrays import Bools, Ints, starts_group
from thalweg.columnar.growing import GrowingInts

NONE: Ints = np.empty(0, dtype=np.int64)
_WORDS = np.uint64


@dataclass(frozen=True)
class Shape:
    """What the triggers of a rule consist of: the rule, how many values, and whether a time."""

    rule: int
    arity: int
    timed: bool


@dataclass(frozen=True)
class Triggers:
    """Triggers of one shape, as columns: their values (and times), numbers and depths; and their rule's variables."""

    shape: Shape
    variables: tuple[str, ...]
    columns: tuple[Ints, ...]
    numbers: Ints
    depths: Ints

    def take(self, rows: Bools) -> Triggers:
        """The chosen ones."""
        columns = tuple(column[rows] for column in self.columns)
        return replace(self, columns=columns, numbers=self.numbers[rows], depths=self.depths[rows])


@dataclass
class _Index:
    """Rows of a table by their hashes, sorted when somebody looks: most triggers are never looked up again."""

    hashes: Ints = field(default_factory=lambda: NONE)
    rows: Ints = field(default_factory=lambda: NONE)
    new_hashes: list[Ints] = field(default_factory=list)
    new_rows: list[Ints] = field(default_factory=list)

    def add(self, hashes: Ints, rows: Ints) -> None:
        """Add rows."""
        self.new_hashes.append(hashes)
        self.new_rows.append(rows)

    def sorted(self) -> tuple[Ints, Ints]:
        """The hashes in order, and their rows."""
        if self.new_rows:
            hashes, rows = np.concatenate(self.new_hashes), np.concatenate(self.new_rows)
            order = np.argsort(hashes, kind="stable")
            hashes, rows = hashes[order], rows[order]
            if len(self.rows):
                # Both parts are sorted: put the new entries where they belong.
                places = np.searchsorted(self.hashes, hashes, side="right")
                hashes, rows = np.insert(self.hashes, places, hashes), np.insert(self.rows, places, rows)
            self.hashes, self.rows = hashes, rows
            self.new_hashes, self.new_rows = [], []
        return self.hashes, self.rows

    def all_rows(self) -> Ints:
        """The rows, in any order."""
        return np.concatenate([self.rows, *self.new_rows]) if self.new_rows else self.rows


@dataclass
class TriggerTable:
    """The triggers of one shape: a column for each value, one for the time, their numbers and hashes.

    Rules look triggers up among the ``recent`` ones. Those that no rule can meet again are ``settled``; they are
    indexed only when nulls come from elsewhere and may be among them.
    """

    shape: Shape
    columns: list[GrowingInts]
    numbers: GrowingInts = field(default_factory=GrowingInts)
    hashes: GrowingInts = field(default_factory=GrowingInts)
    fired: GrowingInts = field(default_factory=GrowingInts)
    recent: _Index = field(default_factory=_Index)
    settled: _Index = field(default_factory=_Index)
    waiting: list[Ints] = field(default_factory=list)
    variables: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def values(self) -> list[GrowingInts]:
        """The columns of values, without the time."""
        return self.columns[:-1] if self.shape.timed else self.columns

    def find(self, columns: Sequence[Ints], hashes: Ints, *, everywhere: bool) -> Ints:
        """The row of each trigger, or −1; among the recent ones, or everywhere."""
        rows = self._find(self.recent, columns, hashes)
        if everywhere and (rows < 0).any():
            for settled in self.waiting:
                self.settled.add(self.hashes.array[settled], settled)
            self.waiting.clear()
            rows = np.where(rows < 0, self._find(self.settled, columns, hashes), rows)
        return rows

    def add(self, columns: Sequence[Ints], hashes: Ints, numbers: Ints) -> None:
        """Add triggers that are not there yet."""
        rows = len(self) + np.arange(len(numbers))
        for known, column in zip(self.columns, columns, strict=True):
            known.append(column)
        self.numbers.append(numbers)
        self.hashes.append(hashes)
        self.fired.append(np.zeros(len(numbers), dtype=np.int64))
        self.recent.add(hashes, rows)

    def settle(self, time: int) -> None:
        """No rule meets triggers up to this time any more."""
        rows = self.recent.all_rows()
        if self.shape.timed and len(rows):
            is_recent = self.columns[-1].array[rows] > time
            if not is_recent.all():
                self.waiting.append(rows[~is_recent])
                self.recent = _Index()
                self.recent.add(self.hashes.array[rows[is_recent]], rows[is_recent])

    def _find(self, index: _Index, columns: Sequence[Ints], hashes: Ints) -> Ints:
        rows = np.full(len(hashes), -1, dtype=np.int64)
        known_hashes, known_rows = index.sorted()
        if not len(known_rows):
            return rows
        place = np.searchsorted(known_hashes, hashes)
        waiting = np.flatnonzero(place < len(known_rows))
        while len(waiting):
            # Different triggers can have one hash: look at the next entry as long as the hash is the same.
            waiting = waiting[known_hashes[place[waiting]] == hashes[waiting]]
            candidates = known_rows[place[waiting]]
            same = np.ones(len(waiting), dtype=np.bool_)
            for known, column in zip(self.columns, columns, strict=True):
                same &= known.array[candidates] == column[waiting]
            rows[waiting[same]] = candidates[same]
            waiting = waiting[~same]
            place[waiting] += 1
            waiting = waiting[place[waiting] < len(known_rows)]
        return rows


def distinct_triggers(columns: Sequence[Ints], hashes: Ints) -> tuple[Ints, Ints]:
    """The first row of each trigger, in the order of the rows, and for every row the number of its trigger."""
    order = np.argsort(hashes, kind="stable")
    starts = starts_group(hashes[order])
    if not all((starts | ~starts_group(column[order])).all() for column in columns):
        # Two triggers have one hash: tell the rows apart by all their columns.
        order = np.lexsort((*columns, hashes))
        starts = np.logical_or.reduce([starts_group(key[order]) for key in (hashes, *columns)])
    first = order[starts]
    by_place = np.argsort(first)
    rank = np.empty(len(first), dtype=np.int64)
    rank[by_place] = np.arange(len(first))
    group = np.empty(len(order), dtype=np.int64)
    group[order] = rank[np.cumsum(starts) - 1]
    return first[by_place], group


def trigger_hashes(columns: Sequence[Ints], size: int) -> Ints:
    """A word for every row (splitmix64 over its columns), as a signed number."""
    word = np.full(size, 0x9E3779B97F4A7C15, dtype=_WORDS)
    for column in columns:
        word ^= column.astype(_WORDS) + _WORDS(0x9E3779B97F4A7C15) + (word << _WORDS(6)) + (word >> _WORDS(2))
        word = (word ^ (word >> _WORDS(30))) * _WORDS(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> _WORDS(27))) * _WORDS(0x94D049BB133111EB)
        word ^= word >> _WORDS(31)
    return word.view(np.int64)
