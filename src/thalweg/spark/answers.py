"""Answers as typed rows: the columns of each query, and how packets become rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
import pyarrow as pa
from pyspark.sql import types

from thalweg.columnar.arrays import Bools, Ints
from thalweg.engine.fact_texts import fact_texts, value_texts
from thalweg.engine.frames import unpack
from thalweg.engine.materialisation import argument_names
from thalweg.engine.packets import Packet
from thalweg.engine.shard import Answers
from thalweg.model.program import Signature
from thalweg.record.fact_id import fact_ids
from thalweg.spark.argument_types import ArgumentType, write_column
from thalweg.spark.time_types import TimeType, times_of
from thalweg.spark.transport import ANSWERS, QUARANTINE
from thalweg.spark.worker_errors import carried
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY
from thalweg.time.timeline import Timeline

INTERVALS, POINTS, CHANGES = "intervals", "points", "changes"
ID = "id"


@dataclass(frozen=True)
class Clock:
    """How codes of time become values of a column."""

    timeline: Timeline
    unit: Fraction
    kind: TimeType

    def column(self, codes: Ints, tick: Fraction) -> pa.Array:
        """The times of codes of points; infinite ones are null."""
        return times_of(codes, tick, self.timeline, self.unit, self.kind)

    def bounds(self, packet: Packet) -> dict[str, pa.Array]:
        """start, end, and whether they belong to the interval."""
        starts_open, ends_open = self._open(packet.start), self._open(packet.end)
        return {
            "start": self.column(packet.start - starts_open, packet.tick),
            "end": self.column(packet.end + ends_open, packet.tick),
            "start_closed": pa.array(~starts_open & (packet.start != NEGATIVE_INFINITY)),
            "end_closed": pa.array(~ends_open & (packet.end != POSITIVE_INFINITY)),
        }

    def change(self, packet: Packet, change: str) -> dict[str, pa.Array]:
        """When answers began or ended, and whether they hold at that very time."""
        is_open = self._open(packet.start)
        points = packet.start + (is_open if change == "ended" else -is_open.astype(np.int64))
        closed = ~is_open & (abs(packet.start) != POSITIVE_INFINITY)
        kinds = pa.array([change] * len(packet), pa.string())
        return {"change": kinds, "time": self.column(points, packet.tick), "closed": pa.array(closed)}

    def _open(self, codes: Ints) -> Bools:
        rational = self.timeline is Timeline.RATIONAL
        return (codes & 1).astype(np.bool_) & rational


class AnswerColumns(Protocol):
    """The columns of one query's answers, whatever is said of them."""

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the arguments."""

    @property
    def spark(self) -> types.StructType:
        """Their Spark schema."""

    @property
    def arrow(self) -> pa.StructType:
        """The same for Arrow."""

    def read(self, payload: bytes) -> pa.RecordBatch:
        """The rows of packed answers."""


@dataclass(frozen=True)
class QueryColumns:
    """The columns of one query's answers."""

    names: tuple[str, ...]
    kinds: tuple[ArgumentType, ...]
    mode: str
    clock: Clock
    has_ids: bool = False

    @classmethod
    def of(
        cls,
        signature: Signature,
        kinds: Sequence[ArgumentType],
        mode: str,
        clock: Clock,
        *,
        has_ids: bool = False,
    ) -> QueryColumns:
        """The columns of a predicate."""
        names = argument_names(signature, signature.arity)
        if has_ids and ID in names:
            names = argument_names(None, signature.arity)
        return cls(tuple(names), tuple(kinds), mode, clock, has_ids)

    @property
    def spark(self) -> types.StructType:
        """Their Spark schema."""
        schema = types.StructType()
        for name, kind in zip(self.names, self.kinds, strict=True):
            schema.add(name, kind.spark)
        time, flag = self.clock.kind.spark, types.BooleanType()
        if self.mode == POINTS:
            schema.add("time", time)
        elif self.mode == CHANGES:
            schema.add("change", types.StringType()).add("time", time).add("closed", flag)
        else:
            schema.add("start", time).add("end", time).add("start_closed", flag).add("end_closed", flag)
        return schema.add(ID, types.StringType()) if self.has_ids else schema

    @property
    def arrow(self) -> pa.StructType:
        """The same for Arrow."""
        arguments = [(name, kind.arrow) for name, kind in zip(self.names, self.kinds, strict=True)]
        time, ids = self.clock.kind.arrow, [(ID, pa.string())] if self.has_ids else []
        if self.mode == POINTS:
            return pa.struct([*arguments, ("time", time), *ids])
        if self.mode == CHANGES:
            return pa.struct([*arguments, ("change", pa.string()), ("time", time), ("closed", pa.bool_()), *ids])
        flags = [("start_closed", pa.bool_()), ("end_closed", pa.bool_())]
        return pa.struct([*arguments, ("start", time), ("end", time), *flags, *ids])

    def read(self, payload: bytes) -> pa.RecordBatch:
        """The rows of packed answers."""
        return self.batch(Answers.of_bytes(payload))

    def batch(self, answers: Answers) -> pa.RecordBatch:
        """The rows of a packet of answers."""
        packet = answers.packet
        arguments = {
            name: write_column(column, kind, f"{packet.predicate}, column {name}")
            for name, kind, column in zip(self.names, self.kinds, packet.columns, strict=True)
        }
        if self.mode == POINTS:
            times = {"time": self.clock.column(packet.start, packet.tick)}
        elif self.mode == CHANGES:
            assert answers.change is not None
            times = self.clock.change(packet, answers.change)
        else:
            times = self.clock.bounds(packet)
        ids = {ID: fact_ids(fact_texts(packet, self.clock.timeline))} if self.has_ids else {}
        return pa.record_batch({**arguments, **times, **ids})


