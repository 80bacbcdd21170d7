"""The facts that came in, from the shards to the folder in which they are kept for explanations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # what everybody calls it

from thalweg.engine.fact_texts import fact_texts
from thalweg.engine.packing import pack_batch
from thalweg.engine.shard import Answers
from thalweg.errors import UsageError
from thalweg.model.program import Program
from thalweg.record.evidence import KeptFacts
from thalweg.record.evidence_writer import EvidenceWriter
from thalweg.spark.fact_frames import fact_batches
from thalweg.spark.failures import spark_errors
from thalweg.spark.packers import in_large_pieces, readable
from thalweg.spark.reasoning import Reasoning
from thalweg.spark.tables import TableReader
from thalweg.spark.transport import EVIDENCE
from thalweg.spark.worker_errors import carried
from thalweg.time.interval import Endpoint
from thalweg.time.timeline import Timeline

_COLUMN = "value"
_SCHEMA = f"{_COLUMN} string"


def keep_batch(writer: EvidenceWriter, rows: DataFrame, told: Sequence[Any], number: int, timeline: Timeline) -> None:
    """Keep the facts of a batch; of one that is larger than all that may be kept, only until when it holds."""
    parts = [_Summary.of(row.name) for row in told if row.tag == EVIDENCE]
    until = max((part.until for part in parts), default=-math.inf)
    if sum(part.count for part in parts) > writer.bound:
        writer.lose(math.inf if any(part.is_endless for part in parts) else until)
        writer.keep(number, KeptFacts(()))
        return
    packed = rows.where(F.col("tag") == EVIDENCE)
    lines = _collected(packed.mapInArrow(_Texts(timeline), _SCHEMA)) if parts else []
    writer.keep(number, KeptFacts(lines, until))


def keep_background(writer: EvidenceWriter, planned: Reasoning) -> None:
    """Keep what is known before the stream begins: all static tables, which must not be larger than the bound."""
    lines: list[str] = []
    for each in planned.inputs:
        if not each.is_streaming:
            texts: _FactTexts | _TableTexts = _FactTexts(planned.program)
            if each.table is not None:
                texts = _TableTexts(planned.reader(each.table))
            with spark_errors():
                lines += _collected(each.columns.mapInArrow(texts, _SCHEMA).limit(writer.bound + 1))
    if len(lines) > writer.bound:
        raise UsageError(f"the static tables have more than {writer.bound:,} facts: --explain cannot keep them")
    writer.background(KeptFacts(lines))


@dataclass(frozen=True)
class _Texts:
    """Packed facts as lines."""

    timeline: Timeline

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for payload in batch.column("payload").to_pylist():
                yield _lines(fact_texts(Answers.of_bytes(payload).packet, self.timeline))


@dataclass(frozen=True)
class _TableTexts:
    """The rows of a table as lines; those that cannot be facts are left out."""

    reader: TableReader

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with carried():
            for rows in in_large_pieces(batches):
                packet, _ = self.reader.read(rows)
                yield _lines(fact_texts(packet, self.reader.timeline))


@dataclass(frozen=True)
class _FactTexts:
    """Rows of facts of any predicate as lines."""

    program: Program

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with carried():
            for rows in in_large_pieces(batches):
                facts, _ = readable(rows)
                for batch in fact_batches(facts):
                    yield _lines(fact_texts(pack_batch(batch, self.program), self.program.timeline))


def _lines(texts: pa.Array) -> pa.RecordBatch:
    return pa.record_batch({_COLUMN: texts})


def _collected(lines: DataFrame) -> list[str]:
    found: Iterable[Any] = lines.toArrow().column(_COLUMN).to_pylist()
    return [str(line) for line in found]


@dataclass(frozen=True)
class _Summary:
    """What shards say of packed facts."""

    count: int
    until: Endpoint
    is_endless: bool

    @classmethod
    def of(cls, text: str) -> _Summary:
        count, until, endless = text.split(" ")
        return cls(int(count), float(until) if until.endswith("inf") else Fraction(until), bool(endless))
