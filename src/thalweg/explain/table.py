"""A relation in which facts are looked up by their arguments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thalweg.columnar.arrays import Ints
from thalweg.columnar.relation import Relation


class Table:
    """The rows of a relation, with the number of each where they are numbered; columns are sorted when first asked."""

    def __init__(self, relation: Relation, numbers: Ints | None) -> None:
        self.relation = relation
        self.numbers = numbers
        self._sorted: dict[int, tuple[Ints, Ints]] = {}

    def rows(self, codes: Sequence[int | None], low: int, high: int, before: int | None = None) -> Relation:
        """The rows with these arguments (None is any) that reach into [low, high], numbered below a number."""
        chosen = self.find(codes, low, high)
        if before is not None:
            assert self.numbers is not None
            chosen = chosen[self.numbers[chosen] < before]
        if len(chosen) == len(self.relation):
            return self.relation
        return self.relation.take(chosen, coalesced=self.relation.coalesced)

    def last_number(self, codes: Sequence[int], low: int, high: int) -> int:
        """The greatest number of the rows with these arguments that reach into [low, high]; -1 without any."""
        assert self.numbers is not None
        numbers = self.numbers[self.find(codes, low, high)]
        return int(numbers.max()) if len(numbers) else -1

    def find(self, codes: Sequence[int | None], low: int, high: int) -> Ints:
        """Where the rows with these arguments stand that reach into [low, high], in ascending order."""
        relation = self.relation
        known = [(place, code) for place, code in enumerate(codes) if code is not None]
        if not known:
            keep = (relation.start <= high) & (relation.end >= low)
            return np.flatnonzero(keep)
        first, code = known[0]
        order, column = self._order(first)
        rows = np.sort(order[np.searchsorted(column, code) : np.searchsorted(column, code, side="right")])
        keep = (relation.start[rows] <= high) & (relation.end[rows] >= low)
        for place, code in known[1:]:
            keep &= relation.columns[place][rows] == code
        return rows[keep]

    def _order(self, place: int) -> tuple[Ints, Ints]:
        if place not in self._sorted:
            order = np.argsort(self.relation.columns[place], kind="stable")
            self._sorted[place] = order, self.relation.columns[place][order]
        return self._sorted[place]
