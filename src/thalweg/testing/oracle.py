"""The naive oracle: short, slow, and straight from the definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from thalweg.errors import ThalwegError
from thalweg.model.formula import (
    Arithmetic,
    Atom,
    Bottom,
    Comparison,
    Constant,
    Expression,
    Formula,
    Metric,
    Value,
    subformulas,
)
from thalweg.model.program import Fact, Program, Rule
from thalweg.testing.cells import Cells, Grid
from thalweg.testing.consequence import Consequence
from thalweg.testing.grounding import EMPTY, Interpretation, ground
from thalweg.testing.horizon import horizon
from thalweg.testing.meaning import Meanings
from thalweg.testing.strata import strata
from thalweg.testing.values import Substitution
from thalweg.time.interval import Interval
from thalweg.time.timeline import Timeline

Answers = dict[tuple[str, tuple[Value, ...]], tuple[Interval, ...]]
"""The intervals at which each ground atom holds, in order."""


class Inconsistent(ThalwegError):  # noqa: N818 -- what was asked for is the state, not a mistake
    """A rule with head ⊥ fires."""

    def __init__(self, rule: Rule, interval: Interval) -> None:
        self.rule = rule
        self.interval = interval
        super().__init__(f"{rule.name} derives ⊥: its body holds at {interval}")


def naive_materialise(
    program: Program, facts: Iterable[Fact], start: Fraction, end: Fraction, margin: Fraction | None = None
) -> Answers:
    """What a program and facts entail inside [start, end], in intervals that do not touch.

    The least fixpoint of the immediate consequence operator, stratum by stratum, over a finite horizon: from
    ``margin`` before the first time point in start, end and the facts to as much after the last one. Beyond
    the horizon, truth is taken to be as at its edge.

    This is exact inside [start, end] when the margin is as long as any chain of rules that uses no rule twice
    reaches (by default it is the reach of all rules together), recursion goes only to the past, only to the
    future, or through an atom at the rule's own time that holds in a bounded stretch only, and no operator
    looks without bound to where a recursion goes on for ever.
    """
    facts = (*program.facts, *facts)
    oracle = _Oracle(program, facts, horizon(program, facts, start, end, margin))
    for stratum in strata(program.rules):
        oracle.saturate(stratum)
    inside = oracle.grid.cells_of(Interval(start, end))
    for rule in program.rules:
        oracle.check_consistency(rule, inside)
    return oracle.answers(inside)


class _Oracle:
    """An interpretation of the horizon, which rules extend."""

    def __init__(self, program: Program, facts: tuple[Fact, ...], grid: Grid) -> None:
        self.grid = grid
        self.constants = frozenset(_constants(program))
        self.interpretation: Interpretation = {}
        self.meanings = Meanings(grid, self.interpretation, self.active_domain)
        for fact in facts:
            self._add(fact.atom, EMPTY, grid.cells_of(fact.interval))

    def active_domain(self) -> frozenset[Value]:
        """The constants of the program and the values in what holds."""
        known = (arguments for relation in self.interpretation.values() for arguments in relation)
        return self.constants.union(*known)

    def saturate(self, rules: list[Rule]) -> None:
        """Apply rules until they derive nothing new."""
        consequences = [Consequence(rule, self.meanings) for rule in rules]
        pending = consequences
        while pending:
            changed = {consequence.head.predicate for consequence in pending if self._apply(consequence)}
            pending = [consequence for consequence in consequences if consequence.depends_on(changed)]

    def check_consistency(self, rule: Rule, inside: Cells) -> None:
        """Raise if a rule with head ⊥ fires; boxes around ⊥ that quantify over nothing ask for nothing."""
        if not isinstance(rule.head_core, Bottom) or _asks_for_nothing(rule.head, self.grid.timeline):
            return
        fired = 0
        for _, cells in Consequence(rule, self.meanings).fired():
            fired |= cells & inside
        if fired:
            raise Inconsistent(rule, self.grid.intervals_of(fired)[0])

    def answers(self, inside: Cells) -> Answers:
        """What holds at the given cells."""
        return {
            (predicate, arguments): self.grid.intervals_of(cells & inside)
            for predicate, relation in self.interpretation.items()
            for arguments, cells in relation.items()
            if cells & inside
        }

    def _apply(self, consequence: Consequence) -> bool:
        """Add what a rule derives; say whether anything of it is new."""
        news = [self._add(consequence.head, *derived) for derived in consequence.derived()]
        return any(news)

    def _add(self, atom: Atom, substitution: Substitution, cells: Cells) -> bool:
        """Make an atom hold at cells; say whether that is new."""
        relation = self.interpretation.setdefault(atom.predicate, {})
        arguments = ground(atom, substitution)
        before = relation.get(arguments, 0)
        if not cells & ~before:
            return False
        relation[arguments] = before | cells
        return True


def _asks_for_nothing(head: Formula, timeline: Timeline) -> bool:
    boxes = (part for part in subformulas(head) if isinstance(part, Metric))
    return timeline is Timeline.INTEGER and any(box.interval.to_integers() is None for box in boxes)


def _constants(program: Program) -> Iterator[Value]:
    formulas = (formula for rule in program.rules for formula in (rule.head, *rule.body))
    for part in (part for formula in formulas for part in subformulas(formula)):
        if isinstance(part, Atom):
            for term in part.arguments:
                yield from _values(term)
        elif isinstance(part, Comparison):
            yield from _values(part.left)
            yield from _values(part.right)


def _values(expression: Expression) -> Iterator[Value]:
    match expression:
        case Constant(value=value):
            yield value
        case Arithmetic(left=left, right=right):
            yield from _values(left)
            yield from _values(right)
