"""Whether an Arrow IPC stream is one that this program writes, before Arrow reads it.

Arrow checks the places of all buffers, but believes two things that cost memory or run other code: the size of a
compressed buffer before it is compressed, and the name of an extension type. This program writes neither.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_SCHEMA, _DICTIONARY, _ROWS = 1, 2, 3
"""Kinds of messages (Arrow's Message.fbs, MessageHeader)."""
_KIND, _HEADER, _BODY_LENGTH = 1, 2, 3
_DATA, _COMPRESSION = 1, 3
"""Fields of the tables Message, DictionaryBatch and RecordBatch, as Message.fbs numbers them."""

_WORD, _SIGNED, _HALF, _LONG = map(struct.Struct, ("<I", "<i", "<H", "<q"))
_CONTINUES = 0xFFFFFFFF


def is_plain(stream: bytes | memoryview) -> bool:
    """Whether it is a schema without extension types, dictionaries, and one table, none of them compressed."""
    try:
        kinds = []
        for metadata in _messages(memoryview(stream)):
            table = _follow(metadata, 0)
            kinds.append(metadata[table + _field(metadata, table, _KIND)])
            if kinds[-1] == _SCHEMA:
                if b"ARROW:extension" in bytes(metadata):
                    return False
            elif _is_compressed(metadata, _inside(metadata, table, _HEADER), kinds[-1]):
                return False
    except (struct.error, IndexError, ValueError):
        return False
    return kinds[:1] == [_SCHEMA] and kinds[-1] == _ROWS and not {*kinds[1:-1]} - {_DICTIONARY}


def _messages(stream: memoryview) -> Iterator[memoryview]:
    """The metadata of the messages, whose bodies are skipped, up to the mark of the end, which must be there."""
    place = 0
    while True:
        if _read(_WORD, stream, place) != _CONTINUES:
            raise ValueError("this is not a message")
        size = _read(_SIGNED, stream, place + 4)
        place += 8
        if not size:
            break
        if not 0 < size <= len(stream) - place:
            raise ValueError("the end of a message is missing")
        metadata = stream[place : place + size]
        yield metadata
        table = _follow(metadata, 0)
        length = _field(metadata, table, _BODY_LENGTH)
        body = _read(_LONG, metadata, table + length) if length else 0
        if body < 0:
            raise ValueError("a body has a negative length")
        place += size + body
    if place != len(stream):
        raise ValueError("something follows the end")


def _is_compressed(metadata: memoryview, table: int, kind: int) -> bool:
    """Whether a message of rows, or of a dictionary, says that its buffers are compressed."""
    rows = _inside(metadata, table, _DATA) if kind == _DICTIONARY else table
    return _field(metadata, rows, _COMPRESSION) != 0


def _inside(data: memoryview, table: int, number: int) -> int:
    """The table that is a field of another."""
    offset = _field(data, table, number)
    if not offset:
        raise ValueError("a field is missing")
    return _follow(data, table + offset)


def _field(data: memoryview, table: int, number: int) -> int:
    """Where in a table a field stands; 0 where it has none (FlatBuffers: by way of the vtable)."""
    vtable = table - _read(_SIGNED, data, table)
    place = 4 + 2 * number
    return _read(_HALF, data, vtable + place) if place < _read(_HALF, data, vtable) else 0


def _follow(data: memoryview, place: int) -> int:
    return place + _read(_WORD, data, place)


def _read(form: struct.Struct, data: memoryview, place: int) -> int:
    if place < 0:
        raise ValueError("before the beginning")
    return int(form.unpack_from(data, place)[0])
