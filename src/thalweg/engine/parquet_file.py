"""Parquet files, with every time in them exactly as it was written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from thalweg.columnar.arrays import Ints
from thalweg.engine.tables import TIME_COLUMNS
from thalweg.errors import DataError, Diagnostic

_INT96 = "INT96"
_BY_SPARK = b"org.apache.spark.version"
_LONGEST = (1 << 63) // 1000 - 1
"""So many microseconds from 1970 can be counted in nanoseconds as well."""

_LEGACY = {"org.apache.spark.legacyDateTime": False, "org.apache.spark.legacyINT96": True}
_REFORM = -141_427
"""15 October 1582, in days from 1970: the first day of the Gregorian calendar."""
_SAME_EVERYWHERE = -2_208_988_800
"""1900, in seconds from 1970: since then time zones are what they were in the old calendar, too."""


def read_parquet(path: Path) -> pa.Table:
    """The table of a file.

    Raises :class:`DataError` (E473) for times that no column can hold exactly, or that were written in the old calendar
    (Julian before 1582), in which older versions of Spark counted days.
    """
    with pyarrow.parquet.ParquetFile(path, coerce_int96_timestamp_unit="us") as file:
        table = file.read()
        old = [name for name in _int96(file) if name in TIME_COLUMNS and name in table.column_names]
        legacy = {key for key in _LEGACY if key.encode() in (file.metadata.metadata or {})}
    if old:
        table = _with_nanoseconds(table, path, old)
    if legacy:
        _refuse_old_calendar(table, path, set(old), legacy)
    return table


def has_nanoseconds(path: Path) -> bool:
    """Whether a file has times that Spark would not read exactly: in nanoseconds.

    Spark refuses them as such, and rounds those in INT96; but what it has written itself are microseconds.
    """
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            kinds = {field.name: field.type for field in file.schema_arrow}
            exact = _int96(file) if _BY_SPARK in (file.metadata.metadata or {}) else []
    except (OSError, pa.ArrowInvalid):
        return False  # whoever reads it says what is wrong with it
    times = [name for name in TIME_COLUMNS if name in kinds and name not in exact]
    return any(pa.types.is_timestamp(kinds[name]) and kinds[name].unit == "ns" for name in times)


def _int96(file: pyarrow.parquet.ParquetFile) -> list[str]:
    columns = (file.schema.column(number) for number in range(len(file.schema)))
    return [column.path for column in columns if column.physical_type == _INT96]


def _with_nanoseconds(table: pa.Table, path: Path, names: list[str]) -> pa.Table:
    """The table with times in nanoseconds where microseconds do not tell them all.

    Such a column counts days and the nanoseconds of a day. Arrow turns that into 64 bits of nanoseconds, and for years
    that are out of reach into nonsense; the difference to microseconds is right all the same, modulo 2⁶⁴.
    """
    with pyarrow.parquet.ParquetFile(path) as file:
        fine = file.read(columns=names)
    for name in names:
        column = fine.column(name).combine_chunks()
        there = np.asarray(column.is_valid())
        coarse = _counts(table.column(name).combine_chunks())
        rest = (_counts(column) - coarse * 1000)[there]
        if not rest.any():
            continue
        if (np.abs(coarse[there]) > _LONGEST).any():
            message = f"column {name} holds nanoseconds beside years that cannot be counted in them"
            raise _refused(path, message, "write it in microseconds, or leave out times before 1678 and after 2261")
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def _counts(column: pa.Array) -> Ints:
    counts: Ints = column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    return counts


def _refuse_old_calendar(table: pa.Table, path: Path, int96: set[str], legacy: set[str]) -> None:
    for name in (name for name in TIME_COLUMNS if name in table.column_names):
        kind = table.column(name).type
        first = _first_certain(kind, is_int96=name in int96)
        if first is None or not any(key in legacy and _LEGACY[key] is (name in int96) for key in _LEGACY):
            continue
        counts = table.column(name).drop_null().cast(pa.int32() if pa.types.is_date32(kind) else pa.int64())
        if len(counts) and int(np.asarray(counts).min()) < first:
            year = "1582" if pa.types.is_date32(kind) else "1900"
            message = f"column {name} has times before {year} that were written in the old calendar"
            raise _refused(
                path, message, "let Spark read it (without --in-process), or write it anew with a newer Spark"
            )


def _first_certain(kind: pa.DataType, *, is_int96: bool) -> int | None:
    """The first count of a type that means the same in both calendars; None where Spark never used the old one."""
    if pa.types.is_date32(kind):
        return _REFORM
    if pa.types.is_timestamp(kind) and (kind.tz is not None or is_int96):
        return _SAME_EVERYWHERE * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
    return None


def _refused(path: Path, message: str, hint: str) -> DataError:
    return DataError([Diagnostic("E473", None, message, hint, str(path))])
