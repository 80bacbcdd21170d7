"""Which shard a fact belongs to: a hash of the value at its key, the same in every process and for every type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from zlib import crc32

import numpy as np
import numpy.typing as npt

from thalweg.columnar.arrays import Ints
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Value, Values
from thalweg.engine.packets import Column, Packet
from thalweg.null import Null

_Words = npt.NDArray[np.uint64]


def split(packet: Packet, key: int | None, shards: int) -> list[Packet | None]:
    """The facts for every shard; without a key every shard gets all of them. None where a shard gets nothing."""
    if not len(packet):
        return [None] * shards
    if key is None or shards == 1:
        return [replace(packet, reports=packet.reports and shard == 0) for shard in range(shards)]
    numbers = shard_numbers(packet.columns[key], shards)
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    edges = np.searchsorted(numbers[order], np.arange(shards + 1))
    return [
        packet.take(order[edges[shard] : edges[shard + 1]]) if edges[shard] < edges[shard + 1] else None
        for shard in range(shards)
    ]


def shard_numbers(column: Column, shards: int) -> Ints:
    """The shard of every row of a column."""
    if column.kind == "integer":
        return _shards(_integer_words(np.asarray(column.array)), shards)
    of_value = _shards(_words(column.distinct()), shards)
    numbers: Ints = of_value[np.asarray(column.array.indices)]
    return numbers


def belonging_to(relation: Relation, key: int, values: Values, shard: int, shards: int) -> Relation:
    """The facts whose key belongs to a shard."""
    if shards == 1:
        return relation
    distinct, inverse = np.unique(relation.columns[key], return_inverse=True)
    numbers = _shards(_words(values.distinct(distinct)), shards)
    return relation.take(numbers[inverse] == shard, coalesced=relation.coalesced)


def _words(values: Sequence[Value]) -> _Words:
    """A word for every value; a number has the same one whatever the type of the column it came in."""
    words = np.fromiter(map(_word, values), dtype=np.uint64, count=len(values))
    whole = {i: v.numerator for i, v in enumerate(values) if isinstance(v, Fraction) and v.denominator == 1}
    if whole:
        words[[*whole]] = _integer_words(np.array([*whole.values()], dtype=np.int64))
    return words


def _word(value: Value) -> int:
    if isinstance(value, Null):
        return crc32(value.digest.encode())
    return crc32(value.encode()) if isinstance(value, str) else crc32(f"{value} ".encode())


def _integer_words(numbers: Ints) -> _Words:
    return numbers.astype(np.uint64)


def _shards(words: _Words, shards: int) -> Ints:
    """Spread words over shards evenly (the finaliser of splitmix64), since names often differ in one digit only."""
    mixed = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return (mixed % np.uint64(shards)).astype(np.int64)
