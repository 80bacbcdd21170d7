"""Facts from Arrow tables (and whatever turns into one, such as a pandas frame)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.errors import DataError, Diagnostic, did_you_mean
from thalweg.model.program import Signature
from thalweg.source import shortened
from thalweg.syntax.decoded import not_text
from thalweg.syntax.facts import Coded, FactBatch, FactFile
from thalweg.time.interval import Endpoint, is_valid
from thalweg.time.units import UNITS

TIME_COLUMNS = ("time", "start", "end", "start_closed", "end_closed")
"""Column names that say when a row holds; all other columns are arguments."""

_Flags = npt.NDArray[np.bool_]

NUMBER_PATTERN = (
    r"[+-]?(?:[0-9]{1,100}/0{0,9}[1-9][0-9]{0,99}"
    r"|(?:[0-9]{1,100}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})(?:[eE][+-]?[0-9]{1,2})?)"
)
"""A number in a text: ``5``, ``1.5``, ``1/3`` or ``1e-05``."""

_NUMBER = re.compile(NUMBER_PATTERN)


def read_table(
    predicate: str,
    data: Any,
    signature: Signature | None,
    unit: Fraction = UNITS["s"],
    *,
    source: str | None = None,
    lines: npt.NDArray[np.int64] | None = None,
    numbers: Collection[str] = (),
) -> FactFile:
    """The facts of one predicate in a table, and what is wrong with the rows that cannot be read.

    A row holds at ``time``, or from ``start`` to ``end`` (closed unless ``start_closed`` or ``end_closed`` says
    otherwise; a null end is infinite), or always when the table has neither. Arguments are the other columns: by
    name where the program declares names and the table has them, otherwise in order. Columns of texts among
    ``numbers`` hold numbers as they are written; ``lines`` are the numbers of the rows, from 1 unless given. Raises
    :class:`DataError` when the table as a whole makes no sense.
    """
    source = source or f"table {predicate}"
    table = _as_table(data, source)
    return _TableReader(table, predicate, signature, unit, source, lines, numbers).read()


def argument_columns(columns: Collection[str], signature: Signature | None) -> list[str]:
    """The columns that hold arguments, in the order of the arguments."""
    names = [name for name in columns if name not in TIME_COLUMNS]
    declared = [parameter.name for parameter in signature.parameters] if signature else []
    if declared and all(declared) and set(declared) == set(names):
        return [name for name in declared if name]
    return names


class _TableReader:
    def __init__(
        self,
        table: pa.Table,
        predicate: str,
        signature: Signature | None,
        unit: Fraction,
        source: str,
        lines: npt.NDArray[np.int64] | None,
        numbers: Collection[str],
    ) -> None:
        self.table = table
        self.predicate = predicate
        self.signature = signature
        self.unit = unit
        self.source = source
        self.lines = np.arange(1, len(table) + 1) if lines is None else lines
        self.numbers = numbers
        self.found: dict[int, Diagnostic] = {}

    def read(self) -> FactFile:
        self._refuse_repeated_columns()
        names = argument_columns(self.table.column_names, self.signature)
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
            lines=self.lines,
            source=self.source,
        )
        self._refuse_empty(batch)
        diagnostics = tuple(self.found[row] for row in sorted(self.found))
        return FactFile((_without_rows(batch, self.found) if diagnostics else batch,), diagnostics)

    def _refuse_repeated_columns(self) -> None:
        for name, count in Counter(self.table.column_names).items():
            if count > 1:
                raise self._error("E440", f"the table has {count} columns named {name}", "rename or drop the others")

    def _arguments(self, name: str) -> Coded:
        column = self._column(name)
        reader = _read_number if name in self.numbers else _argument_reader(column.type)
        if reader is None:
            raise self._error(
                "E441",
                f"column {name} has type {column.type}, which cannot be an argument",
                "cast it to a string or a number",
            )
        return self._coded(name, column, reader, "use finite numbers")

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
        column = self._column(name)
        hint = "use numbers, dates or timestamps" + ("; an infinite end is null" if when_null is not None else "")
        length = _step_of(column.type)
        if length is not None:
            # Timestamps and dates are counts since 1970 underneath: exact, and in UTC.
            step = length / self.unit
            return self._coded(name, _counts(column), lambda count: count * step, hint, when_null)
        reader = _read_number if _is_text(column.type) else _number_reader(column.type)
        if reader is None:
            raise self._error(
                "E441",
                f"column {name} has type {column.type}, which is not a time",
                "use integers, decimals, floats, dates or timestamps",
            )
        return self._coded(name, column, reader, hint, when_null)

    def _column(self, name: str) -> pa.Array:
        """A column; one of nulls only, which has no type, as one of texts, and texts that are none as nulls."""
        column = self.table.column(name).combine_chunks()
        if pa.types.is_null(column.type):
            return column.cast(pa.string())
        if _is_text(column.type) and (wrong := invalid_texts(column)).any():
            for row in np.flatnonzero(wrong).tolist():
                problem = not_text(f"{self.source}:{int(self.lines[row])}", f"column {name}: the text")
                self.found.setdefault(row, problem)
            return pc.if_else(pa.array(~wrong), column, pa.scalar(None, column.type))
        return column

    def _coded(
        self, name: str, column: pa.Array, read: Callable[[Any], Any], hint: str, when_null: Endpoint | None = None
    ) -> Coded:
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        values: list[Any] = []
        unreadable: dict[int, Any] = {}
        for position, value in enumerate(encoded.dictionary.to_pylist()):
            try:
                values.append(read(value))
            except (ValueError, OverflowError):
                unreadable[position] = value
                values.append(Fraction(0))
        indices = encoded.indices.fill_null(len(values)) if encoded.indices.null_count else encoded.indices
        codes = indices.to_numpy(zero_copy_only=False).astype(np.int64)
        for row in np.flatnonzero(np.isin(codes, list(unreadable))) if unreadable else ():
            value = unreadable[int(codes[row])]
            self._report(int(row), "E443", f"column {name}: {shortened(repr(value), 200)} is not a finite number", hint)
        if column.null_count:
            values.append(Fraction(0) if when_null is None else when_null)
        if column.null_count and when_null is None:
            for row in np.flatnonzero(codes == len(values) - 1):
                self._report(int(row), "E442", f"there is no value in column {name}", "fill it, or drop the row")
        return Coded(tuple(values), codes)

    def _closed(self, name: str) -> _Flags:
        if name not in self.table.column_names:
            return np.ones(len(self.table), dtype=np.bool_)
        column = self.table.column(name).combine_chunks()
        if pa.types.is_null(column.type):
            column = column.cast(pa.bool_())
        if not pa.types.is_boolean(column.type):
            raise self._error("E441", f"column {name} has type {column.type}", "it must be boolean")
        filled: _Flags = pc.fill_null(column, True).to_numpy(zero_copy_only=False)
        return filled

    def _refuse_empty(self, batch: FactBatch) -> None:
        """Report the rows whose interval holds no time point."""
        if batch.starts is batch.ends and batch.start_closed.all() and batch.end_closed.all():
            return
        pairs = np.stack((batch.starts.codes, batch.ends.codes, batch.start_closed, batch.end_closed))
        distinct, inverse = np.unique(pairs, axis=1, return_inverse=True)
        valid = np.array(
            [
                is_valid(batch.starts.values[start], batch.ends.values[end], bool(start_closed), bool(end_closed))
                for start, end, start_closed, end_closed in distinct.T
            ],
            dtype=np.bool_,
        )
        for row in np.flatnonzero(~valid[inverse.reshape(-1)]):
            message = "the row holds at no time: its end is not after its start"
            self._report(int(row), "E444", message, "close both ends to mean a single time point")

    def _report(self, row: int, code: str, message: str, hint: str) -> None:
        """Report a row, unless something else is wrong with it."""
        place = f"{self.source}:{int(self.lines[row])}"
        self.found.setdefault(row, Diagnostic(code, None, message, hint, place))

    def _error(self, code: str, message: str, hint: str) -> DataError:
        return DataError([Diagnostic(code, None, message, hint, self.source)])


def _as_table(data: Any, source: str) -> pa.Table:
    try:
        if isinstance(data, pa.Table):
            return data
        if isinstance(data, pa.RecordBatch):
            return pa.Table.from_batches([data])
        if type(data).__module__.split(".")[0] == "pandas":
            return pa.Table.from_pandas(data, preserve_index=False)
        if hasattr(data, "__arrow_c_stream__") or isinstance(data, dict):
            return pa.table(data)
    except (ValueError, TypeError) as error:
        message = f"the columns do not make a table: {error}"
        hint = "give columns of one length, with values of one type: numbers, texts, dates or timestamps"
    else:
        message = f"{type(data).__name__} is not a table"
        hint = "give an Arrow table, a pandas frame or a dict of columns"
    raise DataError([Diagnostic("E445", None, message, hint, source)])


def invalid_texts(column: pa.Array) -> _Flags:
    """Which texts of a column are not UTF-8: files and other programs may call anything a text."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        plain = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        values = plain.cast(pa.large_binary() if pa.types.is_large_string(plain.type) else pa.binary()).to_pylist()
        return np.array([value is not None and not _is_utf8(value) for value in values], dtype=np.bool_)
    return np.zeros(len(column), dtype=np.bool_)


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _without_rows(batch: FactBatch, rows: Collection[int]) -> FactBatch:
    """The other rows, and only the values that occur in them."""
    kept = np.ones(len(batch.lines), dtype=np.bool_)
    kept[list(rows)] = False
    return FactBatch(
        predicate=batch.predicate,
        arguments=tuple(_taken(column, kept) for column in batch.arguments),
        starts=_taken(batch.starts, kept),
        ends=_taken(batch.ends, kept),
        start_closed=batch.start_closed[kept],
        end_closed=batch.end_closed[kept],
        lines=batch.lines[kept],
        source=batch.source,
    )


