"""Partial matches as columns: a row has a value for each bound variable, and a bit for each atom that has arrived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.budget import reserve
from thalweg.columnar.matching import agreeing_pairs, grouped, occurs_in

BITS = 61
"""Bits to a word: words are kept as even numbers beside codes of values, and must fit."""


@dataclass(frozen=True)
class Rows:
    """Rows with the same bound variables; ``matched`` has a column of bits for every :data:`BITS` atoms."""

    columns: Mapping[str, Ints]
    matched: Ints

    def __len__(self) -> int:
        return len(self.matched)

    @property
    def variables(self) -> tuple[str, ...]:
        """The bound variables."""
        return tuple(self.columns)

    def take(self, rows: Ints | Bools) -> Rows:
        """The chosen rows."""
        reserve(len(rows), len(self.columns) + self.matched.shape[1])
        return Rows({name: column[rows] for name, column in self.columns.items()}, self.matched[rows])

    def has(self, atom: int) -> Bools:
        """In which rows an atom has arrived."""
        word, bit = divmod(atom, BITS)
        arrived: Bools = (self.matched[:, word] >> bit & 1).astype(np.bool_)
        return arrived

    def with_atom(self, atom: int, rows: Bools | None = None) -> Rows:
        """The rows with an atom that has arrived, in some of them or in all."""
        word, bit = divmod(atom, BITS)
        matched = self.matched.copy()
        matched[slice(None) if rows is None else rows, word] |= 1 << bit
        return Rows(self.columns, matched)

    def pick(self, names: Iterable[str]) -> list[Ints]:
        """Some of the columns."""
        return [self.columns[name] for name in names]


@dataclass(frozen=True)
class Merged:
    """Rows of equal bindings made one. ``before`` has where each stood among the old rows, −1 for new ones."""

    rows: Rows
    before: Ints
    grown: Bools


def no_rows(variables: Sequence[str], words: int) -> Rows:
    """No rows."""
    nothing = np.empty(0, dtype=np.int64)
    return Rows(dict.fromkeys(variables, nothing), np.empty((0, words), dtype=np.int64))


def word_count(atoms: int) -> int:
    """How many words the bits of atoms need."""
    return max(1, -(-atoms // BITS))


def full_match(atoms: int) -> Ints:
    """The words of a row in which all atoms have arrived."""
    words = np.zeros(word_count(atoms), dtype=np.int64)
    for atom in range(atoms):
        word, bit = divmod(atom, BITS)
        words[word] |= 1 << bit
    return words


def concat_rows(parts: Sequence[Rows]) -> Rows:
    """All rows of several parts with the same variables, in any order of the variables."""
    if len(parts) == 1:
        return parts[0]
    names = parts[0].variables
    reserve(sum(map(len, parts)), len(names) + parts[0].matched.shape[1])
    columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in names}
    return Rows(columns, np.concatenate([part.matched for part in parts]))


def merge(old: Rows, fresh: Sequence[Rows], start: Rows) -> Merged:
    """The rows with others added: equal bindings become one row, with all atoms that have arrived.

    ``start`` are the old rows as they were; rows have grown that have more atoms than then.
    """
    everything = concat_rows([old, *fresh])
    order, starts = grouped(list(everything.columns.values()), len(everything))
    if not everything.columns and len(everything):
        order, starts = np.arange(len(everything)), np.zeros(1, dtype=np.int64)
    first = order[starts]
    reserve(len(everything), len(everything.columns) + 2 * everything.matched.shape[1])
    ordered = everything.matched[order]
    matched = np.bitwise_or.reduceat(ordered, starts, axis=0) if len(starts) else ordered
    rows = Rows({name: column[first] for name, column in everything.columns.items()}, matched)
    return _compared(rows, np.where(first < len(old), first, -1), start)


def unmerged(old: Rows, start: Rows) -> Merged:
    """The old rows alone, compared with what they were."""
    return _compared(old, np.arange(len(old)), start)


def _compared(rows: Rows, before: Ints, start: Rows) -> Merged:
    grown = before < 0
    known = ~grown
    grown[known] = (rows.matched[known] != start.matched[before[known]]).any(axis=1)
    return Merged(rows, before, grown)


def joined(rows: Rows, matches: Mapping[str, Ints], size: int) -> Rows:
    """Rows extended by matches of an atom that agree with them on shared variables: the forks (Example 6)."""
    shared = [name for name in matches if name in rows.columns]
    left, right = agreeing_pairs(rows.pick(shared), [matches[name] for name in shared], (len(rows), size))
    taken = rows.take(left)
    reserve(len(left), len(matches))
    added = {name: column[right] for name, column in matches.items() if name not in rows.columns}
    return Rows({**taken.columns, **added}, taken.matched)


def arrived_in(rows: Rows, matches: Mapping[str, Ints], size: int) -> Bools:
    """In which rows an atom without unbound variables has arrived."""
    return occurs_in(rows.pick(matches), list(matches.values()), (len(rows), size))
