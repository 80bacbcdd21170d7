"""Tables as bytes: a header in JSON, then every table as an Arrow IPC stream.

Everything that leaves the process goes this way: snapshots, the state of a shard, facts on their way between shards.
The bytes begin with a mark, the version of the format and a checksum of all that follows; the header says of which kind
they are. Whatever the bytes are, reading them either gives what was written or raises
:class:`StateError`: nothing
in them names code, no length in them is believed before it is checked, and nothing is allocated by what they say.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from thalweg.columnar.relation import Relation
from thalweg.engine.arrow_messages import is_plain
from thalweg.engine.state_errors import damaged, other_version, reading

VERSION = 3
"""The version of the format: of the frame, and of everything that state has in it."""
_MARK = b"THALWEG"
_START = struct.Struct("<7sBIQ")
"""The mark, the version, the checksum of everything after it, and the length of the header."""
_CHECKED_FROM = struct.calcsize("<7sBI")


def pack(kind: str, header: Mapping[str, Any], tables: Sequence[pa.RecordBatch]) -> bytes:
    """A header that JSON can hold, and tables."""
    streams = [_stream(table) for table in tables]
    said = {"kind": kind, "header": header, "sizes": [len(stream) for stream in streams]}
    text = json.dumps(said).encode()
    parts = (struct.pack("<Q", len(text)), text, *streams)
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    return b"".join((_MARK, struct.pack("<BI", VERSION, checksum), *parts))


def unpack(kind: str, data: bytes) -> tuple[dict[str, Any], list[pa.RecordBatch]]:
    """What :func:`pack` was given; the tables are views of the bytes. Raises :class:`StateError`."""
    length = _checked(data)
    place = _START.size + length
    with reading():
        said = json.loads(data[_START.size : place])
        found, header, sizes = said["kind"], said["header"], said["sizes"]
        tables, buffer = [], pa.py_buffer(data)
        for size in sizes:
            if type(size) is not int or not 0 <= size <= len(data) - place:
                raise damaged("a table is longer than the rest")
            tables.append(_table(buffer.slice(place, size)))
            place += size
    if place != len(data) or not isinstance(header, dict):
        raise damaged("there is something after the last table")
    if found != kind:
        raise damaged(f"it is of the kind {str(found)[:40]!r}, and {kind!r} is needed")
    return header, tables


def relation_table(relation: Relation) -> pa.RecordBatch:
    """A relation as a table of integers."""
    columns = (*relation.columns, relation.start, relation.end)
    return pa.record_batch([pa.array(column) for column in columns], [str(i) for i in range(len(columns))])


def table_relation(table: pa.RecordBatch, arity: int | None = None) -> Relation:
    """The relation of :func:`relation_table`, which has so many arguments."""
    if table.num_columns != (max(table.num_columns, 2) if arity is None else arity + 2):
        raise damaged("a relation has another number of columns")
    columns = [integers(column) for column in table.columns]
    return Relation(tuple(columns[:-2]), columns[-2], columns[-1])


def integers(column: pa.Array) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A column of integers without gaps as an array."""
    if column.type != pa.int64() or column.null_count:
        raise damaged(f"a column is of the type {column.type}, and must have integers")
    return np.asarray(column)


def _checked(data: bytes) -> int:
    """The length of the header of bytes that are whole."""
    if data[: len(_MARK)] != _MARK[: len(data)] or not data:
        raise damaged("these bytes are no state of thalweg")
    version = data[len(_MARK)] if len(data) > len(_MARK) else VERSION
    if version != VERSION:
        raise other_version(version, VERSION)
    if len(data) < _START.size:
        raise damaged("its end is missing")
    _, _, checksum, length = _START.unpack_from(data)
    if checksum != zlib.crc32(memoryview(data)[_CHECKED_FROM:]):
        raise damaged("its checksum is wrong: bytes were changed, or its end is missing")
    if length > len(data) - _START.size:
        raise damaged("its end is missing")
    return int(length)


def _table(stream: pa.Buffer) -> pa.RecordBatch:
    """The only table of a stream, whose buffers are all there."""
    if not is_plain(stream):
        raise damaged("a table is not written as this program writes tables")
    with pa.ipc.open_stream(stream) as reader:
        table = reader.read_next_batch()
    table.validate(full=True)
    return table


def _stream(table: pa.RecordBatch) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_batch(table)
    return sink.getvalue()
