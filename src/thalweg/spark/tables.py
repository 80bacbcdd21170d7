"""Tables as facts: which columns of a DataFrame are arguments, which say when, and how rows become packets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types

from thalweg.analysis.types import Kind, kind_of
from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.values import INTEGER_LIMIT
from thalweg.engine.intake import NULL_HINT
from thalweg.engine.on_timeline import off_timeline
from thalweg.engine.packets import Column, Packet
from thalweg.engine.tables import invalid_texts
from thalweg.errors import BadFactsError, Diagnostic, did_you_mean
from thalweg.model.program import Signature
from thalweg.null import MARK
from thalweg.source import shortened
from thalweg.spark.argument_types import ArgumentType, argument_type_of
from thalweg.spark.time_types import TimeType, codes_of, time_type_of
from thalweg.syntax.decoded import HINT, NOT_TEXT
from thalweg.time.interval import format_rational
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline

_CLOSED = ("start_closed", "end_closed")

_REPLACED = "\N{REPLACEMENT CHARACTER}"

RAW = "_thalweg_raw"
"""The column in which a reader of CSV or JSON puts the text of a row that is none."""


@dataclass(frozen=True)
class Table:
    """How the rows of a table are read.

    ``start`` and ``end`` name the columns that say when; they are the same for time points, and None for a table
    whose rows hold always. ``closed`` has the names of boolean columns that say which ends belong to the interval.
    """

    predicate: str
    arguments: tuple[str, ...]
    types: tuple[ArgumentType, ...]
    start: str | None
    end: str | None
    closed: tuple[str | None, str | None] = (None, None)
    start_type: TimeType | None = None
    end_type: TimeType | None = None
    has_raw: bool = False
    """Whether rows that could not be read come with their text, in the column RAW, as those of CSV and JSON do."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        named = (*self.arguments, self.start, self.end, *self.closed, RAW if self.has_raw else None)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    @property
    def time_types(self) -> dict[str, TimeType]:
        """The time types by the full names of their columns."""
        pairs = ((self.start, self.start_type), (self.end, self.end_type))
        return {f"{self.predicate}.{name}": kind for name, kind in pairs if name is not None and kind is not None}


def describe(
    predicate: str,
    schema: types.StructType,
    signature: Signature,
    time: str | Sequence[str] | None,
    *,
    needs_time: bool,
    arguments: Sequence[str] | None = None,
) -> tuple[Table | None, list[Diagnostic]]:
    """How a table with this schema is read for a predicate, or what is wrong with it.

    ``time`` names the column of event time, or the two of an interval; None looks for ``time``, or ``start`` and
    ``end``. Unless it ``needs_time``, a table without them holds always. ``arguments`` names the columns of arguments
    in their order; None takes the other columns: by name where the program declares names and the table has them all,
    otherwise in order.
    """
    return _Description(predicate, schema, signature, needs_time).read(time, arguments)


