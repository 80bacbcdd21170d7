"""How predicates recurse through time, and which bounds keep that finite."""

from __future__ import annotations

import enum
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from thalweg.analysis.dependency import Component, DependencyGraph, dependency_graph, strongly_connected
from thalweg.errors import Diagnostic
from thalweg.model.binding import bound_by, solved_equations
from thalweg.model.formula import Arithmetic, Comparison, expression_variables, variables
from thalweg.model.program import Program, Rule
from thalweg.syntax.ast import ComparisonOperator
from thalweg.time.interval import Endpoint


class Direction(enum.Enum):
    """Where a recursive predicate reads itself, once around a cycle."""

    NONE = "none"
    NOW = "now"
    PAST = "past"
    FUTURE = "future"
    BOTH = "both"


@dataclass(frozen=True)
class Recursion:
    """The recursion of one component.

    A component that reads its own past derives ever later facts, one that reads its own future ever
    earlier ones. ``makes_values`` names the first rule whose arithmetic may make new values without end.
    """

    component: Component
    direction: Direction
    makes_values: Rule | None = None

    @property
    def may_be_infinite(self) -> bool:
        """Whether, without bounds, the fixpoint may be infinite: a sufficient check, not an exact one."""
        return self.direction in (Direction.PAST, Direction.FUTURE, Direction.BOTH)

    @property
    def bounds(self) -> tuple[str, ...]:
        """The bounds on time that make the fixpoint finite."""
        reads_past = self.direction in (Direction.PAST, Direction.BOTH)
        reads_future = self.direction in (Direction.FUTURE, Direction.BOTH)
        return ("--from",) * reads_future + ("--to",) * reads_past


def check_recursion(program: Program) -> Iterable[Diagnostic]:
    """Warn of recursion that bounds on time do not settle."""
    graph = dependency_graph(program)
    found = find_recursion(graph)
    yield from _endless_looks(graph, found)
    for recursion in found:
        names = name_several(recursion.component.predicates)
        if recursion.direction is Direction.BOTH:
            message = f"the recursion of {names} goes both ways through time"
            hint = "it is run to its end, not only inside --from and --to; if it has none, the run stops with E504"
            yield Diagnostic("W301", recursion.component.edges[0].rule.origin, message, hint)
        if recursion.makes_values is not None:
            message = f"the recursion of {names} can make new values without end"
            hint = "bound the value with a comparison, such as N < 100"
            yield Diagnostic("W302", recursion.makes_values.origin, message, hint)


def _endless_looks(graph: DependencyGraph, found: Sequence[Recursion]) -> Iterator[Diagnostic]:
    """Warn of operators that look without end towards where a recursion derives facts without end."""
    later = _holding_without_end(graph, found, (Direction.PAST, Direction.BOTH))
    earlier = _holding_without_end(graph, found, (Direction.FUTURE, Direction.BOTH))
    seen: set[tuple[str, str]] = set()
    for edge in graph.edges:
        looks_ahead = edge.offsets.end == math.inf and edge.body in later
        looks_back = edge.offsets.start == -math.inf and edge.body in earlier
        if (looks_ahead or looks_back) and (edge.head, edge.body) not in seen:
            seen.add((edge.head, edge.body))
            where, bound = ("future", "--to") if looks_ahead else ("past", "--from")
            message = f"{edge.head} looks without end into the {where} of {edge.body}, which may not end there"
            hint = f"{edge.body} is then run to its end, not only up to {bound}; give the operator an end"
            yield Diagnostic("W303", edge.atom.span, message, hint)


def _holding_without_end(
    graph: DependencyGraph, found: Sequence[Recursion], directions: Collection[Direction]
) -> set[str]:
    """The predicates whose recursion has one of the directions, and those that read them."""
    endless: set[str] = set()
    for recursion in found:
        names = recursion.component.predicates
        reads = (edge.body for name in names for edge in graph.edges_from[name])
        if recursion.direction in directions or any(body in endless for body in reads):
            endless.update(names)
    return endless


def name_several(names: Sequence[str]) -> str:
    """``A, B, C and 4 more``."""
    if len(names) == 1:
        return names[0]
    if len(names) <= 4:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{', '.join(names[:3])} and {len(names) - 3} more"


def find_recursion(graph: DependencyGraph) -> tuple[Recursion, ...]:
    """The recursion of every component, in evaluation order."""
    return tuple(
        Recursion(component, _direction(component), _makes_values(component)) for component in graph.components
    )


