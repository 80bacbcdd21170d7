"""Facts from CSV files, read exactly as they are written."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from thalweg.columnar.arrays import Bools, Ints
from thalweg.engine.tables import NUMBER_PATTERN, argument_columns, read_table
from thalweg.errors import Diagnostic
from thalweg.model.program import Program, Signature
from thalweg.source import shortened
from thalweg.syntax.ast import TypeName
from thalweg.syntax.decoded import not_text
from thalweg.syntax.facts import FactFile

_TEXT_TYPES = (TypeName.STRING, TypeName.BOOLEAN)
_NUMBER_TYPES = (TypeName.INTEGER, TypeName.NUMBER, TypeName.TIME)
_TIMES = ("time", "start", "end")
_FLAGS = ("start_closed", "end_closed")
_MOMENTS = (pa.timestamp("ns"), pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.timestamp("us", "UTC"))


def read_csv(path: Path, program: Program) -> FactFile:
    """The facts of ``NAME.csv``; an empty cell has no value, an empty text is written ``""``.

    Arrow would guess types from the first rows and round decimals, so every column comes as texts. A column of
    arguments holds numbers if it is declared so, or if all its values are written as numbers and it is not declared
    otherwise.
    """
    rows = _Rows(str(path))
    try:
        table = rows.read(path.read_bytes())
    except UnicodeDecodeError as error:
        return FactFile((), (not_text(str(path), "the first line", error.object[error.start]),))
    signature = program.signatures.get(path.stem)
    found = read_table(
        path.stem,
        table,
        signature,
        program.unit,
        source=str(path),
        lines=rows.lines,
        numbers=_number_columns(table, signature),
    )
    return FactFile(found.batches, (*rows.problems, *found.diagnostics))


@dataclass
class _Rows:
    """The rows that are rows of the table: their numbers, the first line being the first; and the others."""

    name: str
    lines: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    problems: list[Diagnostic] = field(default_factory=list)
    _bad: dict[int, Diagnostic] = field(default_factory=dict)

    def read(self, data: bytes) -> pa.Table:
        """The table: texts, but for times and for flags that say which ends are closed."""
        data = data if data.endswith(b"\n") or not data else data + b"\n"
        ignoring = pyarrow.csv.ParseOptions(invalid_row_handler=lambda row: "skip")
        with pyarrow.csv.open_csv(io.BytesIO(data), parse_options=ignoring) as reader:
            names = reader.schema.names
        ragged: dict[int, Diagnostic] = {}
        table = pyarrow.csv.read_csv(
            io.BytesIO(data),
            # Rows have numbers only when they are read one after the other.
            read_options=pyarrow.csv.ReadOptions(use_threads=False),
            parse_options=pyarrow.csv.ParseOptions(invalid_row_handler=lambda row: self._refuse(row, ragged)),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.binary()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
        self.problems += ragged.values()
        numbers = np.arange(2, 2 + len(table) + len(ragged))
        self.lines = numbers[~np.isin(numbers, list(ragged))]
        columns = [self._texts(table.column(place)) for place in range(len(names))]
        columns = [self._typed(name, column) for name, column in zip(names, columns, strict=True)]
        return self._without_bad(pa.table(columns, names=names))

    def _refuse(self, row: pyarrow.csv.InvalidRow, ragged: dict[int, Diagnostic]) -> str:
        message = f"the row has {row.actual_columns} columns, but the first line names {row.expected_columns}"
        hint = f"the row is {shortened(row.text, 100)}; put a text that holds a comma in quotes"
        ragged[row.number] = Diagnostic("E476", None, message, hint, f"{self.name}:{row.number}")
        return "skip"

    def _texts(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        try:
            return column.cast(pa.string())
        except pa.ArrowInvalid:
            texts = [_decoded(value) for value in column.to_pylist()]
        for row in (row for row, text in enumerate(texts) if text is False):
            self._set_aside(row, not_text(self._place(row), "the row"))
        return pa.chunked_array([pa.array([None if text is False else text for text in texts], pa.string())])

    def _typed(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """A column of times as timestamps, if that is what it holds; one that says which ends are closed as such."""
        if name in _FLAGS:
            return self._cast(name, column, (pa.bool_(),), "true or false", 0)
        if name in _TIMES and not _all_numbers(column):
            return self._cast(name, column, _MOMENTS, "a timestamp, as most are", _count_numbers(column))
        return column

    def _cast(
        self, name: str, column: pa.ChunkedArray, types: Iterable[pa.DataType], what: str, least: int
    ) -> pa.ChunkedArray:
        """The column with the type that most values have, if they are more than the least; otherwise as it is."""
        best, fitting = None, np.zeros(len(column), dtype=np.bool_)
        for type_ in types:
            try:
                return column.cast(type_)
            except pa.ArrowInvalid:
                fits = _fitting(column, type_)
            if fits.sum() > max(fitting.sum(), least):
                best, fitting = type_, fits
        if best is None:
            return column
        for row in np.flatnonzero(~fitting & ~np.asarray(column.is_null())).tolist():
            message = f"column {name}: {shortened(repr(column[row].as_py()), 200)} is not {what}"
            self._set_aside(row, Diagnostic("E443", None, message, "correct it, or drop the row", self._place(row)))
        return pc.if_else(pa.array(fitting), column, pa.scalar(None, pa.string())).cast(best)

    def _set_aside(self, row: int, problem: Diagnostic) -> None:
        self._bad.setdefault(row, problem)

    def _place(self, row: int) -> str:
        return f"{self.name}:{int(self.lines[row])}"

    def _without_bad(self, table: pa.Table) -> pa.Table:
        if not self._bad:
            return table
        self.problems += [self._bad[row] for row in sorted(self._bad)]
        kept = np.ones(len(table), dtype=np.bool_)
        kept[list(self._bad)] = False
        self.lines = self.lines[kept]
        return table.filter(pa.array(kept))


def _decoded(value: bytes | None) -> str | bool | None:
    """A text; False if it is none."""
    try:
        return None if value is None else value.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _fitting(column: pa.ChunkedArray, type_: pa.DataType) -> Bools:
    """Which values have a type."""
    encoded = column.combine_chunks().dictionary_encode()
    fits = np.array([*(_has_type(text, type_) for text in encoded.dictionary.to_pylist()), False], dtype=np.bool_)
    fitting: Bools = fits[np.asarray(encoded.indices.fill_null(len(fits) - 1))]
    return fitting


def _has_type(text: str, type_: pa.DataType) -> bool:
    try:
        pa.scalar(text).cast(type_)
    except pa.ArrowInvalid:
        return False
    return True


def _number_columns(table: pa.Table, signature: Signature | None) -> set[str]:
    names = argument_columns(table.column_names, signature)
    parameters = signature.parameters if signature else ()
    declared = dict(zip(names, (parameter.type for parameter in parameters), strict=False))
    return {
        name
        for place, name in enumerate(table.column_names)
        if name in names
        and declared.get(name) not in _TEXT_TYPES
        and (declared.get(name) in _NUMBER_TYPES or _all_numbers(table.column(place)))
    }


def _all_numbers(column: pa.ChunkedArray) -> bool:
    return pc.all(_numbers(column.unique()), min_count=0).as_py() is True


def _count_numbers(column: pa.ChunkedArray) -> int:
    return pc.sum(_numbers(column)).as_py() or 0


def _numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.match_substring_regex(column, f"^(?:{NUMBER_PATTERN})$")
