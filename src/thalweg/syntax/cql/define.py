"""Queries to rules: Δ(q) (LARS paper, rule (6)), with subqueries as lower strata."""

from __future__ import annotations

from fractions import Fraction

from thalweg.source import Span
from thalweg.syntax import ast
from thalweg.syntax.cql.aggregation import define_aggregation
from thalweg.syntax.cql.existence import define_existence
from thalweg.syntax.cql.names import variable_name
from thalweg.syntax.cql.query import Conjunction, Existence, Query, literals
from thalweg.syntax.cql.rule_body import build_body, is_selection, timed_items
from thalweg.syntax.cql.rule_writer import RuleWriter, atom
from thalweg.syntax.cql.stream_operators import StreamOperator
from thalweg.syntax.cql.variables import Variables
from thalweg.syntax.cql.where_clause import alternatives, translate_expression
from thalweg.syntax.mistake import Mistake

_STEP = ast.IntervalText(ast.Number(Fraction(1)), ast.Number(Fraction(1)))


def define_query(writer: RuleWriter, query: Query) -> None:
    """Write the rules of a query's predicate, after those of the queries inside it."""
    _define_below(writer, query)
    if query.operator in (None, StreamOperator.RSTREAM):
        _define_relation(writer, query, query.name)
        return
    relation = writer.fresh(f"{query.name}_relation")
    _define_relation(writer, query, relation)
    _define_stream(writer, query, relation)


def _define_below(writer: RuleWriter, query: Query) -> None:
    for item in query.items:
        if item.subquery is not None:
            define_query(writer, item.subquery)
    for literal in literals(query.condition):
        if isinstance(literal, Existence) and literal.query.name not in writer.defined:
            writer.defined.add(literal.query.name)
            _define_subquery(writer, literal.query)


def _define_subquery(writer: RuleWriter, query: Query) -> None:
    """The rules of a query in EXISTS."""
    if is_selection(query):
        _define_below(writer, query)
        define_existence(writer, query)
    elif query.free:
        hint = "group in a view, and refer to the view in EXISTS"
        raise Mistake("E171", query.span, "a subquery with groups or a stream operator is correlated", hint)
    else:
        define_query(writer, query)


def _define_relation(writer: RuleWriter, query: Query, predicate: str) -> None:
    if query.aggregates:
        define_aggregation(writer, query, predicate)
    else:
        _define_selection(writer, query, predicate)


def _define_selection(writer: RuleWriter, query: Query, predicate: str) -> None:
    """Δ_SELECT (LARS paper, Section 4): a rule for each alternative. Groups without aggregates are just rows."""
    condition = Conjunction((query.condition, query.having))
    timed = timed_items(query)
    for alternative in alternatives(condition, query.span):
        body = build_body(query, alternative, timed)
        arguments = [translate_expression(each.expression, body.variables) for each in query.selected]
        writer.add(atom(predicate, arguments, _select_span(query)), body.formulas(), query.span)


def _define_stream(writer: RuleWriter, query: Query, relation: str) -> None:
    """ISTREAM: the rows of now that were not there a moment ago; DSTREAM: those that are not there any more."""
    names = Variables(())
    arguments = [ast.Variable(names.fresh(variable_name(each.name or "X")), each.span) for each in query.selected]
    now = atom(relation, arguments, query.span)
    before = ast.DiamondMinus(_STEP, now, query.span)
    added = query.operator is StreamOperator.ISTREAM
    body: list[ast.Formula] = [now, ast.Not(before, query.span)] if added else [before, ast.Not(now, query.span)]
    writer.add(atom(query.name, arguments, _select_span(query)), body, query.span)


def _select_span(query: Query) -> Span | None:
    first, last = query.selected[0].span, query.selected[-1].span
    return first.to(last) if first and last else query.span