def _taken(column: Coded, rows: _Flags) -> Coded:
    distinct, codes = np.unique(column.codes[rows], return_inverse=True)
    return Coded(tuple(column.values[position] for position in distinct), codes)


def _argument_reader(type_: pa.DataType) -> Callable[[Any], str | Fraction] | None:
    if _is_text(type_):
        return str
    if pa.types.is_dictionary(type_):
        return _argument_reader(type_.value_type)
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
        kind = np.dtype(type_.to_pandas_dtype()).type
        return lambda value: Fraction(Decimal(str(kind(value))))
    return None


def _read_number(text: str) -> Fraction:
    """A number exactly as it is written."""
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    return Fraction(text)


def _is_text(type_: pa.DataType) -> bool:
    if pa.types.is_dictionary(type_):
        return _is_text(type_.value_type)
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))


def _step_of(type_: pa.DataType) -> Fraction | None:
    """How many seconds one count of a timestamp or date type is."""
    if pa.types.is_timestamp(type_):
        return UNITS[type_.unit]
    if pa.types.is_date32(type_):
        return UNITS["d"]
    return UNITS["ms"] if pa.types.is_date64(type_) else None


def _counts(column: pa.Array) -> pa.Array:
    return column.cast(pa.int32()).cast(pa.int64()) if pa.types.is_date32(column.type) else column.cast(pa.int64())


def _infinite(column: Coded) -> _Flags:
    flags = np.array([isinstance(value, float) for value in column.values], dtype=np.bool_)
    return flags[column.codes] if len(flags) else np.zeros(0, dtype=np.bool_)
