"""Queries with aggregates.

Windows of CQL are bags over time: a tuple that came at two times counts twice. So an aggregate ranges over the distinct
pairs of tuple and time, ``count { ID, X, T : window[last 5] (tram(ID, X) at T) }``. The columns of GROUP BY are
variables that the head shares; nothing else gives them values, so that only groups with rows appear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from thalweg.syntax import ast
from thalweg.syntax.ast import AggregateKind, ComparisonOperator
from thalweg.syntax.cql.from_clause import item_slots, spans_times
from thalweg.syntax.cql.names import variable_name
from thalweg.syntax.cql.query import AggregateCall, AnySlot, Comparison, Existence, Item, Literal, Query
from thalweg.syntax.cql.rule_body import Body, build_body, timed_items
from thalweg.syntax.cql.rule_writer import RuleWriter, atom
from thalweg.syntax.cql.variables import Variables
from thalweg.syntax.cql.where_clause import alternatives, translate_comparison, translate_expression

_ROW_COUNT = AggregateCall(AggregateKind.COUNT, None, False)
_NUMBERLESS = frozenset({AggregateKind.MIN, AggregateKind.MAX, AggregateKind.AVERAGE})
"""The aggregates that have no value where there are no rows."""


def define_aggregation(writer: RuleWriter, query: Query, predicate: str) -> None:
    """Write a rule for each alternative of HAVING, with a literal for each aggregate."""
    timed = timed_items(query) | {item for item in query.items if spans_times(item)}
    rows = _rows(writer, query, predicate, timed)
    needs_row = _needs_row(query)
    calls = tuple(dict.fromkeys((*query.aggregates, *([_ROW_COUNT] * needs_row))))
    results = {call: ast.Variable(rows.variables.fresh(_result_name(call, query)), call.span) for call in calls}
    group = [reference.slot for reference in query.group or ()]
    literals: list[ast.Formula] = []
    for number, call in enumerate(calls):
        variables = rows.variables if number == 0 else rows.variables.renamed(group)
        literals.append(_aggregate(call, results[call], rows, variables))
    if needs_row:
        zero = ast.Number(Fraction(0))
        literals.append(ast.Comparison(ComparisonOperator.GREATER, results[_ROW_COUNT], zero, query.span))
    arguments = [translate_expression(each.expression, rows.variables, results) for each in query.selected]
    for alternative in alternatives(query.having, query.span):
        having = [translate_comparison(each, rows.variables, results) for each in _compared(alternative)]
        writer.add(atom(predicate, arguments, query.span), [*literals, *having], query.span)


def _needs_row(query: Query) -> bool:
    """Whether nothing else sees to it that a sum over no rows has no value: in rules it is 0, in SQL missing."""
    kinds = {call.kind for call in query.aggregates}
    return not query.group and AggregateKind.SUM in kinds and not kinds & _NUMBERLESS


@dataclass(frozen=True)
class _Rows:
    """What an aggregate ranges over: the body of the query, or an atom for its rows."""

    slots: tuple[AnySlot, ...]
    variables: Variables
    body: Body | str

    def formulas(self, variables: Variables) -> list[ast.Formula]:
        if isinstance(self.body, Body):
            return self.body.formulas(variables)
        return [atom(self.body, [variables[slot] for slot in self.slots])]


def _rows(writer: RuleWriter, query: Query, predicate: str, timed: set[Item]) -> _Rows:
    """The rows of the query; as a predicate of their own where one conjunction does not describe them."""
    slots: list[AnySlot] = [slot for item in query.items for slot in item_slots(item, timed)]
    bodies = [build_body(query, each, timed) for each in alternatives(query.condition, query.span)]
    if len(bodies) == 1 and not any(isinstance(literal, Existence) for literal in bodies[0].literals):
        return _Rows((*slots, *query.computed), bodies[0].variables, bodies[0])
    name = writer.fresh(f"{predicate}_rows")
    slots += query.computed
    for body in bodies:
        writer.add(atom(name, [body.variables[slot] for slot in slots], query.span), body.formulas(), query.span)
    return _Rows(tuple(slots), Variables(slots), name)


def _aggregate(call: AggregateCall, result: ast.Variable, rows: _Rows, variables: Variables) -> ast.Formula:
    row = list(dict.fromkeys(variables[slot] for slot in rows.slots))
    elements: list[ast.Term] = [*row]
    if call.argument is not None:
        value = translate_expression(call.argument, variables)
        if call.distinct or call.kind in (AggregateKind.MIN, AggregateKind.MAX):
            elements = [value]
        elif call.kind is not AggregateKind.COUNT:
            elements = [value, *(each for each in row if each != value)]
    return ast.Aggregate(
        ComparisonOperator.EQUAL, result, call.kind, tuple(elements), tuple(rows.formulas(variables)), call.span
    )


def _result_name(call: AggregateCall, query: Query) -> str:
    names = (each.name for each in query.selected if each.expression == call and each.name)
    return variable_name(next(names, call.kind.value))


def _compared(alternative: Sequence[Literal]) -> Iterator[Comparison]:
    return (literal for literal in alternative if isinstance(literal, Comparison))
