"""One rule's share in the immediate consequence operator (journal paper, Section 2)."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.model.formula import Atom, Not, atoms
from thalweg.model.program import Rule
from thalweg.testing.cells import Cells
from thalweg.testing.grounding import Grounding
from thalweg.testing.meaning import Meanings
from thalweg.testing.values import Substitution


class Consequence:
    """What a rule derives from the present interpretation."""

    def __init__(self, rule: Rule, meanings: Meanings) -> None:
        self.rule = rule
        self.meanings = meanings
        self.reads = {atom.predicate for literal in rule.body for atom in atoms(literal)}
        self.grounding = Grounding(rule.body, meanings.grid.timeline)
        # Negations last: often nothing is left for them to be asked about.
        self.literals = [meanings.of(part) for part in sorted(rule.body, key=lambda p: isinstance(p, Not))]
        self.under_boxes = meanings.of_head(rule.head)

    @property
    def head(self) -> Atom:
        """The atom under the head's boxes."""
        core = self.rule.head_core
        assert isinstance(core, Atom)
        return core

    def depends_on(self, changed: set[str]) -> bool:
        """Whether a change in these predicates can change what the rule derives."""
        return bool(self.reads & changed) or (bool(changed) and self.grounding.needs_domain)

    def derived(self) -> Iterator[tuple[Substitution, Cells]]:
        """For each substitution, the cells at which the head's atom must hold."""
        for substitution, cells in self.fired():
            yield substitution, self.under_boxes(cells)

    def fired(self) -> Iterator[tuple[Substitution, Cells]]:
        """For each substitution, the cells at which the body holds, where there are any."""
        for substitution in self.meanings.substitutions(self.grounding):
            cells = self.meanings.grid.everywhere
            for literal in self.literals:
                cells = cells and cells & literal(substitution)
            if cells:
                yield substitution, cells
