"""Everything that a run reads, opened: fact files, Kafka topics, tables, and facts that are already here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlsplit

from pyspark.sql import DataFrame, SparkSession

from thalweg.engine.given import TOPIC, Given
from thalweg.engine.tables_file import FILE_FORMATS, TableSpec
from thalweg.errors import UsageError
from thalweg.model.program import Program
from thalweg.spark import sources
from thalweg.spark.bounds import DEFAULT_BOUNDS, Bounds
from thalweg.spark.broken_files import without_files
from thalweg.spark.failures import spark_errors
from thalweg.spark.inputs import ArgumentColumns
from thalweg.spark.paths import exact_path
from thalweg.spark.shipping import ship
from thalweg.spark.sources.fact_rows import rows_of, schema
from thalweg.spark.table_frames import open_table
from thalweg.spark.text_facts import facts_of_records
from thalweg.syntax.ast import Role


@dataclass(frozen=True)
class Opening:
    """How inputs are opened: as streams or not, with lines that cannot be read kept or refused."""

    spark: SparkSession
    program: Program
    is_streaming: bool
    keeps_problems: bool = False
    bounds: Bounds = DEFAULT_BOUNDS
    without: tuple[str, ...] = ()
    """The addresses of files to leave out of tables."""

    def inputs(self, given: Given, tables: Sequence[TableSpec]) -> dict[str, DataFrame]:
        """DataFrames by predicate, and by names that begin with ``*`` where they hold facts of any."""
        ship(self.spark)
        sources.register(self.spark)
        with spark_errors():
            facts = {f"*{number}": frame for number, frame in enumerate(self._facts(given), start=1)}
            opened = {
                spec.predicate: open_table(self.spark, spec, streaming=self.is_streaming, without=self.without)
                for spec in map(self._bounded, tables)
            }
            for predicate in dict.fromkeys(name for name, _ in given.tables if name in self.program.signatures):
                if predicate in opened:
                    raise UsageError(f"{predicate} has a table in the tables file, and one among the facts")
                paths = [exact_path(path) for name, path in given.tables if name == predicate]
                opened[predicate] = without_files(self.spark.read.parquet(*paths), self.without)
        return facts | opened or {"*": self._here(given)}

    def _bounded(self, spec: TableSpec) -> TableSpec:
        """A table of a stream with what a batch may take of it."""
        if not (self.is_streaming and spec.is_stream):
            return spec
        bounds: dict[str, str] = {}
        if spec.format in FILE_FORMATS and spec.format != "delta":
            bounds = self.bounds.of_files(spec.options)
        elif spec.format == "thalweg-kafka":
            bounds = self.bounds.of_topic(spec.options)
        elif spec.format == "kafka":
            bounds = self.bounds.of_sparks_topic(spec.options)
        elif spec.format == "thalweg-facts":
            bounds = self.bounds.of_facts()
        return replace(spec, options={**bounds, **spec.options})

    @property
    def _always(self) -> frozenset[str]:
        return frozenset(n for n, signature in self.program.signatures.items() if signature.role is Role.BACKGROUND)

    def _facts(self, given: Given) -> Iterator[DataFrame]:
        for path in given.texts:
            yield self._texts(path)
        for address in given.topics:
            yield self._topic(KafkaAddress.parse(address))
        if given.batches:
            yield self._here(given)

    def _texts(self, path: str) -> DataFrame:
        options = {"always": ",".join(sorted(self._always)), "mode": "keep" if self.keeps_problems else "fail"}
        if self.program.time_is_last:
            options["timeInLastArgument"] = "true"
        if self.is_streaming:
            options |= self.bounds.of_facts()
        reader = self.spark.readStream if self.is_streaming else self.spark.read
        # The workers of a session that runs already may have started in another folder.
        return reader.format("thalweg-facts").options(**options).load(path if "://" in path else os.path.abspath(path))

    def _topic(self, address: KafkaAddress) -> DataFrame:
        reader = self.spark.readStream if self.is_streaming else self.spark.read
        bounds = self.bounds.of_topic(address.options) if self.is_streaming else {}
        options = {"startingOffsets": "earliest", "subscribe": address.topic, **bounds, **address.options}
        records = reader.format("thalweg-kafka").options(**options).load()
        last = self.program.time_is_last
        return facts_of_records(records, self._always, keeps_problems=self.keeps_problems, time_is_last=last)

    def _here(self, given: Given) -> DataFrame:
        return self.spark.createDataFrame(rows_of(given.batches), schema(False))


def time_columns(tables: Sequence[TableSpec]) -> Mapping[str, Sequence[str]]:
    """The time columns that a tables file names."""
    return {spec.predicate: spec.time for spec in tables if spec.time is not None}


def argument_columns(tables: Sequence[TableSpec]) -> ArgumentColumns:
    """The argument columns that a tables file names."""
    return {spec.predicate: spec.columns for spec in tables if spec.columns is not None}


@dataclass(frozen=True)
class KafkaAddress:
    """``kafka://HOST:PORT/TOPIC``, with options after a question mark as ``NAME=VALUE&…``."""

    servers: str
    topic: str
    given: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, address: str) -> KafkaAddress:
        """The parts of an address."""
        parts = urlsplit(address)
        topic = parts.path.strip("/")
        if not address.startswith(TOPIC) or not parts.netloc or not topic or "/" in topic:
            raise UsageError(f"{address} is not the address of a Kafka topic\n    hint: write kafka://HOST:PORT/TOPIC")
        return cls(parts.netloc, topic, tuple(parse_qsl(parts.query)))

    @property
    def options(self) -> dict[str, str]:
        """The options of ``thalweg-kafka`` that it stands for."""
        return {"kafka.bootstrap.servers": self.servers, **dict(self.given)}
