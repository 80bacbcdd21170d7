"""A relation: argument columns and a closed range of encoded time a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.budget import reserve
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY


@dataclass(frozen=True, eq=False)
class Relation:
    """Rows (c₁, …, cₖ, start, end), as columns.

    ``coalesced`` says that rows are sorted by arguments, then time, and that the ranges of equal arguments
    neither overlap nor touch. ``indexes`` keeps what joins have learnt about the rows.
    """

    columns: tuple[Ints, ...]
    start: Ints
    end: Ints
    coalesced: bool = False
    indexes: dict[tuple[int, ...], object] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.start)

    @property
    def arity(self) -> int:
        """The number of argument columns."""
        return len(self.columns)

    def take(self, rows: Ints | Bools, *, coalesced: bool = False) -> Relation:
        """The chosen rows; a choice by mask, or in ascending order, of coalesced rows is coalesced."""
        if rows.dtype == np.bool_:
            rows = rows.nonzero()[0]
        reserve(len(rows), self.arity + 2)
        columns = tuple(column[rows] for column in self.columns)
        return Relation(columns, self.start[rows], self.end[rows], coalesced)

    def with_time(self, start: Ints, end: Ints, *, coalesced: bool = False) -> Relation:
        """The same arguments over other ranges."""
        return Relation(self.columns, start, end, coalesced)

    def select_columns(self, positions: Sequence[int]) -> Relation:
        """The chosen argument columns, in the given order, not coalesced."""
        if tuple(positions) == tuple(range(self.arity)):
            return self
        return Relation(tuple(self.columns[i] for i in positions), self.start, self.end)


def empty(arity: int) -> Relation:
    """No rows."""
    nothing = np.empty(0, dtype=np.int64)
    return Relation((nothing,) * arity, nothing, nothing, coalesced=True)


def always() -> Relation:
    """The relation without arguments that holds at all times."""
    start, end = np.array([NEGATIVE_INFINITY]), np.array([POSITIVE_INFINITY])
    return Relation((), start, end, coalesced=True)


def concat(relations: Sequence[Relation], arity: int) -> Relation:
    """All rows of several relations of one arity, not coalesced."""
    filled = [relation for relation in relations if len(relation)]
    if not filled:
        return empty(arity)
    if len(filled) == 1:
        return filled[0]
    reserve(sum(map(len, filled)), arity + 2)
    columns = tuple(np.concatenate([r.columns[i] for r in filled]) for i in range(arity))
    return Relation(columns, np.concatenate([r.start for r in filled]), np.concatenate([r.end for r in filled]))


def mirror(relation: Relation) -> Relation:
    """The relation with time running backwards: the code −c is the mirror image of the code c."""
    return Relation(relation.columns, -relation.end, -relation.start)
