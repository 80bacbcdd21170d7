"""State as bytes: a header in JSON, then the columns of every relation one after another."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from thalweg.columnar.arrays import Ints
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values
from thalweg.errors import UsageError

_MAGIC = b"THALWEG\x01"
_LENGTH = struct.Struct("<Q")
_INT = np.dtype("<i8")


def pack(header: Mapping[str, Any], relations: Mapping[str, Relation]) -> bytes:
    """A header that JSON can hold, and relations by name."""
    listed = [[name, relation.arity, len(relation), relation.coalesced] for name, relation in relations.items()]
    text = json.dumps({**header, "relations": listed}).encode()
    columns = [
        column.astype(_INT).tobytes()
        for relation in relations.values()
        for column in (*relation.columns, relation.start, relation.end)
    ]
    return b"".join((_MAGIC, _LENGTH.pack(len(text)), text, *columns))


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, Relation]]:
    """The header and the relations; raises :class:`UsageError` for bytes that are no snapshot."""
    body = len(_MAGIC) + _LENGTH.size
    try:
        if data[: len(_MAGIC)] != _MAGIC:
            raise ValueError
        (length,) = _LENGTH.unpack_from(data, len(_MAGIC))
        header = json.loads(data[body : body + length])
        place = body + length
        relations = {}
        for name, arity, rows, coalesced in header.pop("relations"):
            columns = []
            for _ in range(arity + 2):
                columns.append(_column(data, place, rows))
                place += rows * _INT.itemsize
            relations[name] = Relation(tuple(columns[:arity]), columns[arity], columns[arity + 1], coalesced)
        if place != len(data):
            raise ValueError
    except (ValueError, KeyError, struct.error) as error:
        raise UsageError("these bytes are not a snapshot of this version, or not a whole one") from error
    return header, relations


def values_to_json(values: Values) -> list[Any]:
    """The interned values in order; a rational as a list of its parts."""
    return [value if isinstance(value, str) else [value.numerator, value.denominator] for value in values.entries()]


def values_from_json(listed: list[Any]) -> Values:
    """The table of values with the same codes."""
    values = Values()
    for item in listed:
        values.code(item if isinstance(item, str) else Fraction(*item))
    return values


def _column(data: bytes, place: int, rows: int) -> Ints:
    return np.frombuffer(data, dtype=_INT, count=rows, offset=place).astype(np.int64)
