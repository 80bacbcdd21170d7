"""Generated facts as Parquet: one folder a predicate, files in the order of time, and a file that ties them together.

Files appear whole, under a name that is hidden until they are, so that whoever follows a folder never sees half of one.
Spark's file stream takes files by the time of their last change: it grows from file to file, whatever the disk's clock
can tell apart.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

TABLES = "tables.toml"
"""What ``thalweg run --tables`` takes."""

_MILLISECOND = 10**6
_SPARK_TYPES = {"string": "string", "int64": "bigint", "int32": "int"}


class ParquetFolders:
    """Folders below ``folder``.

    The file of tables has the predicates in ``tied``, with their columns, from the beginning; where none are given, all
    that come.
    """

    def __init__(self, folder: Path, tied: Mapping[str, pa.Schema] | None = None) -> None:
        self.folder = folder
        self._known: dict[str, pa.Schema] = {}
        self._ties_all = tied is None
        self._number = 0
        self._changed = 0
        self._make_known(tied or {})
        if tied is not None:
            self._tie(tied)

    def write(self, tables: Mapping[str, pa.Table]) -> None:
        """A file for each predicate that has facts."""
        if self._make_known({name: table.schema for name, table in tables.items()}) and self._ties_all:
            self._tie(self._known)
        for predicate, table in tables.items():
            if len(table):
                self._drop(table, self.folder / predicate / f"part-{self._number:06}.parquet")
        self._number += 1

    def _make_known(self, schemas: Mapping[str, pa.Schema]) -> bool:
        """Make the folders of new predicates, so that they can be followed before anything is in them."""
        fresh = {name: schema for name, schema in schemas.items() if name not in self._known}
        for name in fresh:
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self._known |= fresh
        return bool(fresh)

    def _tie(self, schemas: Mapping[str, pa.Schema]) -> None:
        _appear(self.folder / TABLES, lambda path: path.write_text(_tables_text(schemas), encoding="utf-8"))

    def _drop(self, table: pa.Table, path: Path) -> None:
        def write(hidden: Path) -> None:
            pyarrow.parquet.write_table(table, hidden)
            self._changed = max(hidden.stat().st_mtime_ns, self._changed + _MILLISECOND)
            os.utime(hidden, ns=(self._changed, self._changed))

        _appear(path, write)


def _appear(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under a hidden name, then give it its own."""
    hidden = path.with_name(f".{path.name}")
    write(hidden)
    hidden.replace(path)


def _tables_text(schemas: Mapping[str, pa.Schema]) -> str:
    return "\n".join(
        f'[{name}]\nformat = "parquet"\npath = "{name}"\nschema = "{_spark_schema(schema)}"\n'
        for name, schema in schemas.items()
    )


def _spark_schema(schema: pa.Schema) -> str:
    """Columns and types as Spark writes them, so that a folder can be followed that is still empty."""
    return ", ".join(f"`{field.name}` {_spark_type(field.type)}" for field in schema)


def _spark_type(type_: pa.DataType) -> str:
    if pa.types.is_decimal(type_):
        return f"decimal({type_.precision},{type_.scale})"
    return _SPARK_TYPES[str(type_)]
