"""Writing rows to Kafka topics: at least once, with the batch in a header.

A batch that is run again after a failure is written again, so some of its records may be there twice. Transactions
could prevent that for readers that skip open and aborted ones, if each task committed its records and the number of
the batch in one transaction. But librdkafka's mock cluster, against which this is tested, accepts transactions without
keeping offsets committed in them and without turning away a producer that was replaced, so such a promise could not
be checked. Instead every record has the header ``thalweg-batch``, ``QUERY/BATCH``: records with one header, key and
value are copies. Where the values are facts, nothing needs to be done: a fact that is read twice is the same fact.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from thalweg.errors import UsageError
from thalweg.spark.sources.kafka_client import Connection
from thalweg.spark.worker_errors import carried

HEADER = "thalweg-batch"

_COLUMNS = {"value": ("string", "binary"), "key": ("string", "binary"), "topic": ("string",)}


@dataclass(frozen=True)
class WriteSettings:
    """What a user asked a writer for."""

    connection: Connection
    topic: str | None
    """None: each row names its own in the column ``topic``."""
    writer: str = field(default_factory=lambda: str(uuid.uuid4()))
    """The name in the header when there is no streaming query."""


class _KafkaWriter:
    """What the writers have in common."""

    def __init__(self, settings: WriteSettings, schema: StructType) -> None:
        _check_columns(schema, settings.topic)
        self.settings = settings

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write the rows of one task and wait until the brokers have them."""
        with carried():
            sending = _Sending(self.settings)
            for batch in iterator:
                with self.settings.connection.errors():
                    sending.send(batch)
            sending.finish()
            return WriterCommitMessage()


class KafkaBatchWriter(_KafkaWriter, DataSourceArrowWriter):
    """For ``df.write``."""


class KafkaStreamWriter(_KafkaWriter, DataSourceStreamArrowWriter):
    """For ``df.writeStream``."""


class _Sending:
    """The records of one task on their way."""

    def __init__(self, settings: WriteSettings) -> None:
        self._settings = settings
        self._producer = settings.connection.producer()
        self._headers: list[tuple[str, str | bytes | None]] = [(HEADER, _batch_name(settings.writer).encode())]
        self._error: Any = None

    def send(self, batch: pa.RecordBatch) -> None:
        """Hand rows to the producer."""
        columns = {name: column.to_pylist() for name, column in zip(batch.schema.names, batch.columns, strict=True)}
        nothing = [None] * batch.num_rows
        topics = [self._settings.topic] * batch.num_rows if self._settings.topic else columns["topic"]
        for topic, key, value in zip(topics, columns.get("key", nothing), columns["value"], strict=True):
            if topic is None:
                raise UsageError("thalweg-kafka: the column topic is null in a row\n    hint: give every row a topic")
            self._produce(topic, key, value)

    def finish(self) -> None:
        """Wait until the brokers have everything."""
        # The producer gives each record up after its timeout, so this ends.
        while self._producer.flush(1.0) and self._error is None:
            pass
        self._refuse_failure()

    def _produce(self, topic: str, key: Any, value: Any) -> None:
        while True:
            try:
                self._producer.produce(topic, value, key, headers=self._headers, on_delivery=self._delivered)
            except BufferError:
                self._producer.poll(0.1)
            else:
                break
            self._refuse_failure()
        self._producer.poll(0)

    def _delivered(self, error: Any, message: Any) -> None:
        self._error = self._error or error

    def _refuse_failure(self) -> None:
        if self._error is not None:
            raise self._settings.connection.error(self._error)


def _batch_name(writer: str) -> str:
    """Query and batch; Spark tells tasks of a streaming query both, though not through the interface of writers."""
    context = TaskContext.get()
    query = context and context.getLocalProperty("sql.streaming.queryId")
    batch = context and context.getLocalProperty("streaming.sql.batchId")
    return f"{query}/{batch}" if query and batch else f"{writer}/0"


def _check_columns(schema: StructType, topic: str | None) -> None:
    kinds = {column.name: column.dataType.simpleString() for column in schema}
    for name, kind in kinds.items():
        if name not in _COLUMNS:
            hint = "select value and, if need be, key and topic"
            raise UsageError(f"thalweg-kafka cannot write a column {name}\n    hint: {hint}")
        if kind not in _COLUMNS[name]:
            raise UsageError(f"thalweg-kafka: the column {name} must be {' or '.join(_COLUMNS[name])}, not {kind}")
    if "value" not in kinds:
        raise UsageError("thalweg-kafka writes the column value, and there is none")
    if topic is None and "topic" not in kinds:
        raise UsageError("thalweg-kafka needs the option topic, or a column topic, to write to")
