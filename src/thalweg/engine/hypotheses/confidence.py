"""How likely it is that what a row awaits will come.

The model: whether an atom is true is decided for each atom by itself, with the declared probability; the fact of a true
atom arrives k time points later with the declared probability p_k, or never where these sum to less than 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thalweg.analysis.hypotheses.delays import Declared, pattern_values
from thalweg.analysis.hypotheses.terms import TimedAtom
from thalweg.columnar.arrays import Bools, Ints
from thalweg.engine.hypotheses.lengths import Lengths, is_narrower
from thalweg.engine.hypotheses.matching import time_of
from thalweg.engine.hypotheses.pattern_rows import PatternRows
from thalweg.engine.hypotheses.rows import Rows
from thalweg.model.program import Program

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Confidence:
    """The probability that rows will be confirmed; not a number where a probability or a time is not known."""

    program: Program
    lengths: Lengths

    @cached_property
    def truths(self) -> Mapping[str, tuple[tuple[Declared, float], ...]]:
        """The declared probabilities of each predicate."""
        found: dict[str, list[tuple[Declared, float]]] = {}
        for each in self.program.probabilities:
            arity = self.program.signatures[each.predicate].arity if each.predicate in self.program.signatures else 0
            pattern = Declared(pattern_values(each.arguments, arity), 0)
            found.setdefault(each.predicate, []).append((pattern, float(each.value)))
        return {name: tuple(several) for name, several in found.items()}

    def of_rows(self, pattern: PatternRows, rows: Rows, closed: int) -> Floats:
        """The product over all hypotheses: atoms that come, and negated atoms that do not."""
        found = np.ones(len(rows))
        for atom, awaited in pattern.hypotheses(rows):
            found *= np.where(awaited, self._comes(atom, rows, closed), 1.0)
        for atom in pattern.absences:
            over = pattern.untils(rows, atom) <= closed
            found *= np.where(over, 1.0, 1.0 - self._comes(atom, rows, closed))
        return found

    def _comes(self, atom: TimedAtom, rows: Rows, closed: int) -> Floats:
        """The probability that an atom still arrives, given that it has not by now."""
        size = len(rows)
        times = time_of(atom.time, rows.columns)
        if times is None or atom.predicate not in self.truths:
            return np.full(size, np.nan)
        columns = self.lengths.codes(atom, rows.columns, size)
        truth = self._truth(atom, columns, size)
        passed = np.broadcast_to(closed - np.asarray(times), (size,))
        arrived, all_in_all = self._arrived(atom, columns, passed, size)
        with np.errstate(invalid="ignore", divide="ignore"):
            later = truth * (all_in_all - arrived) / (1.0 - truth * arrived)
        # Whoever is sure to have arrived by now, and has not, does not come.
        return np.where(truth * arrived >= 1.0, 0.0, later)

    def _truth(self, atom: TimedAtom, columns: list[Ints | None], size: int) -> Floats:
        several = self.truths[atom.predicate]
        matching = self.lengths.matching([pattern for pattern, _ in several], columns, size)
        found = np.full(size, np.nan)
        for (pattern, probability), rows in zip(several, matching, strict=True):
            wins = rows & ~_any(
                other for (each, _), other in zip(several, matching, strict=True) if is_narrower(each, pattern)
            )
            found = np.where(wins, np.fmin(found, probability), found)
        return found

    def _arrived(self, atom: TimedAtom, columns: list[Ints | None], passed: Ints, size: int) -> tuple[Floats, Floats]:
        """For a true atom: the probability to have arrived by now, and the one to arrive at all."""
        # Of equally specific declarations the longest counts, as for δ itself: it comes last.
        declared_for = self.lengths.delays.for_predicate(atom.predicate, len(atom.arguments))
        several = sorted(declared_for, key=lambda each: each.length)
        matching = self.lengths.matching(several, columns, size)
        arrived, in_all = np.zeros(size), np.ones(size)
        for declared, rows in zip(several, matching, strict=True):
            narrower = (other for each, other in zip(several, matching, strict=True) if is_narrower(each, declared))
            wins = rows & ~_any(narrower)
            sums = _cumulated(declared)
            by_now = np.where(passed < 0, 0.0, sums[np.clip(passed, 0, len(sums) - 1)])
            arrived, in_all = np.where(wins, by_now, arrived), np.where(wins, sums[-1], in_all)
        return arrived, in_all


def _cumulated(declared: Declared) -> Floats:
    """The probability to have arrived after 0, 1, … time points; all delays are equally likely unless declared."""
    parts = declared.arrivals or (Fraction(1, declared.length + 1),) * (declared.length + 1)
    total, sums = Fraction(0), []
    for part in parts:
        total += part
        sums.append(float(total))
    return np.array(sums)


def _any(masks: Iterable[Bools]) -> Bools:
    found = np.zeros(1, dtype=np.bool_)
    for mask in masks:
        found = found | mask
    return found
