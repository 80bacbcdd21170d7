"""From rules to rule plans."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from thalweg.model.formula import (
    At,
    Atom,
    Comparison,
    Formula,
    HeadTerm,
    Not,
    Skolem,
    Term,
    TimeWindow,
    Top,
    Variable,
    Windowed,
    expression_variables,
    term_variables,
)
from thalweg.model.program import Rule
from thalweg.plan.formulas import FormulaPlanner
from thalweg.plan.nodes import Diamond, Node, Scan, Vacuous, scanned
from thalweg.plan.rule_table import RuleTable
from thalweg.time.interval import Interval, point


@dataclass(frozen=True)
class Literal:
    """A body literal: its node, and those of its variables that the rest of the rule asks for."""

    node: Node
    variables: tuple[str, ...]

    @property
    def predicates(self) -> frozenset[str]:
        """The predicates it reads."""
        return scanned(self.node)


@dataclass(frozen=True)
class RulePlan:
    """A rule as a join of positive literals, conditions, and negative literals to subtract.

    ``head`` is None for ⊥. ``reach`` is where the head holds when the body holds at 0; ⊥ is wrong anywhere. With
    ``time`` the head holds at the time that this term stands for, and ``reach`` is a hull. With ``table`` it is many
    rules of one shape: the terms are the row of the table and the values of the body's variables. ``now`` are the
    variables that stand for the time at which the body holds.
    """

    head: str | None
    terms: tuple[HeadTerm, ...]
    reach: Interval
    positive: tuple[Literal, ...]
    negative: tuple[Literal, ...]
    conditions: tuple[Comparison, ...]
    rule: Rule
    time: Term | None = None
    table: RuleTable | None = None
    now: tuple[str, ...] = ()

    @cached_property
    def nulls(self) -> tuple[Skolem, ...]:
        """The nulls of the head, each once; they have the same frontier."""
        return tuple(dict.fromkeys(term for term in self.terms if isinstance(term, Skolem)))

    @cached_property
    def head_variables(self) -> tuple[str, ...]:
        """The variables that the head asks for, those of its nulls and of its time included."""
        return tuple(sorted(_term_variables((*self.terms, *((self.time,) if self.time else ())))))

    @property
    def arity(self) -> int:
        """How many arguments the head has."""
        return len(self.terms) if self.table is None else 1 + len(self.table.rows[0].heads[0].arguments)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """Positive, then negative."""
        return self.positive + self.negative


def plan_rule(rule: Rule, background: Collection[str] = ()) -> Iterator[RulePlan]:
    """One plan for every way in which the rule's literals can be true; none for a head ⊤, which says nothing.

    There are several for a disjunction, and where a variable occurs in the left operand of since or until only: see
    :meth:`FormulaPlanner.alternatives`. ``background`` predicates are true whatever the window.
    """
    core = rule.head_core
    if isinstance(core, Top):
        return
    conditions = tuple(part for part in rule.body if isinstance(part, Comparison))
    negated = tuple(part.operand for part in rule.body if isinstance(part, Not))
    positive = tuple(part for part in rule.body if not isinstance(part, Comparison | Not))
    now = tuple(name for part in positive if (name := time_of_body(part)) is not None)
    if len(now) < len(positive):
        # The times of what the other literals bind are enough: all times would be too many.
        positive = tuple(part for part in positive if time_of_body(part) is None)
    else:
        now = ()
    planner = FormulaPlanner(rule.body, frozenset(background))
    subtracted = tuple(node for part in negated for node in planner.literal(part))
    terms = core.arguments if isinstance(core, Atom) else ()
    time = rule.head_time
    for nodes in itertools.product(*(planner.literal(part) for part in positive)):
        outside = _term_variables((*terms, *((time,) if time else ()))) | _condition_variables(conditions) | {*now}
        bound = outside.union(*(node.variables for node in nodes))
        yield RulePlan(
            head=core.predicate if isinstance(core, Atom) else None,
            terms=terms,
            reach=rule.reach if isinstance(core, Atom) else point(0),
            positive=tuple(_literals(nodes, outside, subtracted)),
            negative=tuple(Literal(*_narrowed(node, bound)) for node in subtracted),
            conditions=conditions,
            rule=rule,
            time=time,
            now=now,
        )


def time_of_body(formula: Formula) -> str | None:
    """T, for ``window[last 0] (top at T)``: the time of the body."""
    match formula:
        case Windowed(window=TimeWindow(last=0, next=0, slide=1), operand=At(operand=Top(), time=Variable(name=name))):
            return name
        case _:
            return None


def _literals(nodes: tuple[Node, ...], outside: set[str], subtracted: tuple[Node, ...]) -> Iterator[Literal]:
    """The literals for nodes; variables that nothing else asks for are projected away early."""
    asking = Counter(name for node in {id(node): node for node in nodes}.values() for name in {*node.variables})
    always = outside.union(*(node.variables for node in subtracted))
    for node in nodes:
        yield Literal(*_narrowed(node, {name for name in node.variables if name in always or asking[name] > 1}))


def _narrowed(node: Node, wanted: set[str]) -> tuple[Node, tuple[str, ...]]:
    variables = tuple(name for name in node.variables if name in wanted)
    return _narrow(node, wanted), variables


def _narrow(node: Node, wanted: set[str]) -> Node:
    """Drop unwanted variables as deep as that means the same: ∃ moves through diamonds, not through boxes."""
    match node:
        case Scan():
            kept = [i for i, name in enumerate(node.variables) if name in wanted]
            variables, columns = tuple(node.variables[i] for i in kept), tuple(node.columns[i] for i in kept)
            return Scan(node.predicate, node.arity, variables, columns, node.constants, node.equal)
        case Diamond(interval=interval, child=child):
            return Diamond(interval, _narrow(child, wanted))
        case Vacuous(interval=interval, child=child, future=future):
            return Vacuous(interval, _narrow(child, wanted), future)
        case _:
            return node


def _term_variables(terms: tuple[HeadTerm, ...]) -> set[str]:
    return {variable.name for term in terms for variable in term_variables(term)}


def _condition_variables(conditions: tuple[Comparison, ...]) -> set[str]:
    sides = itertools.chain.from_iterable((c.left, c.right) for c in conditions)
    return {variable.name for side in sides for variable in expression_variables(side)}
