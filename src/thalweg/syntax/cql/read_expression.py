"""SQL expressions to expressions with their names resolved."""

from __future__ import annotations

from sqlglot import exp

from thalweg.source import Span
from thalweg.syntax.ast import AggregateKind, ArithmeticOperator, Number, Text
from thalweg.syntax.cql.numbers import read_number
from thalweg.syntax.cql.query import AggregateCall, Calculation, Constant, Expression, Minus, Reference
from thalweg.syntax.cql.scope import Scope
from thalweg.syntax.cql.sql import Sql
from thalweg.syntax.mistake import Mistake

_OPERATORS: dict[type[exp.Expr], ArithmeticOperator] = {
    exp.Add: ArithmeticOperator.ADD,
    exp.Sub: ArithmeticOperator.SUBTRACT,
    exp.Mul: ArithmeticOperator.MULTIPLY,
    exp.Div: ArithmeticOperator.DIVIDE,
}
_AGGREGATES: dict[type[exp.Expr], AggregateKind] = {
    exp.Count: AggregateKind.COUNT,
    exp.Sum: AggregateKind.SUM,
    exp.Min: AggregateKind.MIN,
    exp.Max: AggregateKind.MAX,
    exp.Avg: AggregateKind.AVERAGE,
}


def read_expression(sql: Sql, node: exp.Expr, scope: Scope, aggregates: bool = False) -> Expression:
    """The expression that a node means; aggregates only where there are groups."""
    span = sql.span(node)
    match node:
        case exp.Paren():
            return read_expression(sql, node.this, scope, aggregates)
        case exp.Column():
            return read_reference(sql, node, scope)
        case exp.Literal():
            return Constant(_literal(node, span))
        case exp.Boolean():
            return Constant(Text("true" if node.this else "false", span))
        case exp.Neg():
            return _negative(read_expression(sql, node.this, scope, aggregates), span)
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            left = read_expression(sql, node.this, scope, aggregates)
            right = read_expression(sql, node.expression, scope, aggregates)
            return Calculation(_OPERATORS[type(node)], left, right, span)
        case exp.Count() | exp.Sum() | exp.Min() | exp.Max() | exp.Avg():
            if not aggregates:
                hint = "compare it in HAVING, or compute it in a view"
                raise Mistake("E169", span, f"{node.sql_name()} has no groups here", hint)
            return _aggregate(sql, node, scope)
        case _:
            hint = "a column, a constant, or + - * / of them can stand here; a subquery in FROM or after EXISTS"
            raise Mistake("E154", span, "this is not a value", hint)


def read_reference(sql: Sql, node: exp.Column, scope: Scope) -> Reference:
    """The column that a name means."""
    span = sql.span(node)
    if isinstance(node.this, exp.Star):
        raise Mistake("E154", span, "* is not a value", "name the columns")
    return Reference(scope.find(node.name, node.table or None, span), span)


def _literal(node: exp.Literal, span: Span) -> Text | Number:
    return Text(str(node.this), span) if node.is_string else Number(read_number(str(node.this), span), span=span)


def _negative(operand: Expression, span: Span) -> Expression:
    if isinstance(operand, Constant) and isinstance(operand.value, Number):
        return Constant(Number(-operand.value.value, span=span))
    return Minus(operand, span)


def _aggregate(sql: Sql, node: exp.Expr, scope: Scope) -> AggregateCall:
    span = sql.span(node)
    kind, argument = _AGGREGATES[type(node)], node.this
    distinct = isinstance(argument, exp.Distinct)
    arguments = [*(argument.expressions if isinstance(argument, exp.Distinct) else [argument]), *node.expressions]
    if len(arguments) != 1 or arguments[0] is None:
        raise Mistake("E155", span, f"{kind.value.upper()} takes one argument", f"write {kind.value.upper()}(x)")
    if isinstance(arguments[0], exp.Star):
        if kind is not AggregateKind.COUNT or distinct:
            raise Mistake("E155", span, f"{kind.value.upper()} does not take *", f"write {kind.value.upper()}(x)")
        return AggregateCall(kind, None, False, span)
    return AggregateCall(kind, read_expression(sql, arguments[0], scope), distinct, span)