QUARANTINE_FIELDS = "predicate string, row string, reason string"


def quarantine_batch(data: bytes, clock: Clock) -> pa.RecordBatch:
    """Facts that came too late, or rows that could not be facts: each as a text, with the reason."""
    header, (table,) = unpack(QUARANTINE, data)
    if "reason" not in header:
        rows, reasons = table.column("row"), table.column("reason")
    else:
        packet = Packet.of_table(header, table)
        rows = _facts(packet, clock)
        reasons = pa.array([header["reason"]] * len(packet), pa.string())
    names = pa.array([header["predicate"]] * len(rows), pa.string())
    return pa.record_batch({"predicate": names, "row": rows, "reason": reasons})


def _facts(packet: Packet, clock: Clock) -> pa.Array:
    """Facts as people write them: few, since they are late."""
    columns = [value_texts(column).to_pylist() for column in packet.columns]
    bounds = clock.bounds(packet)
    start, end = (_time_texts(bounds[name]) for name in ("start", "end"))
    left, right = bounds["start_closed"].to_pylist(), bounds["end_closed"].to_pylist()
    texts = []
    for row in range(len(packet)):
        arguments = ", ".join(column[row] for column in columns)
        first, last = start[row] or "-inf", end[row] or "inf"
        when = first if first == last else f"{'[' if left[row] else '('}{first}, {last}{']' if right[row] else ')'}"
        texts.append(f"{packet.predicate}({arguments}) @ {when}" if columns else f"{packet.predicate} @ {when}")
    return pa.array(texts, pa.string())


def _time_texts(times: pa.Array) -> list[str | None]:
    """Times as texts; timestamps of years with more than four digits as microseconds, since Arrow may not know them."""
    texts: list[str | None] = times.cast(pa.string()).to_pylist()
    if pa.types.is_timestamp(times.type):
        counts = times.cast(pa.int64()).to_pylist()
        far = (row for row, count in enumerate(counts) if count is not None and not _FIRST <= count < _AFTER)
        return texts if not (rows := {*far}) else [f"{c} us" if r in rows else texts[r] for r, c in enumerate(counts)]
    return texts


_FIRST, _AFTER = -62_135_596_800_000_000, 253_402_300_800_000_000
"""The beginnings of the years 1 and 10,000, in microseconds from 1970."""


@dataclass(frozen=True)
class OneQuery:
    """Unpacks the answers of a single query; everything else is left out."""

    query: str
    columns: AnswerColumns

    @property
    def spark(self) -> types.StructType:
        """The Spark schema."""
        return self.columns.spark

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For ``mapInArrow``."""
        with carried():
            for tag, name, payload in _rows(batches):
                if tag == ANSWERS and name == self.query:
                    yield self.columns.read(payload)


@dataclass(frozen=True)
class Quarantine:
    """Unpacks what was set aside."""

    clock: Clock

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For ``mapInArrow``."""
        for tag, _, payload in _rows(batches):
            if tag == QUARANTINE:
                yield quarantine_batch(payload, self.clock)


@dataclass(frozen=True)
class Tagged:
    """Unpacks everything, as rows with a tag: ``output`` names the column in which the row stands."""

    queries: Mapping[str, AnswerColumns]
    clock: Clock

    @property
    def spark(self) -> types.StructType:
        """The Spark schema: the tag, a column of structs for each query, and one for the quarantine."""
        schema = types.StructType().add("output", types.StringType())
        for name, columns in self.queries.items():
            schema.add(name, columns.spark)
        return schema.add(QUARANTINE, types.StructType.fromDDL(QUARANTINE_FIELDS))

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For ``mapInArrow``."""
        with carried():
            for tag, name, payload in _rows(batches):
                if tag == ANSWERS and name in self.queries:
                    yield self._tagged(name, self.queries[name].read(payload))
                elif tag == QUARANTINE:
                    yield self._tagged(QUARANTINE, quarantine_batch(payload, self.clock))

    def _tagged(self, output: str, rows: pa.RecordBatch) -> pa.RecordBatch:
        arrays = {"output": pa.array([output] * len(rows), pa.string())}
        for name in (*self.queries, QUARANTINE):
            kind = self._empty(name)
            arrays[name] = rows.to_struct_array() if name == output else pa.nulls(len(rows), kind)
        return pa.record_batch(arrays)

    def _empty(self, name: str) -> pa.DataType:
        if name == QUARANTINE:
            return pa.struct([(field, pa.string()) for field in ("predicate", "row", "reason")])
        return self.queries[name].arrow


def _rows(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, str, bytes]]:
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("tag", "name", "payload"))
        yield from zip(*columns, strict=True)