class _Description:
    def __init__(self, predicate: str, schema: types.StructType, signature: Signature, needs_time: bool) -> None:
        self.predicate, self.schema, self.signature, self.needs_time = predicate, schema, signature, needs_time
        self.place = f"table {predicate}"
        self.found: list[Diagnostic] = []

    def read(
        self, time: str | Sequence[str] | None, named: Sequence[str] | None
    ) -> tuple[Table | None, list[Diagnostic]]:
        start, end = self._time_columns(time)
        closed = self._closed(start, end)
        others = {name for name in (start, end, *closed, RAW) if name is not None}
        arguments = self._arguments(others) if named is None else self._named_arguments(named)
        kinds = tuple(self._argument_type(name, position) for position, name in enumerate(arguments))
        start_type = self._time_type(start)
        end_type = start_type if end == start else self._time_type(end)
        if self.found:
            return None, self.found
        known = tuple(kind for kind in kinds if kind is not None)
        has_raw = RAW in self.schema.names
        return Table(self.predicate, arguments, known, start, end, closed, start_type, end_type, has_raw), []

    def _time_columns(self, time: str | Sequence[str] | None) -> tuple[str | None, str | None]:
        names = self.schema.names
        if time is None:
            if "time" in names:
                return "time", "time"
            if "start" in names and "end" in names:
                return "start", "end"
            wanted: tuple[str, ...] = ("time",)
        else:
            wanted = (time,) if isinstance(time, str) else tuple(time)
            if all(name in names for name in wanted) and len(wanted) in (1, 2):
                return wanted[0], wanted[-1]
        if len(wanted) > 2:
            self._report("E460", f"{len(wanted)} time columns are named", "name one column, or two: start and end")
        elif self.needs_time or any(name in names for name in wanted) or self._is_near(wanted):
            missing = next(name for name in wanted if name not in names)
            hint = did_you_mean(missing, names) or f"the columns are {', '.join(names)}"
            self._report("E460", f"there is no column {missing} to say when a row holds", hint)
        return None, None

    def _is_near(self, wanted: Sequence[str]) -> bool:
        """Whether a column is called almost so; then a table without time was hardly meant."""
        return any(did_you_mean(name, self.schema.names) for name in wanted)

    def _closed(self, start: str | None, end: str | None) -> tuple[str | None, str | None]:
        if start is None or start == end:
            return None, None
        found = [name if name in self.schema.names else None for name in _CLOSED]
        for name in found:
            if name is not None and not isinstance(self.schema[name].dataType, types.BooleanType):
                self._report("E441", f"column {name} has type {_shown(self.schema[name])}", "it must be boolean")
        return found[0], found[1]

    def _arguments(self, others: Collection[str]) -> tuple[str, ...]:
        names = [name for name in self.schema.names if name not in others]
        declared = [parameter.name for parameter in self.signature.parameters]
        if all(declared) and set(declared) <= set(names):
            return tuple(name for name in declared if name)
        misspelt = any(name and name not in names and did_you_mean(name, names) for name in declared)
        if len(names) != self.signature.arity or misspelt:
            self._report_arity(names, declared)
            return ()
        return tuple(names)

    def _named_arguments(self, names: Sequence[str]) -> tuple[str, ...]:
        for name in names:
            if name not in self.schema.names:
                hint = did_you_mean(name, self.schema.names) or f"the columns are {', '.join(self.schema.names)}"
                self._report("E460", f"there is no column {name}", hint)
        arity = self.signature.arity
        if len(names) != arity:
            message = f"{self.predicate} has {arity} argument{'' if arity == 1 else 's'}, but {len(names)} columns"
            self._report("E460", f"{message} are named for them", "name one column for each argument")
        return () if self.found else tuple(names)

    def _report_arity(self, names: Sequence[str], declared: Sequence[str | None]) -> None:
        arity = self.signature.arity
        missing = [name for name in declared if name and name not in names]
        if all(declared) and missing and (len(missing) < arity or len(names) == arity):
            hint = did_you_mean(missing[0], names) or f"the columns are {', '.join(self.schema.names)}"
            self._report("E460", f"there is no column {missing[0]}, which {self.predicate} declares", hint)
            return
        message = f"{self.predicate} has {arity} argument{'' if arity == 1 else 's'}, but the table has {len(names)}"
        hint = f"select {arity} of {', '.join(names)}, or declare the names: input {self.predicate}(name: type, …)"
        self._report("E460", message + " columns besides those for time", hint)

    def _argument_type(self, name: str, position: int) -> ArgumentType | None:
        field, parameter = self.schema[name], self.signature.parameters[position]
        kind, wanted = argument_type_of(field.dataType), kind_of(parameter.type)
        if kind is None:
            hint = "cast it to a string or a number"
            self._report("E441", f"column {name} has type {_shown(field)}, which cannot be an argument", hint)
        elif wanted is not None and kind not in _FITTING[wanted]:
            message = f"column {name} has type {_shown(field)}, but the program declares it as {parameter.type.value}"
            self._report("E434", message, "cast the column, or change the declaration")
        return kind

    def _time_type(self, name: str | None) -> TimeType | None:
        if name is None:
            return None
        kind = time_type_of(self.schema[name].dataType)
        if kind is None:
            message = f"column {name} has type {_shown(self.schema[name])}, which is not a time"
            self._report("E441", message, "use timestamps, dates, integers or decimals: cast it, or to_timestamp it")
        return kind

    def _report(self, code: str, message: str, hint: str) -> None:
        self.found.append(Diagnostic(code, None, message, hint, self.place))


