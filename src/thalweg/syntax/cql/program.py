"""CQL text to a program of rules.

A file holds statements with ``;`` between them: ``CREATE STREAM`` (input), ``CREATE TABLE`` (background),
``CREATE VIEW v AS SELECT …`` (the predicate v) and bare queries (the predicates answer, answer2, …). What no other
query reads is output. Time is discrete, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import Token, TokenType

from thalweg.errors import Diagnostic
from thalweg.source import Source, Span
from thalweg.syntax import ast
from thalweg.syntax.cql.cursor import Cursor, is_name, span_of_token
from thalweg.syntax.cql.declarations import View, read_create
from thalweg.syntax.cql.define import define_query
from thalweg.syntax.cql.names import fold
from thalweg.syntax.cql.query import Query
from thalweg.syntax.cql.read_query import read_query
from thalweg.syntax.cql.results import result_columns, type_of
from thalweg.syntax.cql.rule_writer import RuleWriter
from thalweg.syntax.cql.schema import Catalog, Column, Relation, RelationKind, Unreadable
from thalweg.syntax.cql.sql import parse_query
from thalweg.syntax.cql.statements import split_statements
from thalweg.syntax.cql.stream_operators import WORDS
from thalweg.syntax.mistake import Mistake

_ROLES = {RelationKind.STREAM: ast.Role.INPUT, RelationKind.TABLE: ast.Role.BACKGROUND}


def translate(source: Source) -> tuple[ast.ProgramText, tuple[Diagnostic, ...]]:
    """The rules for all queries that can be translated, and a diagnostic for each mistake in the others."""
    try:
        statements = split_statements(source)
    except Mistake as mistake:
        return ast.ProgramText((), source), (mistake.diagnostic,)
    translation = _Translation(source, statements)
    for tokens in statements:
        translation.translate(tokens)
    return translation.program(), translation.diagnostics()


class _Translation:
    def __init__(self, source: Source, statements: Sequence[Sequence[Token]]) -> None:
        self._source = source
        self._catalog = Catalog(later=_declared_names(statements))
        self._writer = RuleWriter(self._catalog)
        self._declared: list[Relation] = []
        self._answers: list[Relation] = []
        self._found: list[Diagnostic] = []

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        if self._answers or self._found:
            return tuple(self._found)
        whole = Span(self._source, 0, len(self._source.text))
        hint = "write SELECT … FROM … after the declarations"
        return (Diagnostic("E175", whole, "the file has no query", hint),)

    def program(self) -> ast.ProgramText:
        timeline = ast.TimelineDeclaration("integer")
        inputs = [_declaration(_ROLES[relation.kind], relation) for relation in self._declared]
        shown = (relation for relation in self._answers if relation.predicate not in self._catalog.read)
        outputs = [_declaration(ast.Role.OUTPUT, relation) for relation in shown]
        return ast.ProgramText((timeline, *inputs, *outputs, *self._writer.rules), self._source)

    def translate(self, tokens: Sequence[Token]) -> None:
        rules = len(self._writer.rules)
        try:
            self._statement(tokens)
        except Mistake as mistake:
            self._found.append(mistake.diagnostic)
        except RecursionError:
            span = span_of_token(self._source, tokens[0])
            hint = "split it into several queries, with a view for each part"
            self._found.append(Diagnostic("E178", span, "the query is nested too deeply", hint))
        except Unreadable:
            pass
        else:
            return
        del self._writer.rules[rules:]
        for name in _declared_names([tokens]):
            self._catalog.set_aside(name)

    def _statement(self, tokens: Sequence[Token]) -> None:
        cursor = Cursor(self._source, tokens)
        if cursor.skip("CREATE"):
            declared = read_create(cursor)
            if isinstance(declared, View):
                self._view(declared)
            else:
                self._catalog.declare(declared)
                self._declared.append(declared)
        elif cursor.word in ("SELECT", "WITH", "(", *WORDS):
            query = self._query(tokens, self._catalog.fresh("answer"))
            self._answers.append(Relation(RelationKind.QUERY, query.name, _shown_columns(query), query.span))
        else:
            hint = "write SELECT, CREATE STREAM, CREATE TABLE or CREATE VIEW"
            raise Mistake("E151", cursor.span, f"{cursor.span.text} does not begin a query or declaration", hint)

    def _view(self, view: View) -> None:
        query = self._query(view.query, view.name)
        columns = result_columns(query) if view.columns is None else _renamed(query, view)
        relation = Relation(RelationKind.QUERY, view.name, columns, view.span)
        self._catalog.declare(relation)
        self._answers.append(relation)

    def _query(self, tokens: Sequence[Token], name: str) -> Query:
        query = read_query(parse_query(self._source, tokens), name, self._catalog)
        define_query(self._writer, query)
        return query


def _declared_names(statements: Sequence[Sequence[Token]]) -> list[str]:
    """The names that statements declare, whether or not the rest of them can be read."""
    declared = [tokens for tokens in statements if len(tokens) > 2 and tokens[0].token_type is TokenType.CREATE]
    return [tokens[2].text for tokens in declared if is_name(tokens[2])]


def _renamed(query: Query, view: View) -> tuple[Column, ...]:
    names = view.columns or ()
    if len(names) != len(query.selected):
        message = f"the view names {len(names)} columns, but its query selects {len(query.selected)}"
        raise Mistake("E179", view.span, message, "name each column once")
    pairs = zip(names, query.selected, strict=True)
    return tuple(replace(column, type=type_of(selected.expression)) for column, selected in pairs)


def _shown_columns(query: Query) -> tuple[Column, ...]:
    """The columns of a query that nothing reads: only the first of a name keeps it."""
    seen: set[str] = set()
    columns = []
    for selected in query.selected:
        name = selected.name if selected.name and fold(selected.name) not in seen else None
        seen.add(fold(selected.name or ""))
        columns.append(Column(name, span=selected.span))
    return tuple(columns)


def _declaration(role: ast.Role, relation: Relation) -> ast.PredicateDeclaration:
    typed = role is not ast.Role.OUTPUT
    parameters = tuple(
        ast.Parameter(column.name, column.type if typed else ast.TypeName.ANY, column.span)
        for column in relation.columns
    )
    return ast.PredicateDeclaration(role, relation.predicate, parameters, relation.span)
