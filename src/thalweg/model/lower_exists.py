"""Existential heads: their variables become nulls, which are functions of the rule's frontier (LARS+ paper)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    At,
    Atom,
    BinaryMetric,
    Bottom,
    Comparison,
    Constant,
    Formula,
    Metric,
    Not,
    Or,
    Skolem,
    Some,
    Term,
    Top,
    Variable,
    Windowed,
    variables,
)
from thalweg.model.resolve import Resolver
from thalweg.syntax import ast
from thalweg.syntax.ast import ComparisonOperator
from thalweg.time.interval import Endpoint
from thalweg.time.timeline import Timeline


class LoweredHead(NamedTuple):
    """A head, and the comparisons that its arithmetic has become."""

    formula: Formula
    comparisons: tuple[Comparison, ...]


def together(heads: Sequence[LoweredHead], bounds: tuple[Endpoint, Endpoint]) -> list[LoweredHead]:
    """The heads of a rule, of which none holds where another one lies outside the timeline (LARS+ paper, Definition 2).

    Only times of their own can lie outside: a head that holds at the body's time never does.
    """
    times = dict.fromkeys(head.formula.time for head in heads if isinstance(head.formula, At))
    if len(heads) < 2 or not times:
        return list(heads)
    inside = tuple(guard for time in times for guard in _inside(time, bounds))
    shared = tuple(dict.fromkeys(each for head in heads for each in head.comparisons))
    return [LoweredHead(head.formula, (*shared, *inside)) for head in heads]


def skolemised(
    head: ast.Head, heads: Sequence[LoweredHead], body: Sequence[Formula], number: int, resolver: Resolver
) -> list[LoweredHead]:
    """The heads with nulls in place of their existential variables.

    The frontier is that of the whole head, with the time of the body as soon as one head atom holds then, unless
    ``per`` names it.
    """
    invented = {variable.name: variable for variable in head.existential}
    if not _is_well_formed(head, heads, body, resolver):
        return []
    times = [v for each in heads if (v := _time_variable(each.formula)) is not None]
    used = dict.fromkeys(v for each in heads for v in variables(each.formula) if v.name not in invented)
    used = dict.fromkeys((*(v for v in used if v not in times), *times))
    timed = head.per is None and any(not isinstance(each.formula, At) for each in heads)
    if timed and resolver.settings.timeline is Timeline.RATIONAL:
        message = "a new value for each time point needs time points, which only the integer timeline has"
        shown = ", ".join(v.name for v in used if "#" not in v.name) or "X"
        hint = f"declare timeline integer., or say what the value depends on: exists {_names(head)} per {shown}: …"
        resolver.report("E254", head.span, message, hint)
        return []
    frontier = tuple(used) if head.per is None else tuple(Variable(v.name, v.span) for v in head.per)
    nulls = {name: Skolem(number, name, frontier, timed, variable.span) for name, variable in invented.items()}
    shared = tuple(dict.fromkeys(each for head_ in heads for each in head_.comparisons))
    return [LoweredHead(_replaced(each.formula, nulls), shared) for each in heads]


def _inside(time: Term, bounds: tuple[Endpoint, Endpoint]) -> Iterator[Comparison]:
    operators = ComparisonOperator.GREATER_EQUAL, ComparisonOperator.LESS_EQUAL
    for operator, bound in zip(operators, bounds, strict=True):
        if not isinstance(bound, float):
            yield Comparison(operator, time, Constant(bound), time.span)


def _is_well_formed(head: ast.Head, heads: Sequence[LoweredHead], body: Sequence[Formula], resolver: Resolver) -> bool:
    before = len(resolver.found)
    in_body = {variable.name for literal in body for variable in variables(literal)}
    in_heads = {variable.name for each in heads for variable in variables(each.formula)}
    calculated = {v.name for each in heads for c in each.comparisons for v in variables(c)}
    times = {v.name for each in heads if (v := _time_variable(each.formula)) is not None}
    for variable in head.existential:
        name, span = variable.name, variable.span
        if name in in_body:
            message = f"{name} is to be a new value, but it occurs in the body, where it has one already"
            resolver.report("E247", span, message, f"leave {name} out after exists, or call the new value otherwise")
        elif name in times:
            message = f"{name} is to be a new value, but a time point is a number"
            resolver.report("E253", span, message, f"bind {name} in the body, or write at T + 1 with T from the body")
        elif name in calculated:
            message = f"{name} is to be a new value, which nothing can be calculated from"
            resolver.report("E253", span, message, f"write {name} alone")
        elif name not in in_heads:
            message = f"{name} stands after exists, but not in the head"
            resolver.report("E251", span, message, f"use {name} in a head atom, or leave it out")
    new = {variable.name for variable in head.existential}
    for variable in head.per or ():
        if variable.name in new or variable.name not in in_body | in_heads:
            which = "is itself a new value" if variable.name in new else "does not occur in the rule"
            message = f"{variable.name} stands after per, but {which}"
            resolver.report("E252", variable.span, message, "name variables of the body, on which the value depends")
    return len(resolver.found) == before


def _time_variable(formula: Formula) -> Variable | None:
    return formula.time if isinstance(formula, At) and isinstance(formula.time, Variable) else None


def _replaced(formula: Formula, nulls: Mapping[str, Skolem]) -> Formula:
    match formula:
        case Atom(arguments=arguments):
            terms = (nulls.get(t.name, t) if isinstance(t, Variable) else t for t in arguments)
            return replace(formula, arguments=tuple(terms))
        case Metric() | At():
            return replace(formula, operand=_replaced(formula.operand, nulls))
        case Top() | Bottom():
            return formula
        case BinaryMetric() | Windowed() | Some() | All() | Not() | And() | Or() | Comparison() | Aggregate():
            raise AssertionError("no head has such a part")


def _names(head: ast.Head) -> str:
    return ", ".join(variable.name for variable in head.existential)
