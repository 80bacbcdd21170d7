"""Facts from Arrow tables (and whatever turns into one, such as a pandas frame)."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.errors import DataError, Diagnostic, did_you_mean
from thalweg.model.program import Program
from thalweg.syntax.facts import Coded, FactBatch
from thalweg.time.interval import Endpoint, is_valid
from thalweg.time.units import UNITS

TIME_COLUMNS = ("time", "start", "end", "start_closed", "end_closed")
"""Column names that say when a row holds; all other columns are arguments."""


def table_batch(predicate: str, data: Any, program: Program) -> FactBatch:
    """The facts of one predicate in a table.

    A row holds at ``time``, or from ``start`` to ``end`` (closed unless ``start_closed`` or ``end_closed`` says
    otherwise; a null end is infinite), or always when the table has neither. Arguments are the other columns: by
    name where the program declares names and the table has them, otherwise in order.
    """
    reader = _TableReader(predicate, _as_table(predicate, data), program)
    return reader.batch()


class _TableReader:
    def __init__(self, predicate: str, table: pa.Table, program: Program) -> None:
        self.predicate = predicate
        self.table = table
        self.program = program

    def batch(self) -> FactBatch:
        names = self._argument_names()
        arguments = tuple(self._arguments(name) for name in names)
        starts, ends = self._times()
        start_closed, end_closed = self._closed("start_closed"), self._closed("end_closed")
        batch = FactBatch(
            predicate=self.predicate,
            arguments=arguments,
            starts=starts,
            ends=ends,
            start_closed=start_closed & ~_infinite(starts),
            end_closed=end_closed & ~_infinite(ends),
            lines=np.arange(1, len(self.table) + 1),
            source=f"table {self.predicate}",
        )
        self._refuse_empty(batch)
        return batch

    def _argument_names(self) -> list[str]:
        names = [name for name in self.table.column_names if name not in TIME_COLUMNS]
        signature = self.program.signatures.get(self.predicate)
        declared = [p.name for p in signature.parameters] if signature else []
        if declared and all(declared) and set(declared) == set(names):
            return [name for name in declared if name]
        return names

    def _arguments(self, name: str) -> Coded:
        column = self.table.column(name).combine_chunks()
        reader = _argument_reader(column.type)
        if reader is None:
            raise self._error(
                "E441",
                f"column {name} has type {column.type}, which cannot be an argument",
                "cast it to a string or a number",
            )
        return self._coded(name, column, reader)

    def _times(self) -> tuple[Coded, Coded]:
        names = self.table.column_names
        if "time" in names and ("start" in names or "end" in names):
            raise self._error("E440", "the table has both time and start/end columns", "keep one of them")
        if "time" in names:
            moments = self._time_column("time", None)
            return moments, moments
        if "start" in names and "end" in names:
            return self._time_column("start", -math.inf), self._time_column("end", math.inf)
        if "start" in names or "end" in names:
            missing = "end" if "start" in names else "start"
            raise self._error("E440", f"the table has no {missing} column", "give both, or a time column")
        hint = next((h for name in names if (h := did_you_mean(name, ("time", "start", "end")))), None)
        if hint:
            raise self._error("E440", "the table has no time, start or end column", hint)
        always = np.zeros(len(self.table), dtype=np.int64)
        return Coded((-math.inf,), always), Coded((math.inf,), always)

    def _time_column(self, name: str, when_null: Endpoint | None) -> Coded:
        column = self.table.column(name).combine_chunks()
        length = _step_of(column.type)
        if length is not None:
            # Timestamps and dates are counts since 1970 underneath: exact, and in UTC.
            step = length / self.program.unit
            return self._coded(name, _counts(column), lambda count: count * step, when_null)
        reader = _number_reader(column.type)
        if reader is None:
            raise self._error(
                "E441",
                f"column {name} has type {column.type}, which is not a time",
                "use integers, decimals, floats, dates or timestamps",
            )
        return self._coded(name, column, reader, when_null)

    def _coded(
        self, name: str, column: pa.Array, read: Callable[[Any], Any], when_null: Endpoint | None = None
    ) -> Coded:
        if column.null_count and when_null is None:
            row = pc.index(column.is_null(), pa.scalar(True)).as_py() + 1
            raise self._error("E442", f"row {row} has no value in column {name}", "fill it or drop the row")
        encoded = column.dictionary_encode() if not pa.types.is_dictionary(column.type) else column
        values = [self._read(name, read, value) for value in encoded.dictionary.to_pylist()]
        codes = encoded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False).astype(np.int64)
        if column.null_count:
            values.append(when_null)
        return Coded(tuple(values), codes)

    def _read(self, name: str, read: Callable[[Any], Any], value: Any) -> Any:
        try:
            return read(value)
        except (ValueError, OverflowError) as error:
            raise self._error("E443", f"column {name}: {value!r} is not a finite number", None) from error

    def _closed(self, name: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
        if name not in self.table.column_names:
            return np.ones(len(self.table), dtype=np.bool_)
        column = self.table.column(name).combine_chunks()
        if not pa.types.is_boolean(column.type):
            raise self._error("E441", f"column {name} has type {column.type}", "it must be boolean")
        filled: np.ndarray[Any, np.dtype[np.bool_]] = column.fill_null(True).to_numpy(zero_copy_only=False)
        return filled

    def _refuse_empty(self, batch: FactBatch) -> None:
        """Refuse the first row whose interval holds no time point."""
        pairs = np.stack((batch.starts.codes, batch.ends.codes, batch.start_closed, batch.end_closed))
        distinct, first = np.unique(pairs, axis=1, return_index=True)
        for column, row in zip(distinct.T, first, strict=True):
            start, end = batch.starts.values[column[0]], batch.ends.values[column[1]]
            if not is_valid(start, end, bool(column[2]), bool(column[3])):
                raise self._error("E444", f"row {row + 1} holds at no time: its end is not after its start", None)

    def _error(self, code: str, message: str, hint: str | None) -> DataError:
        return DataError([Diagnostic(code, None, message, hint, f"table {self.predicate}")])


def _as_table(predicate: str, data: Any) -> pa.Table:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    if type(data).__module__.split(".")[0] == "pandas":
        return pa.Table.from_pandas(data, preserve_index=False)
    if isinstance(data, dict):
        return pa.table(data)
    message, hint = f"{type(data).__name__} is not a table", "give an Arrow table, a pandas frame or a dict of columns"
    raise DataError([Diagnostic("E445", None, message, hint, f"table {predicate}")])


def _argument_reader(type_: pa.DataType) -> Callable[[Any], str | Fraction] | None:
    if pa.types.is_dictionary(type_):
        return _argument_reader(type_.value_type)
    if pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_):
        return str
    if pa.types.is_boolean(type_):
        return lambda value: "true" if value else "false"
    return _number_reader(type_)


def _number_reader(type_: pa.DataType) -> Callable[[Any], Fraction] | None:
    if pa.types.is_dictionary(type_):
        return _number_reader(type_.value_type)
    if pa.types.is_integer(type_) or pa.types.is_decimal(type_):
        return Fraction
    if pa.types.is_floating(type_):
        # The shortest decimal that reads back as the same float: 0.1 is one tenth, as it says.
        return lambda value: Fraction(Decimal(repr(value)))
    return None


def _step_of(type_: pa.DataType) -> Fraction | None:
    """How many seconds one count of a timestamp or date type is."""
    if pa.types.is_timestamp(type_):
        return UNITS[type_.unit]
    if pa.types.is_date32(type_):
        return UNITS["d"]
    return UNITS["ms"] if pa.types.is_date64(type_) else None


def _counts(column: pa.Array) -> pa.Array:
    return column.cast(pa.int32()).cast(pa.int64()) if pa.types.is_date32(column.type) else column.cast(pa.int64())


def _infinite(column: Coded) -> np.ndarray[Any, np.dtype[np.bool_]]:
    flags = np.array([isinstance(value, float) for value in column.values], dtype=np.bool_)
    return flags[column.codes] if len(flags) else np.zeros(0, dtype=np.bool_)
