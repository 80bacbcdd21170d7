"""Select lists, and what may stand in them beside GROUP BY."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from thalweg.syntax.cql.names import check_name
from thalweg.syntax.cql.query import (
    AggregateCall,
    Calculation,
    ComputedSlot,
    Expression,
    Item,
    Minus,
    Query,
    Reference,
    Selected,
    Slot,
    expressions_of,
    literals,
)
from thalweg.syntax.cql.read_expression import read_expression
from thalweg.syntax.cql.scope import Scope
from thalweg.syntax.cql.sql import Sql
from thalweg.syntax.mistake import Mistake


def read_selected(sql: Sql, nodes: Iterable[exp.Expr], scope: Scope) -> tuple[Selected, ...]:
    """The select list, with every ``*`` written out."""
    return tuple(selected for node in nodes for selected in _read_one(sql, node, scope))


def check_grouped(query: Query) -> None:
    """Where there are groups, columns outside aggregates are grouped."""
    compares = any(True for _ in literals(query.having))
    if query.group is None and not query.aggregates:
        if compares:
            hint = "write GROUP BY, or compare in WHERE"
            raise Mistake("E169", query.span, "HAVING has no groups here", hint)
        return
    grouped = {reference.slot for reference in query.group or ()}
    expressions = [*(each.expression for each in query.selected), *expressions_of(query.having)]
    for reference in (each for expression in expressions for each in _outside_aggregates(expression)):
        if reference.slot not in grouped:
            hint = "name it in GROUP BY, or put it in COUNT, SUM, MIN, MAX or AVG"
            raise Mistake("E168", reference.span, f"{slot_name(reference)} is not grouped", hint)


def slot_name(reference: Reference) -> str:
    """How a column is called, for a message."""
    slot = reference.slot
    if isinstance(slot, ComputedSlot):
        return slot.name
    return "rowtime" if slot.position is None else str(slot.item.relation.columns[slot.position].name)


def _read_one(sql: Sql, node: exp.Expr, scope: Scope) -> Iterator[Selected]:
    span = sql.span(node)
    if isinstance(node, exp.Star):
        for item in scope.items:
            yield from _all_columns(sql, node, item)
    elif isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
        yield from _all_columns(sql, node, scope.item(node.table, span))
    elif isinstance(node, exp.Alias):
        identifier = node.args["alias"]
        name = check_name(identifier.name, sql.span(identifier))
        yield Selected(read_expression(sql, node.this, scope, aggregates=True), name, span)
    else:
        expression = read_expression(sql, node, scope, aggregates=True)
        yield Selected(expression, slot_name(expression) if isinstance(expression, Reference) else None, span)


def _all_columns(sql: Sql, node: exp.Expr, item: Item) -> Iterator[Selected]:
    span = sql.span(node)
    for position, column in enumerate(item.relation.columns):
        yield Selected(Reference(Slot(item, position), span), column.name, span)


def _outside_aggregates(expression: Expression) -> Iterator[Reference]:
    match expression:
        case Reference():
            yield expression
        case Calculation(_, left, right):
            yield from _outside_aggregates(left)
            yield from _outside_aggregates(right)
        case Minus(operand):
            yield from _outside_aggregates(operand)
        case AggregateCall():
            return
