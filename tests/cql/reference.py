"""CQL by its own definition: every query, at every time point, by a database over the tuples in its windows.

A window is the relation of its tuples with their times (``rowtime``). What remains of the query is plain SQL, which
DuckDB answers; RSTREAM, ISTREAM and DSTREAM compare the answers of neighbouring time points. Nothing here knows rules.

The queries have one form: every FROM item that has a window is written ``name [WINDOW] AS alias``, and stream operators
stand before the whole query: ``ISTREAM(SELECT …)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import duckdb

Row = tuple[object, ...]
Timed = tuple[int, Row]
Answers = dict[str, list[set[Row]]]
"""The rows of each query at the times 0, 1, …"""

_WINDOWED = re.compile(r"(?P<name>\w+) \[(?P<window>[^\]]*)\] AS (?P<alias>\w+)")
_SQL_TYPES = {"TEXT": "VARCHAR", "INT": "BIGINT"}


@dataclass
class Relation:
    """Columns with their types, and tuples with their times; the rows of a table hold at every time."""

    columns: list[tuple[str, str]]
    tuples: list[Timed] = field(default_factory=list)
    timed: bool = True


def evaluate(cql: str, facts: dict[str, list[Timed]], tables: dict[str, list[Row]], end: int) -> Answers:
    """The answers of all queries of a file at the times from 0 to the end."""
    relations: dict[str, Relation] = {}
    answers: Answers = {}
    with duckdb.connect() as connection:
        for statement in filter(None, (part.strip() for part in cql.split(";"))):
            declared = re.fullmatch(r"CREATE (STREAM|TABLE) (\w+) \((.*)\)", statement)
            if declared:
                kind, name, columns = declared.groups()
                relations[name] = Relation([_column(column) for column in columns.split(", ")], timed=kind == "STREAM")
                rows = [(0, row) for row in tables.get(name, [])]
                relations[name].tuples = facts.get(name, []) if kind == "STREAM" else rows
                continue
            view = re.fullmatch(r"CREATE VIEW (\w+) AS (.*)", statement, re.DOTALL)
            name, query = view.groups() if view else ("answer", statement)
            relations[name], answers[name] = _answer(connection, query, relations, end)
    return answers


def window(tuples: Iterable[Timed], text: str, columns: list[str], now: int) -> list[Timed]:
    """The tuples in a window at a time (Table 1 of the LARS paper; Arasu, Babu and Widom, Section 6)."""
    past = sorted((each for each in tuples if each[0] <= now), key=_recency)
    words = text.replace(",", " ").split()
    match words:
        case ["NOW"]:
            return [each for each in past if each[0] == now]
        case ["RANGE", "UNBOUNDED"]:
            return past
        case ["RANGE", length]:
            return [each for each in past if each[0] >= now - int(length)]
        case ["RANGE", length, "SLIDE", step]:
            pivot = now // int(step) * int(step)
            return [each for each in past if pivot - int(length) <= each[0] <= pivot]
        case ["ROWS", count]:
            return past[-int(count) :]
        case ["PARTITION", "BY", *keys, "ROWS", count]:
            positions = [columns.index(key) for key in keys]
            parts: dict[Row, list[Timed]] = {}
            for each in past:
                parts.setdefault(tuple(each[1][position] for position in positions), []).append(each)
            return [each for part in parts.values() for each in part[-int(count) :]]
    raise ValueError(f"{text} is not a window")


def exact(row: Row) -> Row:
    """A row with its numbers exact; those of DuckDB are floats where it divides."""
    return tuple(_exact(value) for value in row)


def _answer(
    connection: duckdb.DuckDBPyConnection, query: str, relations: dict[str, Relation], end: int
) -> tuple[Relation, list[set[Row]]]:
    wrapped = re.fullmatch(r"([RID]STREAM)\((.*)\)", query, re.DOTALL)
    operator, query = wrapped.groups() if wrapped else ("RSTREAM", query)
    snapshots: list[set[Row]] = []
    columns: list[tuple[str, str]] = []
    for now in range(end + 1):
        connection.execute(_with_relations(connection, query, relations, now))
        columns = [(name, str(kind)) for name, kind, *_ in connection.description or ()]
        # A value that SQL lacks, as of SUM over nothing, makes no row.
        snapshots.append({row for row in connection.fetchall() if None not in row})
    rows = [_streamed(operator, before, now) for before, now in zip([set(), *snapshots], snapshots, strict=False)]
    timed = [(time, row) for time, here in enumerate(rows) for row in here]
    return Relation(columns, timed), [{exact(row) for row in here} for here in rows]


def _streamed(operator: str, before: set[Row], now: set[Row]) -> set[Row]:
    return {"RSTREAM": now, "ISTREAM": now - before, "DSTREAM": before - now}[operator]


def _with_relations(connection: duckdb.DuckDBPyConnection, query: str, relations: dict[str, Relation], now: int) -> str:
    """Fill a table for each stream and each window of a query; the query over these tables."""
    for name, relation in relations.items():
        is_now = [each for each in relation.tuples if each[0] == now or not relation.timed]
        _fill(connection, name, relation, is_now)
    number = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal number
        number += 1
        relation = relations[match["name"]]
        names = [name for name, _ in relation.columns]
        _fill(connection, f"window{number}", relation, window(relation.tuples, match["window"], names, now))
        return f"window{number} AS {match['alias']}"

    return _WINDOWED.sub(replaced, query)


def _fill(connection: duckdb.DuckDBPyConnection, name: str, relation: Relation, tuples: list[Timed]) -> None:
    columns = [*relation.columns, *([("rowtime", "BIGINT")] if relation.timed else [])]
    connection.execute(f"CREATE OR REPLACE TABLE {name} ({', '.join(f'{column} {kind}' for column, kind in columns)})")
    rows = [(*row, time) if relation.timed else row for time, row in tuples]
    if rows:
        places = f"({', '.join('?' * len(columns))})"
        values = [value for row in rows for value in row]
        connection.execute(f"INSERT INTO {name} VALUES {', '.join([places] * len(rows))}", values)


def _column(text: str) -> tuple[str, str]:
    name, kind = text.split()
    return name, _SQL_TYPES[kind]


def _recency(each: Timed) -> tuple[int, list[tuple[int, object]]]:
    """Later tuples are more recent; of those of one time the ones with greater arguments, numbers before texts."""
    time, row = each
    return time, [(isinstance(value, str), value) for value in row]


def _exact(value: object) -> object:
    if isinstance(value, str):
        return value
    return Fraction(value).limit_denominator(10_000)