def _direction(component: Component) -> Direction:
    if not component.is_recursive:
        return Direction.NONE
    furthest = [(edge.head, edge.body, edge.offsets.end) for edge in component.edges]
    earliest = [(edge.head, edge.body, -edge.offsets.start) for edge in component.edges]
    future, past = has_positive_cycle(furthest), has_positive_cycle(earliest)
    if future and past:
        return Direction.BOTH
    if future or past:
        return Direction.FUTURE if future else Direction.PAST
    return Direction.NOW


def has_positive_cycle(edges: Sequence[tuple[str, str, Endpoint]]) -> bool:
    """Whether a strongly connected graph has a cycle whose weights sum to more than 0.

    No weight is −∞. Every edge of the graph lies on a cycle, which settles most cases at once; the rest
    is Bellman and Ford's algorithm, which now and then looks for a cycle among the best predecessors.
    """
    heaviest: dict[tuple[str, str], Endpoint] = {}
    for tail, head, weight in edges:
        heaviest[tail, head] = max(weight, heaviest.get((tail, head), -math.inf))
    weights = heaviest.values()
    if math.inf in weights or (min(weights) >= 0 and max(weights) > 0):
        return True
    if max(weights) <= 0:
        return False
    scale = math.lcm(*(Fraction(weight).denominator for weight in weights))
    outgoing: dict[str, list[tuple[str, int]]] = {}
    for (tail, head), weight in heaviest.items():
        outgoing.setdefault(tail, []).append((head, int(weight * scale)))
    best = dict.fromkeys(outgoing, 0)
    predecessor: dict[str, str] = {}
    improved, steps = list(outgoing), 0
    while improved:
        again: dict[str, None] = {}
        for tail in improved:
            for head, step in outgoing[tail]:
                if best[tail] + step > best[head]:
                    best[head] = best[tail] + step
                    predecessor[head] = tail
                    again[head] = None
                    steps += 1
        # Looking for a cycle costs as much as there are nodes: seldom enough, it costs little beside the rest.
        if steps >= len(outgoing):
            steps = 0
            if _has_cycle(predecessor):
                return True
        improved = list(again)
    return False


def on_positive_cycles(edges: Sequence[tuple[str, str, Endpoint]]) -> frozenset[str]:
    """The nodes of the strongly connected parts of a graph that have a cycle whose weights sum to more than 0."""
    successors: dict[str, list[str]] = {}
    for tail, head, _ in edges:
        successors.setdefault(tail, []).append(head)
        successors.setdefault(head, [])
    part_of = {node: number for number, part in enumerate(strongly_connected(successors)) for node in part}
    inside: dict[int, list[tuple[str, str, Endpoint]]] = {}
    for edge in edges:
        if part_of[edge[0]] == part_of[edge[1]]:
            inside.setdefault(part_of[edge[0]], []).append(edge)
    positive = {number for number, part in inside.items() if has_positive_cycle(part)}
    return frozenset(node for node, number in part_of.items() if number in positive)


def _has_cycle(predecessor: Mapping[str, str]) -> bool:
    done: set[str] = set()
    for start in predecessor:
        path: set[str] = set()
        node: str | None = start
        while node is not None and node not in done:
            if node in path:
                return True
            path.add(node)
            node = predecessor.get(node)
        done |= path
    return False


def _makes_values(component: Component) -> Rule | None:
    rules = {id(edge.rule): edge.rule for edge in component.edges}  # a rule has an edge for each atom that it reads
    return next((rule for rule in rules.values() if _calculates_head(rule)), None)


def _calculates_head(rule: Rule) -> bool:
    """Whether the head has a value from arithmetic, and no ordering comparison limits it or its sources."""
    bound = frozenset().union(*map(bound_by, rule.body))
    needed, calculated = set(variables(rule.head)) - bound, False
    equations = [each for literal in rule.body for each in solved_equations(literal)]
    for _ in equations:
        for variable, expression in equations:
            if variable in needed:
                needed |= set(expression_variables(expression))
                calculated |= isinstance(expression, Arithmetic)
    limited = {
        variable
        for literal in rule.body
        if isinstance(literal, Comparison) and literal.operator not in _EQUALITIES
        for variable in variables(literal)
    }
    return calculated and not limited & needed


_EQUALITIES = (ComparisonOperator.EQUAL, ComparisonOperator.NOT_EQUAL)
