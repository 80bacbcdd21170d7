"""Bindings that are remembered for as long as they could come up again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.matching import group_numbers, occurs_in
from thalweg.engine.hypotheses.matching import UNBOUND


@dataclass
class Memory:
    """Rows of codes, each with the time when it may be forgotten."""

    columns: tuple[Ints, ...]
    until: Ints

    @classmethod
    def empty(cls, arity: int) -> Memory:
        """Nothing remembered."""
        nothing = np.empty(0, dtype=np.int64)
        return cls((nothing,) * arity, nothing)

    def __len__(self) -> int:
        return len(self.until)

    def contains(self, columns: Sequence[Ints], size: int) -> Bools:
        """Which rows are remembered."""
        return occurs_in(columns, self.columns, (size, len(self)))

    def add(self, columns: Sequence[Ints], until: Ints) -> None:
        """Remember more."""
        if len(until):
            self.columns = tuple(np.concatenate(pair) for pair in zip(self.columns, columns, strict=True))
            self.until = np.concatenate((self.until, until))

    def drop(self, rows: Bools) -> None:
        """Forget some."""
        if rows.any():
            self.columns, self.until = tuple(column[~rows] for column in self.columns), self.until[~rows]

    def forget(self, closed: int) -> None:
        """Drop what can no longer come up."""
        self.drop(self.until <= closed)


def alike(columns: Sequence[Ints]) -> Iterator[tuple[Ints, ...]]:
    """Rows of codes in groups that have the same columns unbound."""
    shapes = group_numbers([(column == UNBOUND).astype(np.int64) for column in columns], len(columns[0]))
    for shape in range(int(shapes.max(initial=-1)) + 1):
        yield tuple(column[shapes == shape] for column in columns)
