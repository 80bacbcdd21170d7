"""δ of atoms in rows, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.analysis.hypotheses.delays import Declared, Delays
from thalweg.analysis.hypotheses.terms import TimedAtom, Value
from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.point_facts import PointFacts


@dataclass(frozen=True)
class Lengths:
    """δ of facts, and of the atoms of rows, bound or not."""

    delays: Delays
    values: Values

    def of_facts(self, predicate: str, facts: PointFacts) -> Ints | int:
        """δ of each fact."""
        several = self.delays.for_predicate(predicate, len(facts.columns))
        if len(several) == 1:
            return several[0].length
        return self._longest(several, list(facts.columns), len(facts))

    def of_atom(self, atom: TimedAtom, columns: Mapping[str, Ints], size: int) -> Ints | int:
        """δ of an atom in each row: the longest of all its instances."""
        several = self.delays.for_predicate(atom.predicate, len(atom.arguments))
        if len(several) == 1:
            return several[0].length
        return self._longest(several, self.codes(atom, columns, size), size)

    def codes(self, atom: TimedAtom, columns: Mapping[str, Ints], size: int) -> list[Ints | None]:
        """The columns of an atom's arguments; None for unbound ones."""
        found: list[Ints | None] = []
        for term in atom.arguments:
            if isinstance(term, Value):
                found.append(np.full(size, self.values.code(term.value), dtype=np.int64))
            else:
                found.append(columns[term.variable] + 2 * term.offset if term.variable in columns else None)
        return found

    def matching(self, several: Sequence[Declared], columns: Sequence[Ints | None], size: int) -> list[Bools]:
        """For each declaration, the rows all of whose instances it matches."""
        return [self._matches(each, columns, size, unbound=False) for each in several]

    def _longest(self, several: Sequence[Declared], columns: Sequence[Ints | None], size: int) -> Ints:
        possible = [self._matches(each, columns, size, unbound=True) for each in several]
        certain = self.matching(several, columns, size)
        longest = np.zeros(size, dtype=np.int64)
        for each, rows in zip(several, possible, strict=True):
            counts = rows.copy()
            for other, sure in zip(several, certain, strict=True):
                if is_narrower(other, each):
                    counts &= ~sure
            longest = np.where(counts, np.maximum(longest, each.length), longest)
        return longest

    def _matches(self, declared: Declared, columns: Sequence[Ints | None], size: int, *, unbound: bool) -> Bools:
        rows = np.ones(size, dtype=np.bool_)
        for value, column in zip(declared.values, columns, strict=True):
            if value is not None:
                rows &= unbound if column is None else column == self.values.code(value)
        return rows


def is_narrower(declared: Declared, other: Declared) -> bool:
    """Whether a declaration matches only a part of what another does."""
    return declared.is_within(other) and not other.is_within(declared)
