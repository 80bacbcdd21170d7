"""The part of SQL that has a translation: every other node or clause of a query is refused by name.

What is not listed here is refused, so that nothing of a query is ever left out in silence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from sqlglot import exp

from thalweg.source import Span
from thalweg.syntax.cql.sql import Sql
from thalweg.syntax.cql.stream_operators import WORDS
from thalweg.syntax.mistake import Mistake

_ARGUMENTS: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Select: ("expressions", "from_", "joins", "where", "group", "having", "distinct"),
    exp.From: ("this",),
    exp.Join: ("this", "on", "kind"),
    exp.Table: ("this", "alias"),
    exp.TableAlias: ("this",),
    exp.Subquery: ("this", "alias"),
    exp.Where: ("this",),
    exp.Group: ("expressions",),
    exp.Having: ("this",),
    exp.Distinct: ("expressions",),
    exp.Column: ("this", "table"),
    exp.Identifier: ("this", "quoted"),
    exp.Alias: ("this", "alias"),
    exp.Star: (),
    exp.Literal: ("this", "is_string"),
    exp.Boolean: ("this",),
    exp.Paren: ("this",),
    exp.Neg: ("this",),
    exp.Not: ("this",),
    exp.Between: ("this", "low", "high"),
    exp.In: ("this", "expressions"),
    exp.Exists: ("this",),
    exp.Count: ("this", "big_int", "expressions"),
    exp.Min: ("this", "expressions"),
    exp.Max: ("this", "expressions"),
    exp.Sum: ("this",),
    exp.Avg: ("this",),
}
_BINARY = (exp.And, exp.Or, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Add, exp.Sub, exp.Mul, exp.Div)
_TRANSLATED: Mapping[type[exp.Expr], tuple[str, ...]] = MappingProxyType(
    {**_ARGUMENTS, **dict.fromkeys(_BINARY, ("this", "expression"))}
)

_SETS = "the answers are a set of rows: put them in order, and cut them off, where you read them"
_CLAUSES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "order": ("ORDER BY", _SETS),
        "limit": ("LIMIT", f"{_SETS}; [ROWS 3] takes the last tuples of a stream"),
        "offset": ("OFFSET", _SETS),
        "with_": ("WITH", "write CREATE VIEW name AS SELECT …; before the query"),
        "qualify": ("QUALIFY", "select from a view, and compare in WHERE"),
        "windows": ("WINDOW", "windows stand in brackets after a stream: tram [RANGE 5]"),
        "laterals": ("LATERAL", "name all that is joined in FROM"),
        "into": ("INTO", "write CREATE VIEW name AS SELECT …"),
        "db": ("a schema before a name", "write the name alone"),
        "columns": ("a list of column names after an alias", "name columns in the query, with AS"),
        "query": ("IN (SELECT …)", "write EXISTS (SELECT … WHERE …)"),
        "joins": ("a join in parentheses", "write the joins one after another"),
        "sample": ("TABLESAMPLE", "leave it out"),
        "all": ("GROUP BY ALL", "name the columns"),
        "on": ("DISTINCT ON", "answers are distinct; take the last tuples with [PARTITION BY a ROWS 1]"),
        "except_": ("* EXCEPT", "name the columns"),
    }
)
_NODES: Mapping[type[exp.Expr], tuple[str, str]] = MappingProxyType(
    {
        exp.SetOperation: ("UNION, INTERSECT or EXCEPT", "write OR, EXISTS or NOT EXISTS, or a query for each"),
        exp.Rollup: ("ROLLUP", "write a query for each grouping"),
        exp.Cube: ("CUBE", "write a query for each grouping"),
        exp.GroupingSets: ("GROUPING SETS", "write a query for each grouping"),
        exp.Placeholder: ("?", "write the value"),
        exp.Null: ("NULL", "there are no missing values: ask with EXISTS or NOT EXISTS"),
        exp.Is: ("IS", "there are no missing values: ask with EXISTS or NOT EXISTS"),
        exp.Like: ("LIKE", "texts are compared whole: write = or <>"),
        exp.ILike: ("ILIKE", "texts are compared whole: write = or <>"),
        exp.Case: ("CASE", "write a query for each case"),
        exp.Cast: ("a cast", "declare the type of the column"),
        exp.Window: ("OVER", "windows stand in brackets after a stream: tram [RANGE 5]"),
        exp.Filter: ("FILTER", "filter in WHERE, in a view of its own"),
        exp.Interval: ("INTERVAL", "write times as numbers"),
        exp.Mod: ("%", "the operators are + - * and /"),
        exp.DPipe: ("||", "texts cannot be put together"),
        exp.Func: ("the function {}", "the functions are COUNT, SUM, MIN, MAX and AVG"),
    }
)


MAX_DEPTH = 100
"""How deeply expressions and queries may be nested, so that every pass may walk them by recursion."""


def check_fragment(sql: Sql) -> None:
    """Refuse the first part of a query that has no translation."""
    depths: dict[int, int] = {}
    for node in sql.tree.walk(bfs=False):
        _check_node(sql, node)
        _check_depth(sql, node, depths)
        if isinstance(node, exp.Join):
            _check_join(sql, node)
        for name, argument in node.args.items():
            if argument and name not in _TRANSLATED[type(node)]:
                raise _no_clause(sql, node, name, argument)


def _check_depth(sql: Sql, node: exp.Expr, depths: dict[int, int]) -> None:
    """AND and OR do not count: they are joined, not nested."""
    above = depths.get(id(node.parent), 0)
    depths[id(node)] = above + (not isinstance(node, exp.And | exp.Or))
    if depths[id(node)] > MAX_DEPTH:
        hint = "split it into several queries, with a view for each part"
        raise Mistake("E178", sql.span(node), "the query is nested too deeply", hint)


def _check_node(sql: Sql, node: exp.Expr) -> None:
    if type(node) in _TRANSLATED:
        return
    if isinstance(node, exp.Anonymous) and _function_name(node) in WORDS:
        hint = f"write SELECT {_function_name(node)}(a, b) FROM … or {_function_name(node)}(SELECT a, b FROM …)"
        raise Mistake("E167", sql.span(node), f"{_function_name(node)} does not take a whole query here", hint)
    for kind, (what, hint) in _NODES.items():
        if isinstance(node, kind):
            message = f"{what.format(_function_name(node))} has no translation"
            raise Mistake("E154", _span_with(sql, node, what), message, hint)
    text = sql.span(node).text.partition("\n")[0]
    hint = "columns, constants, + - * / and comparisons have one"
    raise Mistake("E154", sql.span(node), f"there is no translation at {text}", hint)


def _check_join(sql: Sql, join: exp.Join) -> None:
    words = [str(join.args[name]) for name in ("method", "side", "kind") if join.args.get(name)]
    if words not in ([], ["INNER"], ["CROSS"]):
        raise _no_join(sql, join, " ".join(words))
    if join.args.get("using"):
        raise _no_join(sql, join, "USING in a")


def _no_join(sql: Sql, join: exp.Join, words: str) -> Mistake:
    hint = "write JOIN … ON …, or NOT EXISTS for what has no partner"
    return Mistake("E153", sql.span(join.this), f"{words} JOIN has no translation", hint)


def _no_clause(sql: Sql, node: exp.Expr, name: str, argument: object) -> Mistake:
    what, hint = _CLAUSES.get(name, (name.rstrip("_").replace("_", " ").upper(), "leave it out"))
    parts = argument if isinstance(argument, list) else [argument]
    place = next((part for part in parts if isinstance(part, exp.Expr)), node)
    return Mistake("E152", _span_with(sql, place, what), f"{what} has no translation", hint)


def _span_with(sql: Sql, node: exp.Expr, keyword: str) -> Span:
    """The span of a node and the keyword before it; only values and names have places of their own."""
    span, words = sql.span(node), r"\s+".join(map(re.escape, keyword.split()))
    before = re.search(rf"{words}\s*\(?\s*\Z", sql.source.text[sql.whole.start : span.start], re.IGNORECASE)
    if before:
        return Span(sql.source, sql.whole.start + before.start(), span.end)
    within = re.search(words, sql.whole.text, re.IGNORECASE) if span == sql.whole else None
    if within:
        return Span(sql.source, sql.whole.start + within.start(), sql.whole.start + within.end())
    return span


def _function_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.this).upper()
    return node.sql_name() if isinstance(node, exp.Func) else ""
