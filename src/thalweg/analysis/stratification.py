"""Stratified negation: no predicate is derived from its own absence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thalweg.analysis.dependency import Component, DependencyGraph, Edge, dependency_graph
from thalweg.errors import Diagnostic, ProgramError
from thalweg.model.program import Program

HOW_TO_ANSWER = "thalweg run --answers all"
"""What runs a program that is not stratified."""

_MOST_STEPS = 8


def check_stratified(program: Program) -> Iterable[Diagnostic]:
    """No component of the dependency graph has a negative edge inside."""
    for component, negative in negative_cycles(dependency_graph(program)):
        yield _not_stratified(component, negative)


def require_stratified(program: Program) -> None:
    """Raise :class:`ProgramError` with the cycles of a program that is not stratified."""
    found = list(check_stratified(program))
    if found:
        raise ProgramError(found)


def negative_cycles(graph: DependencyGraph) -> Iterator[tuple[Component, Edge]]:
    """The components with a negative edge inside, each with the first such edge."""
    for component in graph.components:
        negative = next((edge for edge in component.edges if edge.negative), None)
        if negative is not None:
            yield component, negative


def strata(graph: DependencyGraph) -> tuple[tuple[str, ...], ...]:
    """The predicates by stratum: each reads under ``not`` only what lies in an earlier stratum.

    Meaningful for stratified programs; in others a negative edge inside a component counts for nothing.
    """
    level: dict[str, int] = {}
    for component in graph.components:
        inside = set(component.predicates)
        edges = [edge for name in component.predicates for edge in graph.edges_from[name]]
        height = max((level[e.body] + e.negative for e in edges if e.body not in inside), default=0)
        level.update(dict.fromkeys(component.predicates, height))
    height = max(level.values(), default=-1) + 1
    return tuple(tuple(name for name in graph.predicates if level[name] == at) for at in range(height))


def _not_stratified(component: Component, negative: Edge) -> Diagnostic:
    cycle = [negative, *_path(component, negative.body, negative.head)]
    steps = [
        f"{edge.head} reads {'not ' if edge.negative else ''}{edge.body} in rule {edge.rule.number}" for edge in cycle
    ]
    shown = ", ".join(steps if len(steps) <= _MOST_STEPS else [*steps[: _MOST_STEPS - 1], "…", steps[-1]])
    message = f"not stratified: {negative.head} depends on its own absence ({shown})"
    hint = f"derive {negative.body} from predicates that do not need {negative.head}"
    if negative.head == negative.body:
        hint = f"negate another predicate, one that does not need {negative.head}"
    return Diagnostic("E310", negative.atom.span, message, f"{hint}; or ask for answers: {HOW_TO_ANSWER}")


def _path(component: Component, start: str, goal: str) -> list[Edge]:
    """A shortest path of edges inside a component."""
    outgoing: dict[str, list[Edge]] = {}
    for edge in component.edges:
        outgoing.setdefault(edge.head, []).append(edge)
    came_by: dict[str, Edge | None] = {start: None}
    reached = [start]
    for node in reached:
        for edge in outgoing.get(node, []):
            if edge.body not in came_by:
                came_by[edge.body] = edge
                reached.append(edge.body)
    path: list[Edge] = []
    step = came_by[goal]
    while step is not None:
        path.append(step)
        step = came_by[step.head]
    return path[::-1]
