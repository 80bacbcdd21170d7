"""All that follows from a program and facts, by the oracle, on a grid that is fine enough for an explanation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from thalweg.model.formula import Atom, Value
from thalweg.model.program import Fact, Program
from thalweg.null import Null
from thalweg.testing.cells import Cells, Grid
from thalweg.testing.constants import constants
from thalweg.testing.fixpoint import Fixpoint
from thalweg.testing.grounding import Interpretation
from thalweg.testing.horizon import horizon
from thalweg.testing.lars.meaning import LarsMeanings
from thalweg.testing.lars.timeline import background_predicates, timeline_of
from thalweg.testing.meaning import Meanings
from thalweg.time.interval import Interval

FULL = "#full"
"""What is written after the name of a predicate to mean all that holds of it, not only what premises say."""

_TIMES = "#times"
"""A predicate for times that the grid must know."""


@dataclass
class FullModel:
    """What was given and what follows from it, as cells of a grid."""

    program: Program
    grid: Grid
    given: Interpretation
    holds: Interpretation

    @classmethod
    def of(cls, program: Program, facts: Iterable[Fact], times: Iterable[Interval]) -> FullModel:
        """The model; ``times`` are those that will be asked about."""
        facts = (*program.facts, *facts)
        times = list(times)
        ends = [end for each in times for end in (each.start, each.end) if not isinstance(end, float)]
        start, end = min(ends, default=Fraction(0)), max(ends, default=Fraction(0))
        if program.is_windowed:
            grid = timeline_of(program, facts, end)
            given, fixpoint = (Fixpoint.of_lars(program, facts, grid) for _ in range(2))
        else:
            marks = tuple(Fact(Atom(_TIMES), each) for each in times)
            grid = horizon(program, (*facts, *marks), start, end, None)
            given, fixpoint = (Fixpoint.of_metric(program, facts, grid) for _ in range(2))
        fixpoint.saturate(program.rules, grid.everywhere)
        return cls(program, grid, given.meanings.interpretation, fixpoint.meanings.interpretation)

    @property
    def nulls(self) -> set[Null]:
        """The nulls that rules make."""
        found: set[Null] = set()
        for relation in self.holds.values():
            for arguments in relation:
                found |= {value for value in arguments if isinstance(value, Null)}
        return found

    def cells(self, predicate: str, arguments: tuple[Value, ...]) -> Cells:
        """Where an atom holds."""
        return self.holds.get(predicate, {}).get(arguments, 0)

    def given_cells(self, predicate: str, arguments: tuple[Value, ...]) -> Cells:
        """Where an atom was given."""
        return self.given.get(predicate, {}).get(arguments, 0)

    def meanings(self, premises: Interpretation | None = None) -> Meanings:
        """What formulas mean when only the premises hold, and of predicates called P#full everything; or everything."""
        holds = {name: dict(relation) for name, relation in (self.holds if premises is None else premises).items()}
        holds |= {name + FULL: dict(relation) for name, relation in self.holds.items()}
        if not self.program.is_windowed:
            return Meanings(self.grid, holds, constants(self.program))
        background = background_predicates(self.program)
        everywhere = frozenset({*background, *(name + FULL for name in background)})
        return LarsMeanings(self.grid, holds, constants(self.program), everywhere)


def in_full(atom: Atom) -> Atom:
    """The atom of which all that holds counts."""
    return replace(atom, predicate=atom.predicate + FULL)
