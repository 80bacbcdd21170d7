"""The least fixpoint of the immediate consequence operator, stratum by stratum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thalweg.model.formula import Bottom, Formula, Metric, Value, subformulas
from thalweg.model.program import Fact, Program, Rule
from thalweg.null import Null
from thalweg.testing.cells import Cells, Grid
from thalweg.testing.consequence import Consequence, Derived
from thalweg.testing.constants import constants
from thalweg.testing.grounding import EMPTY, Interpretation, ground
from thalweg.testing.inconsistent import Inconsistent
from thalweg.testing.lars.meaning import LarsMeanings
from thalweg.testing.lars.timeline import background_predicates
from thalweg.testing.meaning import Meanings
from thalweg.testing.strata import strata
from thalweg.testing.too_many_nulls import MAX_NULLS, TooManyNulls
from thalweg.time.interval import Interval
from thalweg.time.timeline import Timeline

Answers = dict[tuple[str, tuple[Value, ...]], tuple[Interval, ...]]
"""The intervals at which each ground atom holds, in order."""


class Fixpoint:
    """An interpretation of the cells of a grid, which rules extend."""

    def __init__(self, meanings: Meanings, max_nulls: int = MAX_NULLS) -> None:
        self.meanings = meanings
        self.grid = meanings.grid
        self.nulls: set[Null] = set()
        self.max_nulls = max_nulls

    @classmethod
    def of_metric(cls, program: Program, facts: Iterable[Fact], grid: Grid, max_nulls: int = MAX_NULLS) -> Fixpoint:
        """That of a program without windows."""
        return cls(Meanings(grid, _interpretation(facts, grid), constants(program)), max_nulls)

    @classmethod
    def of_lars(cls, program: Program, facts: Iterable[Fact], grid: Grid, max_nulls: int = MAX_NULLS) -> Fixpoint:
        """That of a program on a timeline, whose points the cells are; background facts always hold."""
        background = background_predicates(program)
        holds = _interpretation(facts, grid, background)
        return cls(LarsMeanings(grid, holds, constants(program), background), max_nulls)

    def saturate(self, rules: tuple[Rule, ...], when: Cells) -> None:
        """Make the rules hold at some cells."""
        for stratum in strata(rules):
            consequences = pending = [Consequence(rule, self.meanings, when) for rule in stratum]
            while pending:
                changed = {consequence.head.predicate for consequence in pending if self._apply(consequence)}
                pending = [consequence for consequence in consequences if consequence.depends_on(changed)]
        self.meanings.look()

    def check_consistency(self, rules: tuple[Rule, ...], when: Cells) -> None:
        """Raise if a rule with head ⊥ fires; boxes around ⊥ that quantify over nothing ask for nothing."""
        for rule in rules:
            if isinstance(rule.head_core, Bottom) and not _asks_for_nothing(rule.head, self.grid.timeline):
                fired = 0
                for _, cells in Consequence(rule, self.meanings, when).fired():
                    fired |= cells
                if fired:
                    raise Inconsistent(rule, self.grid.intervals_of(fired)[0])

    def answers(self, inside: Cells) -> Answers:
        """What holds at the given cells."""
        return {
            (predicate, arguments): self.grid.intervals_of(cells & inside)
            for predicate, relation in self.meanings.interpretation.items()
            for arguments, cells in relation.items()
            if cells & inside
        }

    def _apply(self, consequence: Consequence) -> bool:
        """Add what a rule derives; say whether anything of it is new."""
        self.meanings.look()
        derived = list(self._within_limit(consequence))
        predicate = consequence.head.predicate
        news = [_add(self.meanings.interpretation, predicate, *each) for each in derived]
        return any(news)

    def _within_limit(self, consequence: Consequence) -> Iterator[Derived]:
        """What a rule derives; an exception as soon as it makes more nulls than there may be."""
        for arguments, cells in consequence.derived():
            if cells:
                self.nulls.update(value for value in arguments if isinstance(value, Null))
                if len(self.nulls) > self.max_nulls:
                    raise TooManyNulls(consequence.rule, self.max_nulls)
                yield arguments, cells


def _interpretation(facts: Iterable[Fact], grid: Grid, background: frozenset[str] = frozenset()) -> Interpretation:
    """Where the facts hold; those of background predicates always do."""
    interpretation: Interpretation = {}
    for fact in facts:
        always = fact.atom.predicate in background
        cells = grid.everywhere if always else grid.cells_of(fact.interval)
        _add(interpretation, fact.atom.predicate, ground(fact.atom, EMPTY), cells)
    return interpretation


def _add(interpretation: Interpretation, predicate: str, arguments: tuple[Value, ...], cells: Cells) -> bool:
    """Make an atom hold at cells; say whether that is new."""
    relation = interpretation.setdefault(predicate, {})
    before = relation.get(arguments, 0)
    if not cells & ~before:
        return False
    relation[arguments] = before | cells
    return True


def _asks_for_nothing(head: Formula, timeline: Timeline) -> bool:
    boxes = (part for part in subformulas(head) if isinstance(part, Metric))
    return timeline is Timeline.INTEGER and any(box.interval.to_integers() is None for box in boxes)
