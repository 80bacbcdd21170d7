"""Where the answers of a stream go: one function for ``foreachBatch`` that takes packed rows apart.

A streaming query has one sink, so the answers of all queries, what was set aside and what shards report arrive
together. A batch that is run again after a failure has the same number and the same rows; a folder then has its parts
replaced, a topic has them twice, with the batch in a header.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, types
from pyspark.sql import functions as F  # noqa: N812  # what everybody calls it

from thalweg.engine.divisions import Divisions, added_up
from thalweg.errors import Diagnostic, ThalwegError, did_you_mean
from thalweg.record.evidence_writer import EvidenceWriter
from thalweg.record.files import batch_name, file_names
from thalweg.spark.answers import QUARANTINE_FIELDS, OneQuery, Quarantine
from thalweg.spark.aside_table import AsideTable
from thalweg.spark.batch_files import BatchFiles
from thalweg.spark.batch_report import BatchReport
from thalweg.spark.collect import SetAside, set_aside, unused_predicates
from thalweg.spark.evidence import keep_batch
from thalweg.spark.fact_inputs import KafkaAddress
from thalweg.spark.failures import spark_errors
from thalweg.spark.line_writer import line_writer
from thalweg.spark.paths import Folder
from thalweg.spark.reasoning import Reasoning
from thalweg.spark.sources.kafka_client import require_package
from thalweg.spark.transport import (
    ANSWERS,
    PROGRESS,
    QUARANTINE,
    SCHEMA,
    UNUSED,
    Row,
    quarantined_facts,
    record_batch,
)
from thalweg.spark.worker_errors import encode_error

FOLDER_FORMATS = ("parquet", "json", "csv", "facts")
LINE_FORMATS = ("facts", "json")

_MOST_SHOWN = 10
_EXACT_TIMES = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
"""Texts of timestamps have milliseconds unless one asks for more."""


class Stopped(Exception):  # noqa: N818  # it is no error
    """The run is to stop, so no batch may begin."""


Say = Callable[[str], None]
"""Takes a line, or a few, for a person to read."""


class Sink(ABC):
    """Takes the batches of a run.

    ``warn`` takes warnings; ``on_batch`` hears of every batch that is written; ``count_set_aside`` counts what was set
    aside in this run, and ``aside`` keeps it where there is no folder for answers. ``files`` knows the files that are
    left out, ``problems`` are those of facts that were read before the stream began, ``number`` is that of the last
    batch. ``failure`` is what went wrong, for whoever waits for the query, since on its way through Spark an exception
    becomes a long text.
    """

    def __init__(self, planned: Reasoning, warn: Say) -> None:
        self.planned = planned
        self.warn = warn
        self.on_batch: Callable[[BatchReport], None] = lambda report: None
        self.files: BatchFiles | None = None
        self.problems: Sequence[Diagnostic] = ()
        self.number = 0
        self.stopping = threading.Event()
        self.failure: ThalwegError | BrokenPipeError | None = None
        self.count_set_aside = 0
        self.aside: AsideTable | None = None
        self.divisions: Divisions = {}
        self._mentioned: set[str] = set()

    def __call__(self, rows: DataFrame, number: int) -> None:
        """For ``foreachBatch``."""
        if self.stopping.is_set():
            raise Stopped
        self.number = number
        begun, before = time.monotonic(), self.count_set_aside
        try:
            with spark_errors():
                told = self.write(self._with_aside(rows, number), number)
        except ThalwegError as error:
            self.failure = error
            raise encode_error(error) from None
        except BrokenPipeError as error:
            self.failure = error
            raise
        self._mention(unused_predicates(told))
        report = BatchReport.of(number, told, time.monotonic() - begun, self.count_set_aside - before)
        self.divisions = added_up((self.divisions, report.divisions))
        self.on_batch(report)

    def _with_aside(self, rows: DataFrame, number: int) -> DataFrame:
        """The rows of a batch, with what was set aside before they were read: files, and rows of the background."""
        found = [file.diagnostic for file in self.files.of_batch(number)] if self.files is not None else []
        found += self.problems if number == 0 else ()
        if found:
            row = Row(0, QUARANTINE, None, quarantined_facts(found))
            rows = rows.unionAll(
                rows.sparkSession.createDataFrame(pa.Table.from_batches([record_batch([row])]), SCHEMA)
            )
        background = self.planned.background_aside if number == 0 else None
        return rows if background is None else rows.unionAll(background)

    @abstractmethod
    def write(self, rows: DataFrame, number: int) -> Sequence[Any]:
        """Write a batch; returns at least its rows with the tags ``progress`` and ``unused``."""

    def _mention(self, predicates: Sequence[str]) -> None:
        """Say once of each predicate that its facts play no part."""
        for name in predicates:
            if name not in self._mentioned:
                self._mentioned.add(name)
                hint = did_you_mean(name, self.planned.program.predicates)
                self._warn("W401", f"no rule mentions {name}: its facts play no part", hint)

    def _warn(self, code: str, message: str, hint: str | None = None) -> None:
        self.warn(Diagnostic(code, None, message, hint).render())

    def _warn_of(self, rows: Sequence[SetAside], number: int) -> None:
        """Say what was set aside, and how many there are: the first few where all are kept in a table, or all."""
        self.count_set_aside += len(rows)
        if self.aside is not None:
            self.aside.write(rows, number)
        shown = len(rows) if self.aside is None else _MOST_SHOWN
        for row in rows[:shown]:
            if row.predicate is None:
                self.warn(row.reason)
            else:
                self._warn("W402", f"set aside: {row.row}: {row.reason}")
        if self.aside is not None and len(rows) > shown:
            self._warn("W402", f"set aside: {len(rows) - shown} more, in {self.aside.shown}")

    def _queries(self, present: Sequence[Any]) -> list[str]:
        names = {row.name for row in present if row.tag == ANSWERS}
        return [name for name in self.planned.queries if name in names]

    def _answers(self, rows: DataFrame, query: str) -> DataFrame:
        columns = self.planned.columns[query]
        packed = rows.where((F.col("tag") == ANSWERS) & (F.col("name") == query))
        return packed.mapInArrow(OneQuery(query, columns), columns.spark)

    def _set_aside(self, rows: DataFrame) -> DataFrame:
        packed = rows.where(F.col("tag") == QUARANTINE)
        return packed.mapInArrow(Quarantine(self.planned.clock), QUARANTINE_FIELDS)


class TerminalSink(Sink):
    """Shows answers as they come, and what was set aside as warnings."""

    def __init__(self, planned: Reasoning, warn: Say, show: Say, format_: str) -> None:
        super().__init__(planned, warn)
        self._show = show
        self._writer = line_writer(planned, format_)

    def write(self, rows: DataFrame, number: int) -> Sequence[Any]:
        """Show a batch."""
        told = rows.collect()
        lines = self._writer.lines([bytes(row.payload) for row in told if row.tag == ANSWERS])
        if lines:
            self._show("\n".join(lines))
        self._warn_of(set_aside(told, self.planned.clock), number)
        return told


class FolderSink(Sink):
    """Writes ``FOLDER/QUERY/batch=000012`` for every query that has answers, and ``FOLDER/quarantine`` likewise.

    The parts of a batch are written under hidden names and then put in place, so that readers see them whole.
    ``evidence`` keeps the facts of a batch, before its answers are seen.
    """

    def __init__(
        self, planned: Reasoning, warn: Say, folder: Folder, format_: str, evidence: EvidenceWriter | None = None
    ) -> None:
        super().__init__(planned, warn)
        self._folder, self._format, self._evidence = folder, format_, evidence
        self._names = file_names(planned.queries)

    def write(self, rows: DataFrame, number: int) -> Sequence[Any]:
        """Write a batch; what an earlier try left of it is replaced."""
        rows = rows.persist()
        try:
            told = _told(rows)
            if self._evidence is not None:
                keep_batch(self._evidence, rows, told, number, self.planned.program.timeline)
            written = {self._names[query]: self._answers_as_written(rows, query) for query in self._queries(told)}
            if any(row.tag == QUARANTINE for row in told):
                written[QUARANTINE] = self._set_aside(rows)
                self.count_set_aside += written[QUARANTINE].count()
            for name, frame in written.items():
                self._save(frame, name, self._folder.below(f"{name}/{_hidden(number)}"))
            for name in (*self._names.values(), QUARANTINE):
                if name in written:
                    self._folder.replace(f"{name}/{batch_name(number)}", f"{name}/{_hidden(number)}")
                else:
                    self._folder.remove(f"{name}/{batch_name(number)}")
        finally:
            rows.unpersist()
        return told

    def _answers_as_written(self, rows: DataFrame, query: str) -> DataFrame:
        if self._format != "facts":
            return self._answers(rows, query)
        writer = line_writer(self.planned, "facts")
        return rows.where((F.col("tag") == ANSWERS) & (F.col("name") == query)).mapInArrow(writer, "value string")

    def _save(self, frame: DataFrame, name: str, path: str) -> None:
        saving = (_flat(frame) if self._format == "csv" else frame).write.mode("overwrite").options(**_EXACT_TIMES)
        if self._format == "facts" and name != QUARANTINE:
            saving.text(path)
        elif self._format in ("parquet", "csv"):
            saving.format(self._format).option("header", "true").save(path)
        else:
            saving.option("ignoreNullFields", "false").json(path)


class KafkaSink(Sink):
    """Writes answers to a topic, a record each; of what was set aside there are warnings."""

    def __init__(self, planned: Reasoning, warn: Say, address: KafkaAddress, format_: str) -> None:
        super().__init__(planned, warn)
        require_package()
        self._address = address
        self._writer = line_writer(planned, format_)

    def write(self, rows: DataFrame, number: int) -> Sequence[Any]:
        """Write a batch."""
        rows = rows.persist()
        try:
            told = _told(rows)
            if self._queries(told):
                lines = rows.mapInArrow(self._writer, "value string")
                options = {**self._address.options, "topic": self._address.topic}
                lines.write.format("thalweg-kafka").options(**options).mode("append").save()
            if any(row.tag == QUARANTINE for row in told):
                self._warn_of([SetAside(**row.asDict()) for row in self._set_aside(rows).collect()], number)
        finally:
            rows.unpersist()
        return told


def _flat(frame: DataFrame) -> DataFrame:
    """Lists as JSON, for a format that has none."""
    lists = {field.name for field in frame.schema if isinstance(field.dataType, types.ArrayType)}
    return frame.withColumns({name: F.to_json(F.col(f"`{name}`"), _EXACT_TIMES) for name in lists}) if lists else frame


def _told(rows: DataFrame) -> Sequence[Any]:
    """The tags and names of all rows, and what shards report: small, and reading it computes the batch once."""
    small = F.when(F.col("tag").isin(PROGRESS, UNUSED), F.col("payload"))
    return rows.select("tag", "name", small.alias("payload")).collect()


def _hidden(number: int) -> str:
    return f"_writing-{number:06}"
