"""SQL queries to queries with their names resolved."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from sqlglot import exp

from thalweg.syntax.cql.fragment import check_fragment
from thalweg.syntax.cql.names import fold
from thalweg.syntax.cql.query import ComputedSlot, Condition, Conjunction, Item, Query, Reference
from thalweg.syntax.cql.read_condition import ConditionReader
from thalweg.syntax.cql.read_expression import read_reference
from thalweg.syntax.cql.read_from import FromReader
from thalweg.syntax.cql.read_select import check_grouped, read_selected
from thalweg.syntax.cql.schema import Catalog
from thalweg.syntax.cql.scope import Scope
from thalweg.syntax.cql.sql import Sql
from thalweg.syntax.cql.stream_operators import StreamOperator
from thalweg.syntax.cql.windows import misplaced_window
from thalweg.syntax.mistake import Mistake


def read_query(sql: Sql, name: str, catalog: Catalog) -> Query:
    """The query that a tree means, as the definition of a predicate of that name."""
    check_fragment(sql)
    reader = QueryReader(sql, catalog)
    query = reader.read(sql.tree, name)
    for window in reader.unused_windows():
        raise misplaced_window(window.span)
    return query


class QueryReader:
    """Reads a query and the queries inside it."""

    def __init__(self, sql: Sql, catalog: Catalog) -> None:
        self._sql = sql
        self._catalog = catalog
        self._keys = itertools.count()
        self._from = FromReader(sql, catalog, self._keys, self.read)
        self.unused_windows = self._from.unused_windows

    def read(self, node: exp.Expr, name: str, outer: Scope | None = None) -> Query:
        """The query of a node, which may refer to the FROM items of the query around it."""
        select = self._select(node)
        operator, expressions = self._split_operator(select)
        scope = Scope(self._items(select, name), outer)
        if not expressions:
            raise Mistake("E173", self._sql.span(select), "the query selects nothing", "write what to select")
        self._find_computed(select, expressions, scope)
        condition = self._condition(select, name, scope)
        selected = read_selected(self._sql, expressions, scope)
        query = Query(
            name=name,
            items=scope.items,
            condition=condition,
            selected=selected,
            group=self._group(select, scope),
            having=self._having(select, scope),
            operator=operator,
            computed=tuple(scope.computed.values()),
            free=tuple(scope.free),
            span=self._sql.span(select),
        )
        check_grouped(query)
        return query

    def _select(self, node: exp.Expr) -> exp.Select:
        while isinstance(node, exp.Subquery | exp.Paren) and not node.args.get("alias"):
            node = node.this
        if not isinstance(node, exp.Select):
            raise Mistake("E150", self._sql.span(node), "this is not a query", "write SELECT … FROM …")
        return node

    def _split_operator(self, select: exp.Select) -> tuple[StreamOperator | None, list[exp.Expr]]:
        """The stream operator whose mark stands at the head of a select list, and the rest of the list."""
        first, *rest = select.expressions or [None]
        if isinstance(first, exp.Literal) and first.meta.get("start") in self._sql.operators:
            return self._sql.operators[first.meta["start"]], rest
        return None, select.expressions

    def _items(self, select: exp.Select, name: str) -> list[Item]:
        clause = select.args.get("from_")
        if clause is None:
            hint = "say where the rows come from: SELECT … FROM …"
            raise Mistake("E173", self._sql.span(select), "the query has no FROM", hint)
        joins = select.args.get("joins") or []
        return self._from.read([clause.this, *(join.this for join in joins)], name)

    def _condition(self, select: exp.Select, name: str, scope: Scope) -> Condition:
        reader = ConditionReader(
            self._sql, scope, lambda node: self.read(node, self._catalog.fresh(f"{name}_exists"), scope)
        )
        conditions = [join.args.get("on") for join in select.args.get("joins") or []]
        where = select.args.get("where")
        conditions.append(where.this if where else None)
        return Conjunction(tuple(reader.read(each) for each in conditions if each is not None))

    def _having(self, select: exp.Select, scope: Scope) -> Condition:
        having = select.args.get("having")
        return ConditionReader(self._sql, scope, None).read(having.this) if having else Conjunction()

    def _group(self, select: exp.Select, scope: Scope) -> tuple[Reference, ...] | None:
        group = select.args.get("group")
        return tuple(self._group_column(node, scope) for node in group.expressions) if group else None

    def _group_column(self, node: exp.Expr, scope: Scope) -> Reference:
        if isinstance(node, exp.Paren):
            return self._group_column(node.this, scope)
        if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
            hint = "name the column; what is computed can be selected in a view, and grouped there"
            raise Mistake("E170", self._sql.span(node), "this is not the name of a column", hint)
        return read_reference(self._sql, node, scope)

    def _find_computed(self, select: exp.Select, expressions: list[exp.Expr], scope: Scope) -> None:
        """Let in the selected columns that no FROM item has but the WHERE clause says how to compute."""
        where = select.args.get("where")
        equated = {fold(node.name) for node in _equated(where)} if where else set()
        for column in (each for node in expressions for each in node.find_all(exp.Column)):
            folded = fold(column.name)
            if column.table or isinstance(column.this, exp.Star) or folded not in equated:
                continue
            if scope.look_up(column.name, None, self._sql.span(column)) is None:
                scope.computed[folded] = ComputedSlot(next(self._keys), column.name)


def _equated(where: exp.Expr) -> Iterator[exp.Column]:
    """The columns that stand alone on one side of an equation, and have no alias before them."""
    for node in where.walk(prune=lambda node: isinstance(node, exp.Select)):
        if isinstance(node, exp.EQ):
            sides = (node.this.unnest(), node.expression.unnest())
            yield from (side for side in sides if isinstance(side, exp.Column) and not side.table)
