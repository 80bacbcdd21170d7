"""Facts of negated atoms, kept for as long as rows may come that they contradict; rows that contradict themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from thalweg.analysis.hypotheses.delays import Delays
from thalweg.analysis.hypotheses.patterns import Pattern
from thalweg.analysis.hypotheses.terms import Shifted, TimedAtom
from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.matching import grouped, occurs_in
from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.matching import UNBOUND, Matches, term_codes
from thalweg.engine.hypotheses.rows import Rows


@dataclass
class Blocked:
    """Bindings for which a negated atom holds.

    ``variables`` are those that rows bind; others of the atom stand for anything. A binding with the time variable v
    can go when v + ``keep`` is over; without ``keep`` it stays for ever. ``clashing`` are atoms that rows have or
    await, which may have an instance in common with the negated one.
    """

    atom: TimedAtom
    variables: tuple[str, ...]
    time: str | None
    keep: int | None
    clashing: tuple[TimedAtom, ...] = ()
    columns: dict[str, Ints] = field(default_factory=dict)
    size: int = 0

    @classmethod
    def of(cls, pattern: Pattern, atom: TimedAtom, delays: Delays, *, timed: bool = True) -> Blocked:
        """Nothing blocked yet; without ``timed`` the atom is background, which holds at all times."""
        names = atom.variables if timed else atom.argument_variables
        variables = tuple(name for name in names if name in pattern.variables)
        time = atom.time.variable if timed and isinstance(atom.time, Shifted) else None
        beside = [each for each in pattern.atoms if isinstance(each.time, Shifted) and each.time.variable == time]
        bound = {name for each in beside for name in each.variables}
        keep = None
        if time is not None and beside and bound.issuperset(variables):
            # Every row that the fact can contradict is there once these atoms have come.
            keep = max(each.time.offset + delays.longest(each) for each in beside if isinstance(each.time, Shifted))
        clashing = tuple(each for each in pattern.atoms if each.predicate == atom.predicate)
        return cls(atom, variables, time, keep, clashing, {name: np.empty(0, dtype=np.int64) for name in variables})

    def add(self, found: Matches) -> None:
        """More facts."""
        if not len(found):
            return
        columns = {name: np.concatenate((self.columns[name], found.columns[name])) for name in self.variables}
        size = self.size + found.size
        if not self.variables:
            self.size = 1
            return
        order, starts = grouped(list(columns.values()), size)
        first = order[starts]
        self.hold({name: column[first] for name, column in columns.items()}, len(first))

    def hold(self, columns: dict[str, Ints], size: int) -> None:
        """Go on with these."""
        self.columns, self.size = columns, size

    def contains(self, rows: Rows) -> Bools:
        """Which rows are contradicted."""
        return occurs_in(rows.pick(self.variables), list(self.columns.values()), (len(rows), self.size))

    def is_needed(self, rows: Rows, values: Values) -> Bools:
        """Which rows contradict themselves: they have or await an instance of the negated atom."""
        found = np.zeros(len(rows), dtype=np.bool_)
        for atom in self.clashing:
            same = np.ones(len(rows), dtype=np.bool_)
            for term, negated in zip(atom.terms, self.atom.terms, strict=True):
                stands_for_anything = isinstance(negated, Shifted) and negated.variable not in self.variables
                if term != negated and not stands_for_anything:
                    codes = term_codes(term, rows.columns, len(rows), values)
                    same &= (codes == term_codes(negated, rows.columns, len(rows), values)) & (codes != UNBOUND)
            found |= same
        return found

    def forget(self, closed: int) -> None:
        """Drop what no row to come can meet."""
        if self.time is None or self.keep is None or not self.size:
            return
        kept = (self.columns[self.time] >> 1) + self.keep > closed
        if not kept.all():
            self.hold({name: column[kept] for name, column in self.columns.items()}, int(kept.sum()))
