"""Numbers for shards that Spark's own hash spreads evenly over its partitions."""

from __future__ import annotations

from itertools import count

_SEED = 42
_WORD = 0xFFFFFFFF


def shard_ids(shards: int, partitions: int) -> list[int]:
    """A number for each shard; the shards lie in the partitions one after the other, round and round.

    Spark hashes the shard's number again to choose its partition, so that small numbers may well fall together and
    leave other partitions without work. The first shard has number 0, however many there are of both: its state tells
    a run with another number of shards or partitions that a checkpoint is not its own.
    """
    free: dict[int, list[int]] = {partition: [] for partition in range(partitions)}
    candidates = count()
    found = []
    first = spark_hash(0) % partitions
    for shard in range(shards):
        wanted = (first + shard) % partitions
        while not free[wanted]:
            number = next(candidates)
            free[spark_hash(number) % partitions].append(number)
        found.append(free[wanted].pop(0))
    return found


def spark_hash(number: int) -> int:
    """Spark's hash of an integer column (Murmur 3 with its seed), as a signed number."""
    word = number & _WORD
    word = _rotate(word * 0xCC9E2D51 & _WORD, 15) * 0x1B873593 & _WORD
    mixed = (_rotate(_SEED ^ word, 13) * 5 + 0xE6546B64) & _WORD
    mixed ^= 4
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _WORD
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _WORD
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _rotate(word: int, bits: int) -> int:
    return (word << bits | word >> (32 - bits)) & _WORD
