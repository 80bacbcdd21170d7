"""SQL conditions to conditions without NOT: it is pushed down to the comparisons, which have opposites.

That is sound because there are no missing values: a comparison that is not true is false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from thalweg.syntax.ast import ComparisonOperator
from thalweg.syntax.cql.query import Comparison, Condition, Conjunction, Disjunction, Existence, Query
from thalweg.syntax.cql.read_expression import read_expression
from thalweg.syntax.cql.scope import Scope
from thalweg.syntax.cql.sql import Sql
from thalweg.syntax.mistake import Mistake

ReadQuery = Callable[[exp.Expr], Query]
"""Reads the query of an EXISTS condition."""

_OPERATORS: dict[type[exp.Expr], ComparisonOperator] = {
    exp.EQ: ComparisonOperator.EQUAL,
    exp.NEQ: ComparisonOperator.NOT_EQUAL,
    exp.LT: ComparisonOperator.LESS,
    exp.LTE: ComparisonOperator.LESS_EQUAL,
    exp.GT: ComparisonOperator.GREATER,
    exp.GTE: ComparisonOperator.GREATER_EQUAL,
}
_OPPOSITES = {
    ComparisonOperator.EQUAL: ComparisonOperator.NOT_EQUAL,
    ComparisonOperator.NOT_EQUAL: ComparisonOperator.EQUAL,
    ComparisonOperator.LESS: ComparisonOperator.GREATER_EQUAL,
    ComparisonOperator.LESS_EQUAL: ComparisonOperator.GREATER,
    ComparisonOperator.GREATER: ComparisonOperator.LESS_EQUAL,
    ComparisonOperator.GREATER_EQUAL: ComparisonOperator.LESS,
}


class ConditionReader:
    """Reads the conditions of one query: WHERE and ON without aggregates, HAVING with them."""

    def __init__(self, sql: Sql, scope: Scope, read_query: ReadQuery | None) -> None:
        self._sql = sql
        self._scope = scope
        self._read_query = read_query
        self._aggregates = read_query is None

    def read(self, node: exp.Expr, negated: bool = False) -> Condition:
        """The condition that a node means, or its opposite."""
        match node:
            case exp.Paren():
                return self.read(node.this, negated)
            case exp.Not():
                return self.read(node.this, not negated)
            case exp.And() | exp.Or():
                parts = [self.read(part, negated) for part in node.flatten()]
                return _joined(parts, isinstance(node, exp.And) is not negated)
            case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
                return self._compare(_OPERATORS[type(node)], node, node.this, node.expression, negated)
            case exp.Between():
                low = self._compare(ComparisonOperator.GREATER_EQUAL, node, node.this, node.args["low"], negated)
                high = self._compare(ComparisonOperator.LESS_EQUAL, node, node.this, node.args["high"], negated)
                return _joined([low, high], not negated)
            case exp.In():
                each = [self._compare(ComparisonOperator.EQUAL, node, node.this, e, negated) for e in node.expressions]
                return _joined(each, negated)
            case exp.Exists():
                return self._exists(node, negated)
            case _:
                hint = "write a comparison, such as x = 5, or flag = TRUE for a boolean column"
                raise Mistake("E174", self._sql.span(node), "this is not a condition", hint)

    def _compare(
        self, operator: ComparisonOperator, node: exp.Expr, left: exp.Expr, right: exp.Expr, negated: bool
    ) -> Comparison:
        first = read_expression(self._sql, left, self._scope, self._aggregates)
        second = read_expression(self._sql, right, self._scope, self._aggregates)
        return Comparison(_OPPOSITES[operator] if negated else operator, first, second, self._sql.span(node))

    def _exists(self, node: exp.Exists, negated: bool) -> Existence:
        if self._read_query is None:
            hint = "write it in WHERE, or select from a view"
            raise Mistake("E152", self._sql.span(node), "EXISTS in HAVING has no translation", hint)
        return Existence(self._read_query(node.this), negated, self._sql.span(node))


def _joined(parts: Iterable[Condition], conjunction: bool) -> Condition:
    return Conjunction(tuple(parts)) if conjunction else Disjunction(tuple(parts))
