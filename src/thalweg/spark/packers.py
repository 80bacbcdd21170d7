"""What tasks do before the first shuffle: read rows as columns, and pack them into one parcel a shard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from thalweg.engine.fit import fit
from thalweg.engine.packets import Packet
from thalweg.engine.packing import pack_batch, parcels
from thalweg.engine.parcels import Parcel
from thalweg.engine.pipeline import Pipeline
from thalweg.errors import BadFactsError, Diagnostic
from thalweg.spark.fact_frames import fact_batches
from thalweg.spark.tables import BadRows, TableReader, raise_bad
from thalweg.spark.transport import (
    PARCEL,
    QUARANTINE,
    UNUSED,
    Row,
    quarantined_facts,
    quarantined_lines,
    quarantined_rows,
    record_batch,
)
from thalweg.spark.worker_errors import carried
from thalweg.spark.worker_memory import keep_memory
from thalweg.syntax.fact_batch import FactBatch

_ROWS_A_PARCEL = 1_000_000
"""So many rows are packed at once: enough for columns to pay, few enough for memory."""


@dataclass(frozen=True)
class Addresses:
    """Where parcels go: the shards of a stage, by the numbers that Spark groups by."""

    pipeline: Pipeline
    ids: Sequence[int]

    def rows(self, packets: Sequence[Packet], count: int, *, is_final: bool = False) -> list[Row]:
        """A parcel for every shard of the first stage."""
        sent = parcels(self.pipeline, packets, rows=count, is_final=is_final)
        return [Row(number, PARCEL, None, box.to_bytes()) for number, box in zip(self.ids, sent, strict=True)]


@dataclass(frozen=True)
class BackgroundAddresses:
    """Where background goes: to the shards of one stage, before the stream begins."""

    pipeline: Pipeline
    stage: int
    ids: Sequence[int]

    def rows(self, packets: Sequence[Packet], count: int) -> list[Row]:
        """A parcel for every shard of the stage."""
        mine = [part for packet in packets for part in self.pipeline.inputs(packet) if part.stage == self.stage]
        routed = self.pipeline.route(mine, self.stage - 1)
        newest = self.pipeline.newest(mine)
        boxes = (Parcel(tuple(part), newest).to_bytes() for part in routed)
        return [Row(number, PARCEL, None, box) for number, box in zip(self.ids, boxes, strict=True)]


@dataclass(frozen=True)
class TablePacker:
    """Packs the rows of one table."""

    reader: TableReader
    addresses: Addresses | BackgroundAddresses
    keeps_bad_rows: bool = False

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For ``mapInArrow``."""
        with carried():
            for rows in in_large_pieces(batches):
                packet, bad = self.reader.read(rows)
                sent = self.addresses.rows([packet], len(rows))
                yield record_batch([*sent, *self._set_aside(bad)])

    def _set_aside(self, bad: BadRows | None) -> list[Row]:
        if bad is None:
            return []
        if not self.keeps_bad_rows:
            raise_bad(bad)
        return [Row(self.addresses.ids[0], QUARANTINE, bad.predicate, quarantined_rows(bad))]


@dataclass(frozen=True)
class FactPacker:
    """Packs rows of facts of any predicate; those that do not fit the program are kept apart, or refused."""

    addresses: Addresses | BackgroundAddresses
    keeps_bad_rows: bool = False

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For ``mapInArrow``."""
        program = self.addresses.pipeline.program
        with carried():
            for rows in in_large_pieces(batches):
                lines, bad = readable(rows)
                facts, problems = fit(program, fact_batches(lines, numbered=True))
                misfits = self._misfits(problems, lines)
                packets = [pack_batch(batch, program) for batch in facts]
                sent = self.addresses.rows(packets, len(rows))
                yield record_batch([*sent, *self._set_aside(bad), *misfits, *self._unused(facts)])

    def _misfits(self, problems: Sequence[Diagnostic], lines: pa.Table) -> list[Row]:
        """Facts that do not fit the program: refused, or as a row."""
        placed = [replace(problem, place=_place(lines, problem)) for problem in problems]
        if placed and not self.keeps_bad_rows:
            raise BadFactsError(placed)
        return [Row(self.addresses.ids[0], QUARANTINE, None, quarantined_facts(placed))] if placed else []

    def _set_aside(self, bad: pa.Table | None) -> list[Row]:
        """Lines that could not be read, which whoever read them decided to keep."""
        return [] if bad is None else [Row(self.addresses.ids[0], QUARANTINE, None, quarantined_lines(bad))]

    def _unused(self, facts: Sequence[FactBatch]) -> list[Row]:
        known = self.addresses.pipeline.program.signatures
        names = dict.fromkeys(batch.predicate for batch in facts if batch.predicate not in known)
        return [Row(self.addresses.ids[0], UNUSED, name, b"") for name in names]


@dataclass(frozen=True)
class FinalPacker:
    """Tells every shard that no fact follows, when a row comes."""

    addresses: Addresses

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For ``mapInArrow``."""
        if any(len(batch) for batch in batches):
            yield record_batch(self.addresses.rows([], 0, is_final=True))


def _place(lines: pa.Table, problem: Diagnostic) -> str:
    """Where the fact stands that has the number at the end of the place."""
    row = int((problem.place or "").rpartition(":")[2])
    if "source" not in lines.column_names or "line" not in lines.column_names:
        return f"facts:{row + 1}"
    return f"{lines.column('source')[row].as_py() or 'facts'}:{lines.column('line')[row].as_py()}"


def readable(rows: pa.Table) -> tuple[pa.Table, pa.Table | None]:
    """The rows that are facts, and those for lines that could not be read."""
    if "problem" not in rows.column_names:
        return rows, None
    is_bad = rows.column("problem").is_valid()
    bad = rows.filter(is_bad)
    return (rows.filter(pc.invert(is_bad)), bad) if len(bad) else (rows, None)


def in_large_pieces(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The batches put together as far as memory should go."""
    keep_memory()
    held: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        if len(batch):
            held.append(batch)
            count += len(batch)
        if count >= _ROWS_A_PARCEL:
            yield pa.Table.from_batches(held)
            held, count = [], 0
    if held:
        yield pa.Table.from_batches(held)
