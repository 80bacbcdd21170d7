"""Facts at single time points: what patterns are matched with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.columnar.arrays import Bools, Ints, expand_ranges
from thalweg.columnar.relation import Relation
from thalweg.errors import DataError, Diagnostic
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

MOST_POINTS = 50_000_000
"""Facts that hold at more time points than this, in one batch, are not written out."""


@dataclass(frozen=True)
class PointFacts:
    """Facts of one predicate: columns of codes, and the time point of each."""

    columns: tuple[Ints, ...]
    times: Ints

    def __len__(self) -> int:
        return len(self.times)

    def take(self, rows: Ints | Bools) -> PointFacts:
        """The chosen facts."""
        return PointFacts(tuple(column[rows] for column in self.columns), self.times[rows])

    def relation(self) -> Relation:
        """The facts as a relation."""
        return Relation(self.columns, self.times, self.times)


def points_of(predicate: str, relation: Relation) -> PointFacts:
    """The facts of a relation on the integer timeline, one for each time point."""
    start, end = relation.start, relation.end
    if start is end or np.array_equal(start, end):
        return PointFacts(relation.columns, start)
    if (start == NEGATIVE_INFINITY).any() or (end == POSITIVE_INFINITY).any() or (end - start).sum() > MOST_POINTS:
        message = f"a fact of {predicate} holds for ever, or for too long to wait for single time points"
        raise DataError([Diagnostic("E439", None, message, f"give {predicate} time points, or declare it background")])
    owner, times = expand_ranges(start, end + 1)
    return PointFacts(tuple(column[owner] for column in relation.columns), times)


def concat_facts(parts: Sequence[PointFacts]) -> PointFacts:
    """All facts of several parts."""
    if len(parts) == 1:
        return parts[0]
    columns = zip(*(part.columns for part in parts), strict=True)
    return PointFacts(tuple(map(np.concatenate, columns)), np.concatenate([part.times for part in parts]))


def no_facts(arity: int) -> PointFacts:
    """No facts of so many arguments."""
    nothing = np.empty(0, dtype=np.int64)
    return PointFacts((nothing,) * arity, nothing)
