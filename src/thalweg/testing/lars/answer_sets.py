"""Models and answers by trying everything (LARS paper, Definitions 8 and 9)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from thalweg.model.formula import Value
from thalweg.model.program import Fact, Program
from thalweg.testing.cells import Cells, Grid, cell_numbers
from thalweg.testing.constants import constants
from thalweg.testing.fixpoint import Answers, Fixpoint
from thalweg.testing.grounding import EMPTY, Interpretation, ground
from thalweg.testing.lars.meaning import LarsMeanings
from thalweg.testing.lars.reduct import reduct
from thalweg.testing.lars.relax import relaxed
from thalweg.testing.lars.timeline import background_predicates, timeline_of
from thalweg.time.interval import Interval, point
from thalweg.time.interval_set import IntervalSet
from thalweg.time.timeline import Timeline

TimedAtom = tuple[str, tuple[Value, ...], int]
"""A predicate, its arguments, and a time point at which the atom holds."""

Stream = frozenset[TimedAtom]
"""An interpretation stream: the data and what else holds, without the background."""


def is_model(
    program: Program, facts: Iterable[Fact], interpretation: Iterable[TimedAtom], at: int | None = None
) -> bool:
    """Whether an interpretation is a model of a program at a time; without one, at all time points (Definition 8)."""
    task = _Task.of(program, facts, at)
    return task.is_model(frozenset(interpretation))


def is_minimal_model_of_reduct(
    program: Program, facts: Iterable[Fact], interpretation: Iterable[TimedAtom], at: int | None = None
) -> bool:
    """Whether an interpretation is an answer (Definition 9): it, but no smaller one, satisfies its reduct."""
    return _Task.of(program, facts, at).is_answer(frozenset(interpretation))


def brute_force_answers(program: Program, facts: Iterable[Fact], at: int | None = None, most: int = 12) -> list[Stream]:
    """All answers of a program at a time, or, without one, those in which the rules hold at all time points.

    Every set of atoms is tried that could be derived if negations were true; there may be ``most`` such atoms.
    """
    task = _Task.of(program, facts, at)
    candidates = sorted(task.derivable() - task.data, key=repr)
    if len(candidates) > most:
        raise ValueError(f"{len(candidates)} atoms may or may not hold, which are more than {most}")
    return [each for derived in _subsets(candidates) if task.is_answer(each := task.data | derived)]


def as_answers(stream: Iterable[TimedAtom]) -> Answers:
    """A stream as the intervals at which each atom holds."""
    times: dict[tuple[str, tuple[Value, ...]], list[Interval]] = {}
    for predicate, arguments, time in sorted(stream, key=lambda each: each[2]):
        times.setdefault((predicate, arguments), []).append(point(time))
    return {atom: IntervalSet(tuple(points), Timeline.INTEGER).intervals for atom, points in times.items()}


@dataclass(frozen=True)
class _Task:
    program: Program
    facts: tuple[Fact, ...]
    grid: Grid
    when: Cells
    """The cells at which rules are to be satisfied."""

    @classmethod
    def of(cls, program: Program, facts: Iterable[Fact], at: int | None) -> _Task:
        facts = (*program.facts, *facts)
        grid = timeline_of(program, facts)
        return cls(program, facts, grid, grid.everywhere if at is None else grid.cells_of(point(at)))

    @property
    def data(self) -> Stream:
        """The data stream D."""
        return frozenset(
            timed
            for fact in self.facts
            if fact.atom.predicate not in background_predicates(self.program)
            for timed in self._timed(fact.atom.predicate, ground(fact.atom, EMPTY), self.grid.cells_of(fact.interval))
        )

    def is_model(self, stream: Stream) -> bool:
        meanings = self._meanings(stream)
        return self.data <= stream and all(
            rule.head_holds(meanings) for rule in reduct(self.program, meanings, self.when)
        )

    def is_answer(self, stream: Stream) -> bool:
        if not self.is_model(stream):
            return False
        rules = list(reduct(self.program, self._meanings(stream), self.when))
        for derived in _subsets(sorted(stream - self.data, key=repr)):
            smaller = self._meanings(self.data | derived)
            if self.data | derived != stream and all(rule.is_satisfied(smaller) for rule in rules):
                return False
        return True

    def derivable(self) -> Stream:
        """What could be derived at most."""
        fixpoint = Fixpoint.of_lars(relaxed(self.program), self.facts, self.grid)
        fixpoint.saturate(relaxed(self.program).rules, self.when)
        background = background_predicates(self.program)
        return frozenset(
            timed
            for predicate, relation in fixpoint.meanings.interpretation.items()
            if predicate not in background
            for arguments, cells in relation.items()
            for timed in self._timed(predicate, arguments, cells)
        )

    def _meanings(self, stream: Stream) -> LarsMeanings:
        background = background_predicates(self.program)
        holds: Interpretation = {}
        for fact in self.facts:
            if fact.atom.predicate in background:
                holds.setdefault(fact.atom.predicate, {})[ground(fact.atom, EMPTY)] = self.grid.everywhere
        for predicate, arguments, time in stream:
            relation = holds.setdefault(predicate, {})
            relation[arguments] = relation.get(arguments, 0) | self.grid.cells_of(point(time))
        return LarsMeanings(self.grid, holds, constants(self.program), background)

    def _timed(self, predicate: str, arguments: tuple[Value, ...], cells: Cells) -> Iterator[TimedAtom]:
        return ((predicate, arguments, int(self.grid.start) + cell) for cell in cell_numbers(cells))


def _subsets(atoms: list[TimedAtom]) -> Iterator[Stream]:
    """All subsets, small ones first."""
    sizes = range(len(atoms) + 1)
    return (frozenset(subset) for size in sizes for subset in itertools.combinations(atoms, size))