_FITTING: Mapping[Kind, Collection[ArgumentType]] = {
    Kind.TEXT: (ArgumentType.STRING,),
    Kind.NUMBER: (ArgumentType.INTEGER, ArgumentType.DECIMAL, ArgumentType.DOUBLE),
    Kind.INTEGER: (ArgumentType.INTEGER,),
    Kind.BOOLEAN: (ArgumentType.BOOLEAN,),
}


def _shown(field: types.StructField) -> str:
    return field.dataType.simpleString()


@dataclass(frozen=True)
class BadRows:
    """Rows that cannot be facts: their texts, and for each what is wrong with it."""

    predicate: str
    rows: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class TableReader:
    """Turns batches of a table's rows into packets; for rules that make nulls, no text may look like one.

    ``span`` are the codes of the first and the last time point of a timeline that has them.
    """

    table: Table
    tick: Fraction
    timeline: Timeline
    unit: Fraction
    refuses_nulls: bool = False
    span: tuple[int, int] | None = None

    def read(self, rows: pa.Table) -> tuple[Packet, BadRows | None]:
        """The facts, and the rows that cannot be facts; columns are given in the order of ``table.columns``."""
        rows, aside = self._without_gaps(rows.rename_columns([*self.table.columns]))
        problems: dict[int, Diagnostic] = {}
        columns = {name: rows.column(name).combine_chunks() for name in self.table.columns}
        start, end = self._times(columns, len(rows), problems)
        self._refuse_outside(start, end, problems)
        arguments = tuple(
            self._argument(columns[name], name, kind, problems)
            for name, kind in zip(self.table.arguments, self.table.types, strict=True)
        )
        packet = Packet(self.table.predicate, arguments, start, end, self.tick)
        if problems:
            good = np.ones(len(rows), dtype=np.bool_)
            good[list(problems)] = False
            packet = packet.take(good)
            aside += [(self._row(rows, row), problems[row]) for row in sorted(problems)]
        return packet, self._bad_rows(aside) if aside else None

    def _without_gaps(self, rows: pa.Table) -> tuple[pa.Table, list[tuple[str, Diagnostic]]]:
        """The rows with a value wherever there must be one, and the others with what they lack."""
        problems: dict[int, Diagnostic] = {}
        if self.table.has_raw:
            for row in np.flatnonzero(np.asarray(rows.column(RAW).is_valid())):
                message = f"the row cannot be read as {', '.join(self.table.columns[:-1])}"
                self._report(problems, int(row), "E476", message, "correct the row, or the schema of the table")
        point = (self.table.start,) if self.table.start is not None and self.table.start == self.table.end else ()
        for name in (*self.table.arguments, *point):
            column = rows.column(name)
            if column.null_count:
                for row in np.flatnonzero(np.asarray(column.is_null())):
                    message = f"there is no value in column {name}"
                    self._report(problems, int(row), "E442", message, "fill it, or drop the row")
        for name, kind in zip(self.table.arguments, self.table.types, strict=True):
            if kind is ArgumentType.STRING:
                self._refuse_bytes(rows.column(name), name, problems)
        if not problems:
            return rows, []
        good = np.ones(len(rows), dtype=np.bool_)
        good[list(problems)] = False
        return rows.filter(pa.array(good)), [(self._row(rows, row), problems[row]) for row in sorted(problems)]

    def _refuse_bytes(self, column: pa.ChunkedArray, name: str, problems: dict[int, Diagnostic]) -> None:
        """Report what is not UTF-8; readers of CSV and JSON have put U+FFFD there, and made one text of several."""
        offset = 0
        for chunk in column.chunks:
            wrong = invalid_texts(chunk)
            if self.table.has_raw and not wrong.any():
                wrong = np.asarray(pc.fill_null(pc.match_substring(chunk, _REPLACED), False))
            for row in np.flatnonzero(wrong).tolist():
                self._report(problems, offset + row, NOT_TEXT, f"column {name}: the text is not UTF-8", HINT)
            offset += len(chunk)

    def _bad_rows(self, aside: Sequence[tuple[str, Diagnostic]]) -> BadRows:
        texts = tuple(text for text, _ in aside)
        return BadRows(self.table.predicate, texts, tuple(_with_row(problem, text) for text, problem in aside))

    def _argument(self, column: pa.Array, name: str, kind: ArgumentType, problems: dict[int, Diagnostic]) -> Column:
        if kind is ArgumentType.INTEGER:
            return Column("integer", self._integers(column, name, problems))
        if kind is ArgumentType.STRING:
            encoded = _dictionary(column)
            if self.refuses_nulls:
                self._refuse_nulls(encoded, name, problems)
            return Column("text", encoded)
        encoded = _dictionary(column.cast(pa.string()) if pa.types.is_float32(column.type) else column)
        values: list[Any] = []
        for position, value in enumerate(encoded.dictionary.to_pylist()):
            try:
                values.append(_exact(value, kind))
            except (ValueError, OverflowError):
                values.append(Fraction(0))
                for row in np.flatnonzero(np.asarray(encoded.indices) == position):
                    message = f"column {name}: {value!r} is not a finite number"
                    self._report(problems, int(row), "E443", message, "use finite numbers")
        return Column.of_values(values, np.asarray(encoded.indices))

    def _refuse_nulls(self, encoded: pa.DictionaryArray, name: str, problems: dict[int, Diagnostic]) -> None:
        marked = np.asarray(pc.starts_with(encoded.dictionary, MARK).fill_null(False))
        if marked.any():
            for row in np.flatnonzero(marked[np.asarray(encoded.indices)]):
                message = f"column {name}: {encoded[int(row)].as_py()} looks like a null, which only rules make"
                self._report(problems, int(row), "E438", message, NULL_HINT)

    def _integers(self, column: pa.Array, name: str, problems: dict[int, Diagnostic]) -> pa.Array:
        """The numbers; those that no code can stand for are reported."""
        if not (pa.types.is_int64(column.type) or pa.types.is_decimal(column.type)):
            return column.cast(pa.int64())
        limit = pa.scalar(INTEGER_LIMIT - 1, pa.decimal128(38, 0) if pa.types.is_decimal(column.type) else pa.int64())
        far = np.asarray(pc.greater(pc.abs(column), limit))
        for row in np.flatnonzero(far):
            message = f"column {name}: {column[int(row)]} is out of range of the 64-bit encoding"
            self._report(problems, int(row), "E431", message, "integers go up to 2^61; cast longer codes to strings")
        return pc.if_else(pa.array(far), pa.scalar(0, column.type), column).cast(pa.int64())

    def _times(
        self, columns: Mapping[str, pa.Array], length: int, problems: dict[int, Diagnostic]
    ) -> tuple[Ints, Ints]:
        table = self.table
        if table.start is None or table.end is None:
            return np.full(length, NEGATIVE_INFINITY), np.full(length, POSITIVE_INFINITY)
        assert table.start_type is not None
        assert table.end_type is not None
        if table.start == table.end:
            moments = self._codes(columns[table.start], table.start, table.start_type, 0, problems)
            return moments, moments
        start = self._codes(columns[table.start], table.start, table.start_type, NEGATIVE_INFINITY, problems)
        end = self._codes(columns[table.end], table.end, table.end_type, POSITIVE_INFINITY, problems)
        start = start + (~_flags(columns, table.closed[0], length) & (start != NEGATIVE_INFINITY))
        end = end - (~_flags(columns, table.closed[1], length) & (end != POSITIVE_INFINITY))
        for row in np.flatnonzero(start > end):
            message = "the row holds at no time: its end is not after its start"
            self._report(problems, int(row), "E444", message, "close both ends to mean a single time point")
        return start, end

    def _refuse_outside(self, start: Ints, end: Ints, problems: dict[int, Diagnostic]) -> None:
        """Report the rows that lie outside the timeline of the program."""
        if self.span is None:
            return
        low, high = self.span
        early = (start < low) & (start != NEGATIVE_INFINITY)
        late = (end > high) & (end != POSITIVE_INFINITY)
        ticks = Ticks(self.timeline, self.tick)
        for row in np.flatnonzero((early | late) & (start <= end)).tolist():
            held = ticks.decode(int(start[row]), int(end[row]))
            found = off_timeline(self.table.predicate, held, ticks.decode(low, high), f"table {self.table.predicate}")
            problems.setdefault(row, found)

    def _codes(
        self, column: pa.Array, name: str, kind: TimeType, when_null: int, problems: dict[int, Diagnostic]
    ) -> Ints:
        missing = np.asarray(column.is_null())
        counts = kind.counts(_zero_filled(column) if column.null_count else column)
        codes, between, far = codes_of(counts, kind.step(self.unit), self.tick, self.timeline)
        for row in np.flatnonzero(far):
            message = f"column {name}: {column[int(row)]} is too far from 0 with the tick {format_rational(self.tick)}"
            self._report(problems, int(row), "E431", message, "times go up to 2^59 ticks from 0")
        for row in np.flatnonzero(between):
            message = f"column {name}: {column[int(row)]} is not a multiple of the tick {format_rational(self.tick)}"
            hint = "declare a finer tick or leave it out; the integer timeline has the unit of the program as its tick"
            self._report(problems, int(row), "E432", message, hint)
        return np.where(missing, when_null, codes)

    def _report(self, problems: dict[int, Diagnostic], row: int, code: str, message: str, hint: str) -> None:
        problems.setdefault(row, Diagnostic(code, None, message, hint, f"table {self.table.predicate}"))

    def _row(self, rows: pa.Table, row: int) -> str:
        if self.table.has_raw and (raw := rows.column(RAW)[row]).is_valid:
            return _readable(raw)
        names = (name for name in self.table.columns if name != RAW)
        return ", ".join(f"{name}={_readable(rows.column(name)[row])}" for name in names)


