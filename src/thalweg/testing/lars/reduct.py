"""Ground rules, and the reduct of a program (LARS paper, Definition 8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from thalweg.model.binding import bound_by_all
from thalweg.model.formula import Aggregate, Atom, Top
from thalweg.model.program import Program, Rule
from thalweg.testing.aggregates import results_of
from thalweg.testing.cells import Cells, cell_numbers
from thalweg.testing.consequence import Consequence
from thalweg.testing.grounding import ground
from thalweg.testing.lars.entailment import entails
from thalweg.testing.lars.meaning import LarsMeanings
from thalweg.testing.values import Substitution


@dataclass(frozen=True)
class GroundRule:
    """A rule with values for all its variables, at one time point (a cell)."""

    rule: Rule
    substitution: Substitution
    cell: int

    def is_satisfied(self, meanings: LarsMeanings) -> bool:
        """Whether the head holds if the body does: the rule as a classical implication."""
        return self.head_holds(meanings) or not self.body_holds(meanings)

    def body_holds(self, meanings: LarsMeanings) -> bool:
        """Whether (M, S*, t) entails the body."""
        structure, time = meanings.structure, int(meanings.grid.start) + self.cell
        return all(
            self._has_result(literal, meanings)
            if isinstance(literal, Aggregate)
            else entails(structure, structure.stream, time, literal, self.substitution)
            for literal in self.rule.body
        )

    def head_holds(self, meanings: LarsMeanings) -> bool:
        """Whether the atom of the head holds at all times of the timeline at which the head asks for it."""
        core = self.rule.head_core
        asked = meanings.of_head(self.rule.head)(self.substitution, 1 << self.cell)
        if not isinstance(core, Atom):
            return isinstance(core, Top) or not asked
        arguments = ground(core, self.substitution, int(meanings.grid.start) + self.cell)
        held = meanings.interpretation.get(core.predicate, {}).get(arguments, 0)
        return not asked & ~held

    def _has_result(self, aggregate: Aggregate, meanings: LarsMeanings) -> bool:
        others = [literal for literal in self.rule.body if not isinstance(literal, Aggregate)]
        total = bound_by_all(others).issuperset(aggregate.groups)
        results = results_of(aggregate, total, meanings)(self.substitution)
        return bool(results.get(self.substitution[aggregate.result.name], 0) >> self.cell & 1)


def reduct(program: Program, meanings: LarsMeanings, when: Cells) -> Iterator[GroundRule]:
    """P^{M,t} for the time points ``when``: the ground rules whose bodies hold."""
    for rule in program.rules:
        for substitution, cells in Consequence(rule, meanings, when).instances():
            yield from (GroundRule(rule, substitution, cell) for cell in cell_numbers(cells))
