"""Tables as bytes: a header in JSON, then every table as an Arrow IPC stream.

Everything that leaves the process goes this way: snapshots, the state of a shard, facts on their way between shards.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from thalweg.columnar.relation import Relation

_MAGIC = b"THALWEG\x02"
_LENGTH = struct.Struct("<Q")


class FrameError(ValueError):
    """The bytes were not written by :func:`pack` of this version, or not all of them are there."""


def pack(header: Mapping[str, Any], tables: Sequence[pa.RecordBatch]) -> bytes:
    """A header that JSON can hold, and tables."""
    streams = [_stream(table) for table in tables]
    text = json.dumps({"header": header, "sizes": [len(stream) for stream in streams]}).encode()
    return b"".join((_MAGIC, _LENGTH.pack(len(text)), text, *streams))


def unpack(data: bytes) -> tuple[dict[str, Any], list[pa.RecordBatch]]:
    """What :func:`pack` was given; the tables are views of the bytes."""
    place = len(_MAGIC) + _LENGTH.size
    try:
        if data[: len(_MAGIC)] != _MAGIC:
            raise FrameError
        (length,) = _LENGTH.unpack_from(data, len(_MAGIC))
        read = json.loads(data[place : place + length])
        place += length
        tables, buffer = [], pa.py_buffer(data)
        for size in read["sizes"]:
            tables.append(pa.ipc.open_stream(buffer.slice(place, size)).read_next_batch())
            place += size
    except (ValueError, KeyError, StopIteration, OSError, struct.error, pa.ArrowException) as error:
        raise FrameError("the bytes are not of this version, or not whole") from error
    if place != len(data):
        raise FrameError("there are bytes after the last table")
    header: dict[str, Any] = read["header"]
    return header, tables


def relation_table(relation: Relation) -> pa.RecordBatch:
    """A relation as a table of integers."""
    columns = (*relation.columns, relation.start, relation.end)
    return pa.record_batch([pa.array(column) for column in columns], [str(i) for i in range(len(columns))])


def table_relation(table: pa.RecordBatch, *, coalesced: bool = False) -> Relation:
    """The relation of :func:`relation_table`."""
    columns = [np.asarray(column) for column in table.columns]
    return Relation(tuple(columns[:-2]), columns[-2], columns[-1], coalesced)


def _stream(table: pa.RecordBatch) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_batch(table)
    return sink.getvalue()
