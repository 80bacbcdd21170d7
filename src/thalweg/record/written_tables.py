"""The files of answers as they were written, in any of the four formats, as tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from thalweg.record.run_record import HYPOTHESES
from thalweg.record.written_lines import fact_rows, status_rows

SUFFIXES = {".parquet": "parquet", ".json": "json", ".csv": "csv", ".facts": "facts", ".txt": "facts"}


class Unreadable(Exception):  # noqa: N818  # it is no error: the file may be being replaced
    """Files that are not there any more, or not whole yet."""


def files_of(path: Path) -> list[Path]:
    """The files of answers in a folder, or the file itself; nothing where there is none."""
    if path.is_file():
        return [path]
    try:
        found = sorted(each for each in path.iterdir() if each.suffix in SUFFIXES)
    except OSError:
        return []
    return [each for each in found if not each.name.startswith((".", "_"))]


def read_files(files: Sequence[Path], kind: str) -> pa.Table | None:
    """The rows of all files in one table; None where there are none. Raises :class:`Unreadable`."""
    tables = [table for table in (_read(path, kind) for path in files) if table is not None and len(table)]
    return pa.concat_tables(tables, promote_options="permissive") if tables else None


def _read(path: Path, kind: str) -> pa.Table | None:
    format_ = SUFFIXES[path.suffix]
    try:
        if format_ == "parquet":
            return pyarrow.parquet.ParquetFile(path).read()
        if format_ == "csv":
            return _read_csv(path)
        lines = [line for line in path.read_bytes().decode().split("\n") if line]
        if format_ == "json":
            return _table([_flat(json.loads(line, parse_float=str)) for line in lines])
        return _table((status_rows if kind == HYPOTHESES else fact_rows)(lines))
    except (OSError, pa.ArrowInvalid, ValueError) as error:
        raise Unreadable(f"{path}: {error}") from error


def _read_csv(path: Path) -> pa.Table | None:
    """All columns as texts. Spark escapes quotes with a backslash; other writers write them twice."""
    if not path.stat().st_size:
        return None
    by_spark = path.name.startswith("part-") and path.name.count("-") > 1
    parse = pyarrow.csv.ParseOptions(
        double_quote=not by_spark, escape_char="\\" if by_spark else False, newlines_in_values=True
    )
    names = pyarrow.csv.open_csv(path, parse_options=parse).schema.names
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        null_values=[""],
    )
    return pyarrow.csv.read_csv(path, parse_options=parse, convert_options=convert)


def _flat(row: Any) -> dict[str, Any]:
    """A row with its arguments beside the rest."""
    if isinstance(row.get("arguments"), dict) and "predicate" in row:
        rest = {name: value for name, value in row.items() if name not in ("predicate", "arguments")}
        return {**row["arguments"], **rest}
    return dict(row)


def _table(rows: Sequence[dict[str, Any]]) -> pa.Table | None:
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: _column([row.get(name) for row in rows]) for name in names}) if rows else None


def _column(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # numbers beside texts
        return pa.array([None if value is None else str(value) for value in values], pa.string())
