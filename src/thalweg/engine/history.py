"""What holds, and in which order it became known: for explanations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from thalweg.columnar.arrays import Ints
from thalweg.columnar.relation import Relation, concat
from thalweg.engine.interpretation import Interpretation
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

GIVEN = 0
"""The number of the facts that were given."""


class History(Interpretation):
    """An interpretation that numbers its facts: what was given first, then what rules added, addition by addition.

    Whatever a rule added follows from facts with smaller numbers. Of a fact that holds already, only what is new gets
    the number of the addition. ``within`` are the ranges of time in which predicates are known, ``timeline`` is that of
    the time points there are.
    """

    def __init__(self) -> None:
        super().__init__()
        self.within: Mapping[str, tuple[int, int]] = {}
        self.timeline = NEGATIVE_INFINITY, POSITIVE_INFINITY
        self._additions: dict[str, list[tuple[int, Relation]]] = {}
        self._number = GIVEN

    def set(self, predicate: str, relation: Relation) -> None:
        """Give a predicate its first facts."""
        super().set(predicate, relation)
        self._additions[predicate] = [(GIVEN, self.relation(predicate, relation.arity))]

    def add(self, predicate: str, derived: Relation) -> Relation:
        """Add facts; returns those that are new, coalesced."""
        new = super().add(predicate, derived)
        if len(new):
            self._number += 1
            self._additions.setdefault(predicate, []).append((self._number, new))
        return new

    def numbered(self, predicate: str, arity: int) -> tuple[Relation, Ints]:
        """The facts of a predicate as they were added, not coalesced, and the number of each."""
        additions = self._additions.get(predicate, ())
        numbers = [np.full(len(relation), number, dtype=np.int64) for number, relation in additions]
        relation = concat([relation for _, relation in additions], arity)
        return relation, np.concatenate(numbers) if numbers else np.empty(0, dtype=np.int64)
