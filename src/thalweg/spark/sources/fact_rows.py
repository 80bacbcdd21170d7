"""Facts as rows of a table, made column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from thalweg.errors import Diagnostic
from thalweg.spark.excerpt import Excerpt
from thalweg.syntax.facts import Coded, FactBatch, FactFile, format_value, read_facts
from thalweg.time.interval import Endpoint, format_rational

COLUMNS = (
    ("predicate", "string"),
    ("arguments", "array<string>"),
    ("start", "string"),
    ("end", "string"),
    ("start_closed", "boolean"),
    ("end_closed", "boolean"),
    ("source", "string"),
    ("line", "bigint"),
)
PROBLEM = ("problem", "string")
"""The column for lines that cannot be read, where they are kept."""

_SCHEMA = pa.schema(
    [
        ("predicate", pa.string()),
        ("arguments", pa.list_(pa.field("element", pa.string()))),
        ("start", pa.string()),
        ("end", pa.string()),
        ("start_closed", pa.bool_()),
        ("end_closed", pa.bool_()),
        ("source", pa.string()),
        ("line", pa.int64()),
    ]
)
_SCHEMA_WITH_PROBLEM = _SCHEMA.append(pa.field("problem", pa.string()))

_ROWS_A_BATCH = 1 << 16


def read_rows(
    text: Excerpt, always: frozenset[str], with_problems: bool, *, time_is_last: bool = False
) -> tuple[pa.Table, tuple[Diagnostic, ...]]:
    """The facts of some lines of a file, in the order of the lines, and what is wrong with the other lines.

    Where problems are kept, the lines with problems are rows, too.
    """
    found = read_facts(text, always, time_is_last=time_is_last)
    table = _table(found, text, with_problems)
    lines = table.column("line").to_numpy()
    if (np.diff(lines) < 0).any():
        table = table.take(np.argsort(lines, kind="stable"))
    return table, found.diagnostics


def problem_rows(problems: Sequence[Diagnostic], source: str, first_line: int) -> pa.Table:
    """Rows for problems that stand in no text; those without a line of their own have the first."""
    lines = [_line_of(problem, first_line) for problem in problems]
    return _problem_table(source, lines, problems).cast(_SCHEMA_WITH_PROBLEM)


def _line_of(problem: Diagnostic, first_line: int) -> int:
    parts = (problem.place or "").split(":")[1:]
    return int(parts[0]) if parts and parts[0].isdigit() else first_line


def rows_of(batches: Iterable[FactBatch]) -> pa.Table:
    """Facts that have been read already, as rows."""
    parts = [_facts(batch, 1).cast(_SCHEMA) for batch in batches]
    return pa.concat_tables(parts) if parts else _SCHEMA.empty_table()


def schema(with_problems: bool) -> str:
    """The columns as Spark writes them."""
    columns = (*COLUMNS, PROBLEM) if with_problems else COLUMNS
    return ", ".join(f"{name} {kind}" for name, kind in columns)


def to_batches(table: pa.Table) -> Iterator[pa.RecordBatch]:
    """A table in pieces of a size that Spark's memory can take."""
    yield from table.combine_chunks().to_batches(max_chunksize=_ROWS_A_BATCH)


def _table(found: FactFile, text: Excerpt, with_problems: bool) -> pa.Table:
    schema = _SCHEMA_WITH_PROBLEM if with_problems else _SCHEMA
    parts = [_facts(batch, text.first_line) for batch in found.batches]
    if with_problems:
        parts = [part.append_column("problem", pa.nulls(len(part), pa.string())) for part in parts]
        parts.append(_problems(found.diagnostics, text))
    return pa.concat_tables([part.cast(schema) for part in parts]) if parts else schema.empty_table()


def _facts(batch: FactBatch, first_line: int) -> pa.Table:
    rows = len(batch)
    starts = _times(batch.starts)
    ends = starts if batch.ends.values is batch.starts.values else _times(batch.ends)  # the same for time points
    columns = [
        pa.repeat(batch.predicate, rows),
        _arguments(batch),
        starts.take(pa.array(batch.starts.codes)),
        ends.take(pa.array(batch.ends.codes)),
        pa.array(batch.start_closed),
        pa.array(batch.end_closed),
        pa.repeat(batch.source, rows),
        pa.array(batch.lines + (first_line - 1)),
    ]
    return pa.Table.from_arrays(columns, names=_SCHEMA.names)


def _arguments(batch: FactBatch) -> pa.Array:
    """The arguments as lists: the columns laid side by side, then cut after every row."""
    arity, rows = len(batch.arguments), len(batch)
    texts = [_texts(column, format_value) for column in batch.arguments]
    firsts = np.cumsum([0, *map(len, texts)])
    codes = np.empty((rows, arity), np.int64)
    for position, column in enumerate(batch.arguments):
        codes[:, position] = column.codes + firsts[position]
    values = pa.concat_arrays([pa.array([], pa.string()), *texts]).take(pa.array(codes.ravel()))
    return pa.ListArray.from_arrays(pa.array(np.arange(rows + 1, dtype=np.int32) * arity), values)


def _texts(column: Coded, write: Callable[[Any], str]) -> pa.Array:
    """The distinct values of a column, each written once."""
    return pa.array(map(write, column.values), pa.string())


def _times(column: Coded) -> pa.Array:
    """The distinct times of a column; Arrow writes whole numbers, of which there can be millions."""
    try:
        whole = [time.numerator for time in column.values if time.denominator == 1]
        if len(whole) == len(column.values):
            return pa.array(whole, pa.int64()).cast(pa.string())
    except (AttributeError, OverflowError):  # an infinite time, or a number beyond 64 bits
        pass
    return _texts(column, _format_time)


def _format_time(time: Endpoint) -> str:
    if isinstance(time, float):  # by type: comparing a fraction with an infinite float is slow
        return "inf" if time > 0 else "-inf"
    return format_rational(time)


def _problems(diagnostics: tuple[Diagnostic, ...], text: Excerpt) -> pa.Table:
    lines = [diagnostic.span.line if diagnostic.span else None for diagnostic in diagnostics]
    return _problem_table(text.name, lines, diagnostics)


def _problem_table(source: str, lines: Sequence[int | None], diagnostics: Sequence[Diagnostic]) -> pa.Table:
    rows = len(diagnostics)
    columns: dict[str, pa.Array] = {
        **{field.name: pa.nulls(rows, field.type) for field in _SCHEMA},
        "source": pa.repeat(source, rows),
        "line": pa.array(lines, pa.int64()),
        "problem": pa.array([diagnostic.render() for diagnostic in diagnostics], pa.string()),
    }
    return pa.table(columns)
