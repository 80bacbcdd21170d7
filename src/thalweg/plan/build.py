"""From rules to rule plans."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from thalweg.model.formula import (
    And,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    Constant,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Not,
    Term,
    Top,
    Variable,
    expression_variables,
)
from thalweg.model.formula import Since as SinceFormula
from thalweg.model.formula import Until as UntilFormula
from thalweg.model.program import Rule
from thalweg.plan.nodes import (
    Always,
    Box,
    Diamond,
    Ever,
    Join,
    Never,
    Node,
    Scan,
    Since,
    Union,
    Vacuous,
    scanned,
)
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

    ``head`` is None for ⊥. ``reach`` is where the head holds when the body holds at 0; ⊥ is wrong anywhere.
    """

    head: str | None
    terms: tuple[Term, ...]
    reach: Interval
    positive: tuple[Literal, ...]
    negative: tuple[Literal, ...]
    conditions: tuple[Comparison, ...]
    rule: Rule

    @property
    def literals(self) -> tuple[Literal, ...]:
        """Positive, then negative."""
        return self.positive + self.negative


def plan_rule(rule: Rule) -> Iterator[RulePlan]:
    """One plan for every way in which the rule's literals can be true; none for a head ⊤, which says nothing.

    There are several where a variable occurs in the left operand of since or until only: see
    :func:`alternatives`.
    """
    core = rule.head_core
    if isinstance(core, Top):
        return
    conditions = tuple(part for part in rule.body if isinstance(part, Comparison))
    negated = tuple(part.operand for part in rule.body if isinstance(part, Not))
    positive = tuple(part for part in rule.body if not isinstance(part, Comparison | Not))
    subtracted = tuple(node for part in negated for node in alternatives(part, nested=False))
    terms = core.arguments if isinstance(core, Atom) else ()
    for nodes in itertools.product(*(alternatives(part, nested=False) for part in positive)):
        outside = _term_variables(terms) | _condition_variables(conditions)
        bound = outside.union(*(node.variables for node in nodes))
        yield RulePlan(
            head=core.predicate if isinstance(core, Atom) else None,
            terms=terms,
            reach=rule.reach if isinstance(core, Atom) else point(0),
            positive=tuple(_literal(node, nodes, outside, subtracted) for node in nodes),
            negative=tuple(Literal(*_narrowed(node, bound)) for node in subtracted),
            conditions=conditions,
            rule=rule,
        )


def alternatives(formula: Formula, *, nested: bool) -> tuple[Node, ...]:
    """The nodes whose union is the formula.

    Usually one. A since whose left operand has variables of its own can hold vacuously for *every* value of
    them, which no relation over them can say; so it becomes one node without these variables and one with
    them. Under an operator that looks at stretches of time (``nested``) the latter must be complete for the
    values it does have, the vacuous case included.
    """
    match formula:
        case Atom():
            return (scan(formula),)
        case Top():
            return (Always(),)
        case Bottom():
            return (Never(),)
        case DiamondMinus(interval=interval, operand=operand):
            return tuple(Diamond(interval, node) for node in alternatives(operand, nested=nested))
        case DiamondPlus(interval=interval, operand=operand):
            return tuple(Diamond(interval.reflected(), node) for node in alternatives(operand, nested=nested))
        case BoxMinus(interval=interval, operand=operand):
            return tuple(Box(interval, node) for node in alternatives(operand, nested=True))
        case BoxPlus(interval=interval, operand=operand):
            return tuple(Box(interval.reflected(), node) for node in alternatives(operand, nested=True))
        case SinceFormula() | UntilFormula():
            return tuple(_since_alternatives(formula, nested=nested))
        case And(operands=operands):
            return tuple(_conjunctions(operands))
    raise AssertionError(f"{type(formula).__name__} has no plan here")


def scan(atom: Atom) -> Scan:
    """The scan for an atom."""
    first: dict[str, int] = {}
    constants, equal = [], []
    for position, term in enumerate(atom.arguments):
        if isinstance(term, Constant):
            constants.append((position, term.value))
        elif term.name in first:
            equal.append((first[term.name], position))
        else:
            first[term.name] = position
    return Scan(
        atom.predicate,
        len(atom.arguments),
        tuple(first),
        tuple(first.values()),
        tuple(constants),
        tuple(equal),
    )


def _since_alternatives(formula: SinceFormula | UntilFormula, *, nested: bool) -> Iterator[Node]:
    future = isinstance(formula, UntilFormula)
    for right in alternatives(formula.right, nested=nested):
        vacuous = Vacuous(formula.interval, right, future)
        lefts = alternatives(formula.left, nested=True)
        if all(set(left.variables) <= set(right.variables) for left in lefts):
            since = (Since(formula.interval, left, right, future) for left in lefts)
            yield Union((vacuous, *since))
            continue
        yield vacuous
        for left in lefts:
            with_left = Since(formula.interval, left, right, future)
            yield Union((with_left, Join((vacuous, Ever(left))))) if nested else with_left


def _conjunctions(operands: Iterable[Formula]) -> Iterator[Node]:
    operands = tuple(operands)
    conditions = tuple(part for part in operands if isinstance(part, Comparison))
    formulas = (part for part in operands if not isinstance(part, Comparison))
    for nodes in itertools.product(*(alternatives(part, nested=True) for part in formulas)):
        yield Join(nodes, conditions)


def _literal(node: Node, nodes: tuple[Node, ...], outside: set[str], subtracted: tuple[Node, ...]) -> Literal:
    """The literal for a node; variables that nothing else asks for are projected away early."""
    others = [other for other in nodes if other is not node] + list(subtracted)
    return Literal(*_narrowed(node, outside.union(*(other.variables for other in others))))


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


def _term_variables(terms: tuple[Term, ...]) -> set[str]:
    return {term.name for term in terms if isinstance(term, Variable)}


def _condition_variables(conditions: tuple[Comparison, ...]) -> set[str]:
    sides = itertools.chain.from_iterable((c.left, c.right) for c in conditions)
    return {variable.name for side in sides for variable in expression_variables(side)}
