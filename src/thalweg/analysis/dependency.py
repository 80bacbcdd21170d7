"""Which predicates a program derives from which, and how far away in time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from thalweg.model.formula import Atom, Bottom, atoms
from thalweg.model.program import Program, Rule
from thalweg.model.reads import reads
from thalweg.time.interval import Interval


@dataclass(frozen=True)
class Edge:
    """A rule derives ``head`` from ``body``.

    ``negative`` when it reads it under ``not``, in a window over tuples or in an aggregate: there more can mean less.

    ``offsets`` is a hull of the times, relative to the head's, at which the body predicate is read.
    """

    head: str
    body: str
    negative: bool
    offsets: Interval
    rule: Rule = field(compare=False, repr=False)
    atom: Atom = field(compare=False, repr=False)


@dataclass(frozen=True)
class Component:
    """A strongly connected component: predicates that are derived from each other, or one alone.

    ``edges`` are those between its own predicates; without any, it is not recursive.
    """

    predicates: tuple[str, ...]
    edges: tuple[Edge, ...]

    @property
    def is_recursive(self) -> bool:
        """Whether a predicate depends on itself."""
        return bool(self.edges)


@dataclass(frozen=True)
class DependencyGraph:
    """The predicates and edges of a program; ⊥ is no predicate, so constraints have no edges."""

    predicates: tuple[str, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def edges_from(self) -> Mapping[str, Sequence[Edge]]:
        """The edges of each head predicate."""
        by_head: dict[str, list[Edge]] = {predicate: [] for predicate in self.predicates}
        for edge in self.edges:
            by_head[edge.head].append(edge)
        return by_head

    @cached_property
    def components(self) -> tuple[Component, ...]:
        """The strongly connected components in evaluation order: what a component reads comes first."""
        groups = tuple(strongly_connected(self.successors))
        group_of = {predicate: index for index, group in enumerate(groups) for predicate in group}
        inner: list[list[Edge]] = [[] for _ in groups]
        for edge in self.edges:
            if group_of[edge.head] == group_of[edge.body]:
                inner[group_of[edge.head]].append(edge)
        return tuple(Component(group, tuple(edges)) for group, edges in zip(groups, inner, strict=True))

    @cached_property
    def successors(self) -> Mapping[str, tuple[str, ...]]:
        """What each predicate reads, without repetitions."""
        return {
            predicate: tuple(dict.fromkeys(edge.body for edge in edges)) for predicate, edges in self.edges_from.items()
        }

    def reached_from(self, predicates: Iterable[str]) -> frozenset[str]:
        """The predicates, and all that they can depend on."""
        found: set[str] = set()
        waiting = list(predicates)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting.extend(self.successors.get(name, ()))
        return frozenset(found)


def dependency_graph(program: Program) -> DependencyGraph:
    """The dependency graph of a program's rules."""
    edges = tuple(edge for rule in program.rules for edge in _edges(rule))
    return DependencyGraph(program.predicates, edges)


def relevant_predicates(program: Program, wanted: Collection[str] | None = None) -> frozenset[str]:
    """The predicates that the wanted ones (all, when None) and the constraints can depend on."""
    if wanted is None:
        return frozenset(program.predicates)
    constraints = (rule for rule in program.rules if isinstance(rule.head_core, Bottom))
    checked = (atom.predicate for rule in constraints for part in rule.body for atom in atoms(part))
    return dependency_graph(program).reached_from((*wanted, *checked))


def _edges(rule: Rule) -> Iterator[Edge]:
    core = rule.head_core
    if not isinstance(core, Atom):
        return
    reach = None if isinstance(rule.head, Atom) else rule.reach
    for literal in rule.body:
        for read in reads(literal):
            offsets = read.offsets.minus(reach) if reach else read.offsets
            negative = read.negative or read.counted
            yield Edge(core.predicate, read.atom.predicate, negative, offsets, rule, read.atom)


def strongly_connected(successors: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Tarjan's algorithm, without recursion: components, each after those it leads to."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    on_stack: dict[str, None] = {}
    for root in successors:
        if root in order:
            continue
        visits = [(root, iter(successors[root]))]
        order[root] = lowest[root] = len(order)
        on_stack[root] = None
        while visits:
            node, remaining = visits[-1]
            for following in remaining:
                if following not in order:
                    order[following] = lowest[following] = len(order)
                    on_stack[following] = None
                    visits.append((following, iter(successors[following])))
                    break
                if following in on_stack:
                    lowest[node] = min(lowest[node], order[following])
            else:
                visits.pop()
                if visits:
                    parent = visits[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[node])
                if lowest[node] == order[node]:
                    yield _pop_component(on_stack, node, order)


def _pop_component(on_stack: dict[str, None], root: str, order: Mapping[str, int]) -> tuple[str, ...]:
    component = []
    while True:
        node, _ = on_stack.popitem()
        component.append(node)
        if node == root:
            return tuple(sorted(component, key=order.__getitem__))
