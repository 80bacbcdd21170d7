"""``CREATE STREAM``, ``CREATE TABLE`` and the beginning of ``CREATE VIEW``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sqlglot import Token

from thalweg.errors import did_you_mean
from thalweg.source import Span
from thalweg.syntax.ast import TypeName
from thalweg.syntax.cql.cursor import Cursor
from thalweg.syntax.cql.names import ROWTIME, check_name, fold
from thalweg.syntax.cql.schema import Column, Relation, RelationKind
from thalweg.syntax.mistake import Mistake

TYPES: Mapping[str, TypeName] = MappingProxyType(
    {
        **dict.fromkeys(("TEXT", "VARCHAR", "STRING", "CHAR"), TypeName.STRING),
        **dict.fromkeys(("INT", "INTEGER", "BIGINT", "SMALLINT"), TypeName.INTEGER),
        **dict.fromkeys(("DECIMAL", "NUMERIC", "DOUBLE", "DOUBLE PRECISION", "FLOAT", "REAL"), TypeName.NUMBER),
        **dict.fromkeys(("BOOLEAN", "BOOL"), TypeName.BOOLEAN),
    }
)
"""The types of SQL in the rule language."""

_KINDS = {"STREAM": RelationKind.STREAM, "TABLE": RelationKind.TABLE}
_FORM = "write CREATE STREAM s (id TEXT, x INT), CREATE TABLE …, or CREATE VIEW v AS SELECT …"


@dataclass(frozen=True)
class View:
    """The name of a view, the names of its columns where they are given, and the tokens of its query."""

    name: str
    columns: tuple[Column, ...] | None
    query: list[Token]
    span: Span


def read_create(cursor: Cursor) -> Relation | View:
    """The declaration that follows ``CREATE``."""
    kind = cursor.word
    if kind not in (*_KINDS, "VIEW"):
        hint = did_you_mean(kind, (*_KINDS, "VIEW")) or _FORM
        raise Mistake("E151", cursor.span, f"CREATE {kind} is not a declaration of CQL".replace("  ", " "), hint)
    cursor.take()
    name, span = cursor.name("E150", "the name is missing", _FORM)
    check_name(name, span)
    if kind == "VIEW":
        return _read_view(cursor, name, span)
    columns = _read_columns(cursor, typed=True)
    if not cursor.at_end:
        hint = "end the declaration with ;"
        raise Mistake("E152", cursor.span, f"{cursor.span.text} has no place after the columns", hint)
    return Relation(_KINDS[kind], name, columns, span)


def _read_view(cursor: Cursor, name: str, span: Span) -> View:
    columns = _read_columns(cursor, typed=False) if cursor.word == "(" else None
    cursor.expect("AS", "E150", "the query of the view is missing", "write CREATE VIEW v AS SELECT …")
    if cursor.at_end:
        raise Mistake("E150", cursor.span, "the query of the view is missing", "write CREATE VIEW v AS SELECT …")
    return View(name, columns, cursor.rest, span)


def _read_columns(cursor: Cursor, typed: bool) -> tuple[Column, ...]:
    cursor.expect("(", "E150", "the columns are missing", "write them in parentheses: (id TEXT, x INT)")
    columns: dict[str, Column] = {}
    while True:
        column = _read_column(cursor, typed)
        assert column.name is not None
        if fold(column.name) in columns:
            raise Mistake("E159", column.span, f"the column {column.name} is declared twice", "rename one of the two")
        columns[fold(column.name)] = column
        if not cursor.skip(","):
            break
    cursor.expect(")", "E150", "a comma or ) is missing here", "write columns like (id TEXT, x INT)")
    return tuple(columns.values())


def _read_column(cursor: Cursor, typed: bool) -> Column:
    name, span = cursor.name("E150", "the name of a column is missing", "write columns like (id TEXT, x INT)")
    check_name(name, span)
    if typed and fold(name) == ROWTIME:
        hint = "choose another name; every stream has this column"
        raise Mistake("E159", span, "rowtime is the time of a tuple, and need not be declared", hint)
    if not typed or cursor.word in (",", ")", ""):
        return Column(name, span=span)
    return Column(name, _read_type(cursor), span)


def _read_type(cursor: Cursor) -> TypeName:
    word, span = cursor.word, cursor.span
    if word not in TYPES:
        hint = did_you_mean(word, TYPES) or f"the types are {', '.join(TYPES)}"
        raise Mistake("E161", span, f"{span.text} is not a type", hint)
    cursor.take()
    if cursor.word == "(":
        raise Mistake("E161", span.to(cursor.span), "types have no length here", f"write {word} alone")
    if cursor.word not in (",", ")", ""):
        hint = "leave it out: a column has a name and a type"
        raise Mistake("E152", cursor.span, f"{cursor.span.text} has no translation", hint)
    return TYPES[word]
