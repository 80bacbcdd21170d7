"""Facts from CSV files, read exactly as they are written."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from thalweg.engine.tables import NUMBER_PATTERN, argument_columns, read_table
from thalweg.model.program import Program, Signature
from thalweg.syntax.ast import TypeName
from thalweg.syntax.facts import FactFile

_TEXT_TYPES = (TypeName.STRING, TypeName.BOOLEAN)
_MOMENTS = (pa.timestamp("ns"), pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.timestamp("us", "UTC"))


def read_csv(path: Path, program: Program) -> FactFile:
    """The facts of ``NAME.csv``; an empty cell has no value, an empty text is written ``""``.

    Arrow would guess types from the first rows and round decimals, so every column comes as texts. A column of
    arguments holds numbers if all its values are written as numbers and it is not declared otherwise.
    """
    with pyarrow.csv.open_csv(path) as reader:
        names = reader.schema.names
    options = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    table = pyarrow.csv.read_csv(path, convert_options=options)
    columns = [_with_time_type(name, table.column(place)) for place, name in enumerate(names)]
    signature = program.signatures.get(path.stem)
    return read_table(
        path.stem,
        pa.table(columns, names=names),
        signature,
        program.unit,
        source=str(path),
        first_line=2,
        numbers=_number_columns(table, signature),
    )


def _number_columns(table: pa.Table, signature: Signature | None) -> set[str]:
    names = argument_columns(table.column_names, signature)
    parameters = signature.parameters if signature else ()
    declared = dict(zip(names, (parameter.type for parameter in parameters), strict=False))
    return {
        name
        for place, name in enumerate(table.column_names)
        if name in names and declared.get(name) not in _TEXT_TYPES and _all_numbers(table.column(place))
    }


def _all_numbers(column: pa.ChunkedArray) -> bool:
    matches = pc.match_substring_regex(column.unique(), f"^(?:{NUMBER_PATTERN})$")
    return pc.all(matches, min_count=0).as_py() is True


def _with_time_type(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of times as timestamps, if that is what it holds; one that says which ends are closed as such."""
    if name in ("time", "start", "end") and not _all_numbers(column):
        return _cast(column, *_MOMENTS)
    return _cast(column, pa.bool_()) if name in ("start_closed", "end_closed") else column


def _cast(column: pa.ChunkedArray, *types: pa.DataType) -> pa.ChunkedArray:
    """The column with the first type that all its values have; otherwise as it is."""
    for type_ in types:
        try:
            return column.cast(type_)
        except pa.ArrowInvalid:
            continue
    return column
