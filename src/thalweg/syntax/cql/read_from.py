"""FROM clauses: streams, tables, views and subqueries with their windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sqlglot import exp

from thalweg.errors import did_you_mean
from thalweg.source import Span
from thalweg.syntax.cql.names import check_name, fold
from thalweg.syntax.cql.query import Item, Query
from thalweg.syntax.cql.results import result_columns
from thalweg.syntax.cql.schema import Catalog, Relation, RelationKind
from thalweg.syntax.cql.sql import Sql
from thalweg.syntax.cql.windows import Now, Rows, Window, misplaced_window
from thalweg.syntax.mistake import Mistake


class FromReader:
    """Reads FROM clauses, and knows which windows none of them has."""

    def __init__(
        self, sql: Sql, catalog: Catalog, keys: Iterator[int], read_query: Callable[[exp.Expr, str], Query]
    ) -> None:
        self._sql = sql
        self._catalog = catalog
        self._keys = keys
        self._read_query = read_query
        self._windows = dict(sql.windows)

    def read(self, nodes: Sequence[exp.Expr], query_name: str) -> list[Item]:
        """The items of one FROM clause."""
        items: dict[str, Item] = {}
        for node in nodes:
            item = self._item(node, query_name)
            if fold(item.alias) in items:
                hint = f"give each its own alias: {item.relation.predicate} AS {item.alias}2"
                raise Mistake("E159", item.span, f"FROM has {item.alias} twice", hint)
            items[fold(item.alias)] = item
        return list(items.values())

    def unused_windows(self) -> list[Window]:
        """The windows that belong to no item read so far."""
        return list(self._windows.values())

    def _item(self, node: exp.Expr, query_name: str) -> Item:
        alias = self._alias(node)
        subquery = None
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            span = self._sql.span(node.this)
            relation = self._catalog.find(node.name, span)
        elif isinstance(node, exp.Subquery):
            subquery = self._read_query(node.this, self._catalog.fresh(f"{query_name}_from"))
            span = self._sql.span(node)
            relation = Relation(RelationKind.QUERY, subquery.name, result_columns(subquery), span)
        else:
            hint = "name streams, tables, views or (SELECT …) AS q"
            raise Mistake("E154", self._sql.span(node), "nothing can be selected from this", hint)
        name = alias.name if alias else relation.predicate
        window = self._window(node, alias, relation)
        return Item(next(self._keys), name, relation, window, subquery, span)

    def _alias(self, node: exp.Expr) -> exp.Identifier | None:
        table_alias = node.args.get("alias")
        identifier = table_alias.this if table_alias else None
        if not isinstance(identifier, exp.Identifier):
            return None
        check_name(identifier.name, self._sql.span(identifier))
        return identifier

    def _window(self, node: exp.Expr, alias: exp.Identifier | None, relation: Relation) -> Window:
        named = [part for part in (node.this, alias) if isinstance(part, exp.Identifier)]
        found = [self._windows.pop(part.meta["start"]) for part in named if part.meta.get("start") in self._windows]
        if len(found) > 1:
            raise misplaced_window(found[1].span)
        if found and relation.kind is RelationKind.TABLE:
            hint = "leave the window out: the rows of a table hold always"
            raise Mistake("E165", found[0].span, f"{relation.predicate} is a table", hint)
        for window in found:
            _check_partition(window, relation)
            return window
        return Now()


def _check_partition(window: Window, relation: Relation) -> None:
    for name, span in window.columns if isinstance(window, Rows) else ():
        if relation.position(name) is None:
            raise _no_partition(relation, name, span)


def _no_partition(relation: Relation, name: str, span: Span) -> Mistake:
    known = [column.name for column in relation.columns if column.name]
    hint = did_you_mean(name, known) or f"its columns are {', '.join(known)}"
    return Mistake("E157", span, f"{relation.predicate} has no column {name}", hint)
