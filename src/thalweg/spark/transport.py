"""Rows between the parts of the pipeline: few and large, each with a blob of many facts.

``shard`` is the number by which Spark groups rows; ``tag`` says what the blob is: a parcel for that shard (``parcel``),
or something that has left its shard and only passes through the later ones (``answers``, ``quarantine``,
``progress``, ``unused`` for a predicate that has facts but that the program does not mention, and ``evidence`` for what
came in time, where it is to be kept: the name then says how much, and until when it holds).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.engine.frames import pack
from thalweg.engine.packets import Packet
from thalweg.engine.shard import Outcome
from thalweg.errors import Diagnostic
from thalweg.source import shortened, visible
from thalweg.spark.tables import BadRows

SCHEMA = "shard int, tag string, name string, payload binary"
ARROW = pa.schema([("shard", pa.int32()), ("tag", pa.string()), ("name", pa.string()), ("payload", pa.binary())])
PARCEL, ANSWERS, QUARANTINE, PROGRESS, UNUSED = "parcel", "answers", "quarantine", "progress", "unused"
EVIDENCE = "evidence"

LATE = "it came too late"


class Row(NamedTuple):
    """One row in transport."""

    shard: int
    tag: str
    name: str | None
    payload: bytes


def record_batch(rows: Sequence[Row]) -> pa.RecordBatch:
    """Rows as an Arrow batch."""
    arrays = [pa.array([row[i] for row in rows], field.type) for i, field in enumerate(ARROW)]
    return pa.record_batch(arrays, schema=ARROW)


def frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Rows as a pandas frame."""
    return pd.DataFrame(list(rows), columns=ARROW.names)


def outcome_rows(outcome: Outcome, ids: Sequence[int], home: int, metrics: dict[str, Any]) -> Iterable[Row]:
    """What leaves a shard, as rows.

    ``ids`` are the numbers of the next stage's shards; what only passes through goes by way of ``home``.
    """
    for number, parcel in zip(ids, outcome.onward, strict=True):
        yield Row(number, PARCEL, None, parcel.to_bytes())
    for answers in outcome.answers:
        yield Row(home, ANSWERS, answers.query, answers.to_bytes())
    for packet in outcome.late:
        yield Row(home, QUARANTINE, packet.predicate, quarantined(packet, LATE))
    for kept in outcome.kept:
        yield Row(home, EVIDENCE, kept.summary, kept.to_bytes())
    if outcome.progress is not None:
        text = json.dumps({**asdict(outcome.progress), **metrics})
        yield Row(home, PROGRESS, None, text.encode())


def quarantined(packet: Packet, reason: str) -> bytes:
    """Facts that were set aside, as bytes."""
    return pack(QUARANTINE, {**packet.header(), "reason": reason}, [packet.to_table()])


def quarantined_rows(bad: BadRows) -> bytes:
    """Rows that could not be facts, as bytes."""
    reasons = [f"{diagnostic.code}: {visible(shortened(diagnostic.message))}" for diagnostic in bad.diagnostics]
    return _rows_and_reasons(bad.predicate, pa.array(bad.rows, pa.string()), pa.array(reasons, pa.string()))


def quarantined_lines(lines: pa.Table) -> bytes:
    """Lines that could not be read, as bytes: where they stand, and what is wrong with them."""
    places = pc.binary_join_element_wise(lines.column("source"), lines.column("line").cast(pa.string()), ":")
    return _rows_and_reasons(None, places.combine_chunks(), lines.column("problem").combine_chunks())


def quarantined_facts(problems: Sequence[Diagnostic]) -> bytes:
    """Facts that do not fit the program, as bytes: where they stand, and what is wrong with them."""
    places = pa.array([problem.place for problem in problems], pa.string())
    return _rows_and_reasons(None, places, pa.array([problem.render() for problem in problems], pa.string()))


def _rows_and_reasons(predicate: str | None, rows: pa.Array, reasons: pa.Array) -> bytes:
    return pack(QUARANTINE, {"predicate": predicate}, [pa.record_batch([rows, reasons], ["row", "reason"])])
