"""Temporal weak acyclicity over every timeline at once.

Each edge of the graph of Definition 7 is given the distances in time between its body atom and its head atom. A cycle
of tfgrnd_T(P) comes back to the time point where it began, so it is a closed walk whose distances add up to 0. If no
such walk goes through a special edge, then tfgrnd_T(P) is weakly acyclic for every T (LARS+ paper, Theorem 4). The
same holds on the rational timeline: then every way around takes at least some fixed time, so that in a bounded
stretch of time nulls are nested to a bounded depth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from thalweg.analysis.dependency import strongly_connected
from thalweg.analysis.existential.assignments import difference
from thalweg.analysis.existential.flows import ends, timeless
from thalweg.analysis.existential.weak_acyclicity import PositionGraph
from thalweg.analysis.existential.wfree import WindowFreeRule
from thalweg.model.formula import Comparison, Term, Variable
from thalweg.syntax.ast import ComparisonOperator
from thalweg.time.interval import Endpoint, add

_ORIGIN = Variable("0#")
"""The time 0, from which constant times have their distance."""

_Limits = dict[tuple[Variable, Variable], Endpoint]
"""How much larger the first of two times is than the second, at most."""


class _Move(NamedTuple):
    """An edge, and how much later than its source its target is: at least and at most."""

    source: str
    target: str
    special: bool
    least: Endpoint
    most: Endpoint


def returns_in_time(flows: Iterable[WindowFreeRule]) -> bool:
    """Whether a closed walk through a special edge can come back to the time where it began.

    What arithmetic says beyond distances between two times is left aside: then the answer may be yes wrongly.
    """
    moves = list(dict.fromkeys(move for flow in flows for move in _moves(flow)))
    component = _components(moves)
    inner: dict[int, list[_Move]] = {}
    for move in moves:
        if component[move.source] == component[move.target]:
            inner.setdefault(component[move.source], []).append(move)
    return any(_returns(each) for each in inner.values() if any(move.special for move in each))


def _returns(moves: Sequence[_Move]) -> bool:
    """Whether distances of a closed walk through a special edge can add up to 0, in a strongly connected component.

    They can if there are cycles both to the future and to the past, each taken often enough. If all cycles lead to the
    same side or nowhere, then such a walk takes only those that lead nowhere, each edge at its extreme.
    """
    forth = _extremes([(move, move.least) for move in moves])
    if forth is not None:
        return _has_special_cycle(forth)
    back = _extremes([(move, -move.most) for move in moves])
    return back is None or _has_special_cycle(back)


def _extremes(weighted: Sequence[tuple[_Move, Endpoint]]) -> list[_Move] | None:
    """The moves of which cycles of weight 0 consist; None if there is a cycle of negative weight.

    Bellman and Ford's algorithm: with the lengths of shortest paths, an edge on a cycle of weight 0 is tight.
    """
    if any(weight == -math.inf for _, weight in weighted):
        return None
    finite = [(move, weight) for move, weight in weighted if not isinstance(weight, float)]
    shortest: dict[str, Fraction] = {name: Fraction(0) for move, _ in weighted for name in (move.source, move.target)}
    for _ in range(len(shortest) + 1):
        changed = False
        for move, weight in finite:
            if shortest[move.source] + weight < shortest[move.target]:
                shortest[move.target] = shortest[move.source] + weight
                changed = True
        if not changed:
            return [move for move, weight in finite if shortest[move.source] + weight == shortest[move.target]]
    return None


def _has_special_cycle(moves: Sequence[_Move]) -> bool:
    component = _components(moves)
    return any(move.special and component[move.source] == component[move.target] for move in moves)


def _components(moves: Sequence[_Move]) -> Mapping[str, int]:
    successors: dict[str, list[str]] = {}
    for move in moves:
        successors.setdefault(move.source, []).append(move.target)
        successors.setdefault(move.target, [])
    return {name: number for number, names in enumerate(strongly_connected(successors)) for name in names}


def _moves(flow: WindowFreeRule) -> Iterator[_Move]:
    source, target = ends(flow)
    found = _distance(flow.arithmetic, source.time, target.time)
    if found is not None:
        yield from (_Move(*edge, *found) for edge in PositionGraph.of([timeless(flow)]).rules)


def _distance(arithmetic: Sequence[Comparison], earlier: Term, later: Term) -> tuple[Endpoint, Endpoint] | None:
    """How much later one time is than another, at least and at most; None if the arithmetic is never true.

    The shortest paths in the graph of differences (Floyd and Warshall's algorithm).
    """
    limits: _Limits = {}
    start, end = (_node(term, limits) for term in (earlier, later))
    for comparison in arithmetic:
        _limit(comparison, limits)
    nodes = dict.fromkeys((start, end, *(node for pair in limits for node in pair)))
    for via in nodes:
        for first in nodes:
            for second in nodes:
                if (first, via) in limits and (via, second) in limits:
                    _narrow(limits, (first, second), add(limits[first, via], limits[via, second]))
    if any(limits.get((node, node), 0) < 0 for node in nodes):
        return None
    if start == end:
        return Fraction(0), Fraction(0)
    return -limits.get((start, end), math.inf), limits.get((end, start), math.inf)


def _node(term: Term, limits: _Limits) -> Variable:
    if isinstance(term, Variable):
        return term
    node = Variable(f"{term.value}#")
    if isinstance(term.value, Fraction):
        _narrow(limits, (node, _ORIGIN), term.value)
        _narrow(limits, (_ORIGIN, node), -term.value)
    return node


def _limit(comparison: Comparison, limits: _Limits) -> None:
    """x − y ≤ k, from a comparison that says so."""
    linear = difference(comparison)
    if linear is None or comparison.operator is ComparisonOperator.NOT_EQUAL:
        return
    match tuple(linear.coefficients.items()):
        case ((x, c),):
            y = _ORIGIN
        case ((x, c), (y, d)) if c == -d:
            pass
        case _:
            return
    # c·(x − y) + k is compared with 0.
    at, operator = -linear.constant / c, comparison.operator
    at_most = operator in (ComparisonOperator.LESS, ComparisonOperator.LESS_EQUAL)
    # Only integers are compared so: the operators of DatalogMTL give bounds that are not strict.
    is_strict = operator in (ComparisonOperator.LESS, ComparisonOperator.GREATER)
    if operator is ComparisonOperator.EQUAL or at_most == (c > 0):
        _narrow(limits, (x, y), Fraction(math.ceil(at) - 1) if is_strict else at)
    if operator is ComparisonOperator.EQUAL or at_most != (c > 0):
        _narrow(limits, (y, x), -Fraction(math.floor(at) + 1) if is_strict else -at)


def _narrow(limits: _Limits, pair: tuple[Variable, Variable], most: Endpoint) -> None:
    limits[pair] = min(most, limits.get(pair, math.inf))
