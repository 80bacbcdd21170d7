"""Offsets into Kafka topics: how far each partition is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from thalweg.errors import UsageError

Partition = tuple[str, int]
"""A topic and the number of one of its partitions."""

Offsets = dict[Partition, int]

EARLIEST, LATEST = -2, -1
"""Offsets that stand for the two ends of a partition, as in Spark's own connector."""


def to_json(offsets: Offsets) -> dict[str, Any]:
    """``{"topic": {"0": 23}}`` as in Spark's own connector, in one order, since Spark compares the texts."""
    topics: dict[str, Any] = {}
    for (topic, partition), offset in sorted(offsets.items()):
        topics.setdefault(topic, {})[str(partition)] = offset
    return topics


def from_json(topics: Mapping[str, Any]) -> Offsets:
    """Read what :func:`to_json` wrote."""
    return {
        (topic, int(partition)): offset
        for topic, partitions in topics.items()
        for partition, offset in partitions.items()
    }


def parse_starting(text: str) -> Offsets:
    """Offsets that a user wrote."""
    try:
        offsets = from_json(json.loads(text))
        if all(isinstance(offset, int) and offset >= EARLIEST for offset in offsets.values()):
            return offsets
    except (ValueError, AttributeError):
        pass
    form = '{"topic": {"0": 23, "1": -2}} (-2 is earliest, -1 is latest)'
    raise UsageError(f"thalweg-kafka: the option startingOffsets must be earliest, latest or {form}, not {text}")


def limited(start: Offsets, end: Offsets, most: int) -> Offsets:
    """Ends such that at most so many offsets lie between start and end.

    Partitions share by what they have, and each that has something gets something where that is possible: a quiet
    partition beside a busy one must not fall behind in time.
    """
    lags = {key: offset - start.get(key, 0) for key, offset in end.items() if offset > start.get(key, 0)}
    if sum(lags.values()) <= most:
        return end
    least = 1 if len(lags) <= most else 0
    spare = most - least * len(lags)
    total = sum(lags.values()) - least * len(lags)
    parts = {key: divmod((lag - least) * spare, total) for key, lag in lags.items()}
    shares = {key: least + whole for key, (whole, _) in parts.items()}
    # What rounding down left over goes, one by one, to those that it took most from.
    by_loss = sorted(parts, key=lambda key: (-parts[key][1], key))
    for key in by_loss[: most - sum(shares.values())]:
        shares[key] += 1
    return {**end, **{key: start.get(key, 0) + share for key, share in shares.items()}}
