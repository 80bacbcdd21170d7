"""The operators of a plan.

A node stands for a relation over its variables. Metric intervals are exact and signed: a positive one looks to
the past, a negative one to the future, so that one operator serves both directions. Since keeps its direction
apart, because its left operand fills the stretch between.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from thalweg.model.formula import Comparison, Value, expression_variables
from thalweg.time.interval import Interval


@dataclass(frozen=True)
class Scan:
    """The facts of a predicate that fit an atom.

    ``columns`` are the argument positions that give the variables their values; ``constants`` and ``equal``
    (pairs of positions) are conditions.
    """

    predicate: str
    arity: int
    variables: tuple[str, ...]
    columns: tuple[int, ...]
    constants: tuple[tuple[int, Value], ...] = ()
    equal: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Always:
    """⊤: all times, no variables."""

    variables: tuple[str, ...] = ()


@dataclass(frozen=True)
class Never:
    """⊥: no time, no variables."""

    variables: tuple[str, ...] = ()


class _Over:
    """A node over one other, with the same variables."""

    child: Node

    @property
    def variables(self) -> tuple[str, ...]:
        """The child's."""
        return self.child.variables


@dataclass(frozen=True)
class Diamond(_Over):
    """Some time in the interval."""

    interval: Interval
    child: Node


@dataclass(frozen=True)
class Box(_Over):
    """All through the interval."""

    interval: Interval
    child: Node


@dataclass(frozen=True)
class Vacuous(_Over):
    """Since or until where nothing lies between the two times, so that the left operand does not matter."""

    interval: Interval
    child: Node
    future: bool


@dataclass(frozen=True)
class Since:
    """Since (or until, when ``future``) where the left operand does matter."""

    interval: Interval
    left: Node
    right: Node
    future: bool

    @property
    def variables(self) -> tuple[str, ...]:
        """The left's, then the right's others."""
        return merged(self.left.variables, self.right.variables)


@dataclass(frozen=True)
class Ever(_Over):
    """The bindings of the child at any time, as facts that hold always."""

    child: Node


@dataclass(frozen=True)
class Sharp:
    """The ``#``-facts of a predicate (journal paper, Section 6): its facts, and those kept, across short gaps."""

    facts: Scan
    kept: Scan
    gap: Fraction

    @property
    def variables(self) -> tuple[str, ...]:
        """Those of the facts."""
        return self.facts.variables


@dataclass(frozen=True)
class Join:
    """All children at once, and conditions on their variables."""

    children: tuple[Node, ...]
    conditions: tuple[Comparison, ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        """Those of all children, then those that equations among the conditions add."""
        names: tuple[str, ...] = ()
        for child in self.children:
            names = merged(names, child.variables)
        for condition in self.conditions:
            for side in (condition.left, condition.right):
                names = merged(names, tuple(variable.name for variable in expression_variables(side)))
        return names


@dataclass(frozen=True)
class Union:
    """Any of the children; they have the same variables, in any order."""

    children: tuple[Node, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """Those of the first child."""
        return self.children[0].variables


Node = Scan | Always | Never | Diamond | Box | Vacuous | Since | Ever | Sharp | Join | Union


def merged(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    """The left names, then the right ones that are not among them."""
    return left + tuple(dict.fromkeys(name for name in right if name not in left))


def inner(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside a node."""
    match node:
        case Diamond(child=child) | Box(child=child) | Vacuous(child=child) | Ever(child=child):
            return (child,)
        case Since(left=left, right=right):
            return (left, right)
        case Sharp(facts=facts, kept=kept):
            return (facts, kept)
        case Join(children=children) | Union(children=children):
            return children
        case _:
            return ()


def scanned(node: Node) -> frozenset[str]:
    """The predicates a node reads."""
    if isinstance(node, Scan):
        return frozenset((node.predicate,))
    return frozenset().union(*(scanned(child) for child in inner(node)))
