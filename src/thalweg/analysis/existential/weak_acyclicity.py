"""Weak acyclicity of existential rules (LARS+ paper, Definition 7): the skolem chase then ends on every input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from thalweg.analysis.dependency import strongly_connected
from thalweg.analysis.existential.rules import ExistentialRule, PlainAtom
from thalweg.model.formula import Variable

_MOST_STEPS = 2_000_000
"""How many edges the search for the shortest cycle follows, at most, before it is content with the best it has seen."""


class PositionEdge(NamedTuple):
    """Values flow from a position to another, or, along a special edge, new nulls are made from them there.

    Positions are written ``p.i``: the i-th argument of p, counted from 1.
    """

    source: str
    target: str
    special: bool
    rule: ExistentialRule

    def __str__(self) -> str:
        arrow = "-*->" if self.special else "->"
        return f"{self.source} {arrow} {self.target} (rule {self.rule.number})"


@dataclass(frozen=True)
class Cycle:
    """Edges of which each begins where the one before ends, the first where the last does; the first is special."""

    edges: tuple[PositionEdge, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.edges))

    @property
    def maker(self) -> ExistentialRule:
        """A rule on the cycle that makes nulls."""
        return self.edges[0].rule

    def without_times(self) -> Cycle:
        """The same in the program's own predicates, for a cycle of a temporal grounding."""
        names = ((_timeless(edge.source), _timeless(edge.target), edge) for edge in self.edges)
        return Cycle(tuple(edge._replace(source=source, target=target) for source, target, edge in names))


@dataclass(frozen=True)
class PositionGraph:
    """The graph of Definition 7: its edges, each with the first rule it comes from."""

    rules: Mapping[tuple[str, str, bool], ExistentialRule] = field(repr=False)

    @classmethod
    def of(cls, rules: Iterable[ExistentialRule]) -> PositionGraph:
        """The graph of some rules."""
        found: dict[tuple[str, str, bool], ExistentialRule] = {}
        for rule in rules:
            for key in _edges(rule):
                found.setdefault(key, rule)
        return cls(found)

    @cached_property
    def successors(self) -> Mapping[str, Sequence[str]]:
        """Where the edges from each position lead."""
        following: dict[str, dict[str, None]] = {}
        for source, target, _ in self.rules:
            following.setdefault(source, {})[target] = None
            following.setdefault(target, {})
        return {source: tuple(targets) for source, targets in following.items()}

    @cached_property
    def growing(self) -> Mapping[str, int]:
        """The positions that lie on cycles through special edges, each with the number of its component.

        A special edge lies on a cycle exactly if it stays inside a strongly connected component.
        """
        component = {
            position: number
            for number, positions in enumerate(strongly_connected(self.successors))
            for position in positions
        }
        special = (edge for edge in self.rules if edge[2])
        bad = {component[source] for source, target, _ in special if component[source] == component[target]}
        return {position: number for position, number in component.items() if number in bad}

    def stays(self, source: str, target: str) -> bool:
        """Whether an edge between the two positions would lie in a component with a cycle through a special edge."""
        return source in self.growing and self.growing[source] == self.growing.get(target)

    def shortest_cycle(self) -> Cycle | None:
        """A shortest cycle through a special edge, the same one each time; None if there is no such cycle.

        For each position where nulls are made, a search in breadth looks for the way back to where they come from.
        """
        makers: dict[str, list[str]] = {}
        for source, target, special in self.rules:
            if special and self.stays(source, target):
                makers.setdefault(target, []).append(source)
        best: list[str] | None = None
        steps = 0
        for made, sources in makers.items():
            path, taken = self._path(made, frozenset(sources), len(best) - 1 if best else None)
            best = path or best
            steps += taken
            if best and (len(best) == 1 or steps > _MOST_STEPS):
                break
        return None if best is None else self._cycle(best)

    def _path(self, start: str, goals: frozenset[str], most: int | None) -> tuple[list[str] | None, int]:
        """The positions on a shortest path to a goal, no more than so many, and how many edges were followed."""
        came_from: dict[str, str | None] = {start: None}
        level, length, steps = [start], 1, 0
        while level and (most is None or length <= most):
            reached = next((position for position in level if position in goals), None)
            if reached is not None:
                return list(reversed(list(_back(reached, came_from)))), steps
            following: list[str] = []
            for position in level:
                for target in self.successors[position]:
                    steps += 1
                    if target not in came_from and target in self.growing:
                        came_from[target] = position
                        following.append(target)
            level, length = following, length + 1
        return None, steps

    def _cycle(self, positions: list[str]) -> Cycle:
        first = self._edge(positions[-1], positions[0], special=True)
        return Cycle((first, *(self._edge(*pair, special=False) for pair in pairwise(positions))))

    def _edge(self, source: str, target: str, *, special: bool) -> PositionEdge:
        if (source, target, special) not in self.rules:
            special = not special
        return PositionEdge(source, target, special, self.rules[source, target, special])


def offending_cycle(rules: Iterable[ExistentialRule]) -> Cycle | None:
    """A shortest cycle through a special edge; None for weakly acyclic rules."""
    return PositionGraph.of(rules).shortest_cycle()


def is_weakly_acyclic(rules: Iterable[ExistentialRule]) -> bool:
    """Whether no cycle goes through a special edge (Definition 7); it takes time linear in the number of edges."""
    return not PositionGraph.of(rules).growing


def variable_places(atoms: Iterable[PlainAtom]) -> Mapping[Variable, Sequence[str]]:
    """pos(X, A) for the variables X of some atoms: the positions where each occurs, without repetitions."""
    places: dict[Variable, dict[str, None]] = {}
    for atom in atoms:
        for index, term in enumerate(atom.arguments, start=1):
            if isinstance(term, Variable):
                places.setdefault(term, {})[f"{atom.predicate}.{index}"] = None
    return {variable: tuple(found) for variable, found in places.items()}


def _edges(rule: ExistentialRule) -> Iterator[tuple[str, str, bool]]:
    """Definition 7, for one rule."""
    sources, targets = variable_places(rule.body), variable_places(rule.head)
    for variable, places in targets.items():
        if variable not in rule.existential:
            yield from ((source, target, False) for source in sources.get(variable, ()) for target in places)
    made = dict.fromkeys(place for variable in rule.existential for place in targets.get(variable, ()))
    if made:
        given = dict.fromkeys(source for variable in rule.frontier for source in sources.get(variable, ()))
        yield from ((source, target, True) for source in given for target in made)


def _back(reached: str, came_from: Mapping[str, str | None]) -> Iterator[str]:
    node: str | None = reached
    while node is not None:
        yield node
        node = came_from[node]


def _timeless(name: str) -> str:
    predicate, _, index = name.rpartition(".")
    return f"{predicate.rpartition('@')[0]}.{index}"
