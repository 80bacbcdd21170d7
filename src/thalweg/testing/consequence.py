"""One rule's share in the immediate consequence operator (journal paper, Section 2).

With nulls for the existential variables of heads it is the skolem chase (LARS+ paper, Appendix B).
"""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.model.formula import Atom, Value, atoms, skolems
from thalweg.model.program import Rule
from thalweg.testing.cells import Cells, cell_numbers
from thalweg.testing.grounding import EMPTY, ground
from thalweg.testing.meaning import Meanings
from thalweg.testing.scope import free_names
from thalweg.testing.steps import Row, Step, steps_of
from thalweg.time.timeline import Timeline

Derived = tuple[tuple[Value, ...], Cells]
"""The arguments of an atom, and the cells at which it holds."""


class Consequence:
    """What a rule derives from the present interpretation; it is asked at the cells ``when`` only."""

    def __init__(self, rule: Rule, meanings: Meanings, when: Cells) -> None:
        self.rule = rule
        self.when = when
        self.reads = {atom.predicate for literal in rule.body for atom in atoms(literal)}
        self.grid = meanings.grid
        self.steps = steps_of(rule.body, meanings)
        self.in_head = meanings.of_head(rule.head)
        self.needs_domain = _needs_domain(self.steps)

    @property
    def head(self) -> Atom:
        """The atom under the head's boxes."""
        core = self.rule.head_core
        assert isinstance(core, Atom)
        return core

    def depends_on(self, changed: set[str]) -> bool:
        """Whether a change in these predicates can change what the rule derives."""
        return bool(self.reads & changed) or (bool(changed) and self.needs_domain)

    def derived(self) -> Iterator[Derived]:
        """The arguments of the head's atom, and the cells at which it must then hold."""
        for substitution, cells in self.fired():
            for time, body in self._moments(cells):
                yield ground(self.head, substitution, time), self.in_head(substitution, body)

    def fired(self) -> list[Row]:
        """For the values of the head's variables, the cells at which the body holds, where there are any."""
        return self._rows(frozenset(free_names([self.rule.head])))

    def instances(self) -> list[Row]:
        """For the values of all variables, the cells at which the body holds, where there are any."""
        return self._rows(frozenset().union(*(step.names for step in self.steps)))

    def _moments(self, cells: Cells) -> Iterator[tuple[int | None, Cells]]:
        """The cells all together; each by itself, with its time, where nulls depend on it."""
        if not any(null.timed for null in skolems(self.rule.head)):
            yield None, cells
            return
        assert self.grid.timeline is Timeline.INTEGER, "only the integer timeline has time points"
        for cell in cell_numbers(cells):
            yield int(self.grid.start) + cell, 1 << cell

    def _rows(self, wanted: frozenset[str]) -> list[Row]:
        rows: list[Row] = [(EMPTY, self.when)]
        for place, step in enumerate(self.steps):
            matter = wanted.union(*(later.names for later in self.steps[place + 1 :]))
            rows = _merged((row for given in rows for row in step.rows(*given)), matter)
        return rows


def _merged(rows: Iterator[Row], wanted: frozenset[str]) -> list[Row]:
    """The rows that hold anywhere, for the variables that still matter: whatever values the others have."""
    merged: dict[tuple[tuple[str, Value], ...], Cells] = {}
    for substitution, cells in rows:
        if cells:
            key = tuple((name, value) for name, value in sorted(substitution.items()) if name in wanted)
            merged[key] = merged.get(key, 0) | cells
    return [(dict(key), cells) for key, cells in merged.items()]


def _needs_domain(steps: list[Step]) -> bool:
    bound: frozenset[str] = frozenset()
    for step in steps:
        if not step.names <= step.binds(bound):
            return True
        bound |= step.names
    return False
