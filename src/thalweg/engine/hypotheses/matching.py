"""Facts that are instances of an atom, as bindings of its variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from thalweg.analysis.hypotheses.terms import PatternTerm, TimedAtom, Value
from thalweg.columnar.arrays import Ints
from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.point_facts import PointFacts


@dataclass(frozen=True)
class Matches:
    """Bindings of an atom's variables, a row for each fact that is an instance. Time t has the code of the number t."""

    columns: Mapping[str, Ints]
    size: int

    def __len__(self) -> int:
        return self.size


def match_facts(atom: TimedAtom, facts: PointFacts, values: Values, *, timed: bool = True) -> Matches:
    """The unifiers of an atom and facts (all ground); without ``timed`` the atom holds at all times."""
    keep = np.ones(len(facts), dtype=np.bool_)
    columns: dict[str, Ints] = {}
    terms: list[tuple[PatternTerm, Ints]] = list(zip(atom.arguments, facts.columns, strict=True))
    if timed:
        terms.append((atom.time, facts.times * 2))
    for term, codes in terms:
        if isinstance(term, Value):
            keep &= codes == values.code(term.value)
            continue
        column = codes
        if term.offset:
            keep &= codes & 1 == 0
            column = codes - 2 * term.offset
        if term.variable in columns:
            keep &= columns[term.variable] == column
        else:
            columns[term.variable] = column
    if keep.all():
        return Matches(columns, len(facts))
    return Matches({name: column[keep] for name, column in columns.items()}, int(keep.sum()))


def term_codes(term: PatternTerm, columns: Mapping[str, Ints], size: int, values: Values) -> Ints:
    """The codes of a term in rows, :data:`UNBOUND` where it has no value."""
    if isinstance(term, Value):
        return np.full(size, values.code(term.value), dtype=np.int64)
    if term.variable not in columns:
        return np.full(size, UNBOUND, dtype=np.int64)
    return columns[term.variable] + 2 * term.offset


def time_of(term: PatternTerm, columns: Mapping[str, Ints]) -> Ints | int | None:
    """The time points that a term stands for in rows; None where it is unbound."""
    if isinstance(term, Value):
        return int(Fraction(term.value))
    if term.variable not in columns:
        return None
    return (columns[term.variable] >> 1) + term.offset


UNBOUND = -(1 << 62)
"""In place of the code of a variable without a value; no value has it."""