def _readable(value: pa.Scalar) -> str:
    """A value as a text, whatever its bytes are."""
    try:
        return str(value)
    except UnicodeDecodeError:
        return bytes(value.as_buffer()).decode("utf-8", "backslashreplace")


def raise_bad(bad: BadRows) -> None:
    """Refuse bad rows."""
    raise BadFactsError(bad.diagnostics)


def _with_row(diagnostic: Diagnostic, row: str) -> Diagnostic:
    message = f"{shortened(diagnostic.message, 300)} (in the row {shortened(row, 300)})"
    return Diagnostic(diagnostic.code, None, message, diagnostic.hint, diagnostic.place)


def _zero_filled(column: pa.Array) -> pa.Array:
    """The column with nulls replaced by the value that counts 0 (or any other of the type)."""
    present = column.drop_null()
    if len(present):
        return column.fill_null(present[0])
    return (
        pa.array(np.zeros(len(column), dtype=np.int64))
        .cast(pa.int32() if pa.types.is_date32(column.type) else pa.int64())
        .cast(column.type)
    )


def _dictionary(column: pa.Array) -> pa.DictionaryArray:
    """The column by its distinct values."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    dictionary, indices = encoded.dictionary, encoded.indices.cast(pa.int32())
    if pa.types.is_large_string(dictionary.type):
        dictionary = dictionary.cast(pa.string())
    return pa.DictionaryArray.from_arrays(indices, dictionary)


def _exact(value: Any, kind: ArgumentType) -> Any:
    if kind is ArgumentType.BOOLEAN:
        return "true" if value else "false"
    if isinstance(value, float | str):
        # The shortest decimal that reads back as the same float: 0.1 is one tenth, as it says.
        return Fraction(Decimal(str(value)))
    return Fraction(value)


def _flags(columns: Mapping[str, pa.Array], name: str | None, length: int) -> Bools:
    if name is None:
        return np.ones(length, dtype=np.bool_)
    return np.asarray(pc.fill_null(columns[name], True))
