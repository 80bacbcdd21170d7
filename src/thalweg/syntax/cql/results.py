"""The columns of a query's result."""

from __future__ import annotations

from thalweg.syntax.ast import AggregateKind, Number, TypeName
from thalweg.syntax.cql.names import fold
from thalweg.syntax.cql.query import AggregateCall, Calculation, Constant, Expression, Minus, Query, Reference
from thalweg.syntax.cql.schema import Column
from thalweg.syntax.mistake import Mistake


def result_columns(query: Query) -> tuple[Column, ...]:
    """The columns of a query that others read: their names differ."""
    columns = tuple(Column(each.name, type_of(each.expression), each.span) for each in query.selected)
    seen: set[str] = set()
    for column in columns:
        if column.name and fold(column.name) in seen:
            hint = f"rename one of the two: {column.name} AS {column.name}2"
            raise Mistake("E159", column.span, f"two columns are called {column.name}", hint)
        seen.add(fold(column.name or ""))
    return columns


def type_of(expression: Expression) -> TypeName:
    """The type of an expression's values, as far as it is known."""
    match expression:
        case Reference(slot):
            return slot.type
        case Constant(value):
            return TypeName.NUMBER if isinstance(value, Number) else TypeName.STRING
        case AggregateCall(AggregateKind.COUNT):
            return TypeName.INTEGER
        case AggregateCall(AggregateKind.MIN | AggregateKind.MAX, argument) if argument is not None:
            return type_of(argument)
        case Calculation() | Minus() | AggregateCall():
            return TypeName.NUMBER
