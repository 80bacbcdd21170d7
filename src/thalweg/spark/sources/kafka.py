"""The data source ``thalweg-kafka``: Kafka topics, batch and streaming, in and out, through ``confluent-kafka``.

::

    spark.readStream.format("thalweg-kafka").option("kafka.bootstrap.servers", "host:9092").option("subscribe", "in")
    df.writeStream.format("thalweg-kafka").option("kafka.bootstrap.servers", "host:9092").option("topic", "out")

Columns and options are those of Spark's own connector, as far as they go: ``key binary, value binary, topic string,
partition int, offset long, timestamp timestamp``.

============================  ========================================================================================
``kafka.bootstrap.servers``   brokers; any other ``kafka.NAME`` is passed to librdkafka as ``NAME``
``timeoutSeconds``            how long to wait for brokers before giving up; 60 unless given
reading:
``subscribe``                 topics, with commas between them
``startingOffsets``           ``earliest``, ``latest`` or ``{"topic": {"0": 23, "1": -2}}``, where a stream without
                              checkpoint starts; unless given, ``latest`` for a stream and ``earliest`` for a batch
``maxOffsetsPerTrigger``      how many offsets a batch of a stream may take, over all partitions together; 1,000,000
                              unless given, and under ``availableNow`` all there are
``failOnDataLoss``            whether records that are gone before they are read are an error; ``true`` unless given
writing:
``topic``                     where to; otherwise each row names its topic in a column ``topic``
============================  ========================================================================================

A stream reads each offset once: where a batch starts and ends stands in Spark's checkpoint before it is read, nothing
is committed to Kafka, and a batch that is run again reads the same offsets. Records of open and aborted transactions
are left out unless ``kafka.isolation.level`` says otherwise. Partitions that a topic gains later are read from their
start. Writing takes the columns ``value`` and, optionally, ``key`` and ``topic``; how exact it is stands in
:mod:`thalweg.spark.sources.kafka_writer`.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)
from pyspark.sql.types import StructType

from thalweg.errors import UsageError
from thalweg.spark.sources.kafka_client import Connection, require_package
from thalweg.spark.sources.kafka_offsets import parse_starting
from thalweg.spark.sources.kafka_reader import KafkaBatchReader, KafkaStreamReader, ReadSettings
from thalweg.spark.sources.kafka_writer import KafkaBatchWriter, KafkaStreamWriter, WriteSettings
from thalweg.spark.sources.options import Options
from thalweg.spark.worker_errors import carried

NAME = "thalweg-kafka"

_COLUMNS = "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp"

_OPTIONS = (
    "kafka.bootstrap.servers",
    "timeoutSeconds",
    "subscribe",
    "startingOffsets",
    "maxOffsetsPerTrigger",
    "failOnDataLoss",
    "topic",
)

_OURS = {
    "auto.offset.reset": "use startingOffsets",
    "enable.auto.commit": "offsets are kept in Spark's checkpoint",
    "enable.auto.offset.store": "offsets are kept in Spark's checkpoint",
    "enable.partition.eof": "it decides when a batch is complete",
    "transactional.id": "records are written without transactions",
}
"""Settings of librdkafka that the source needs for itself."""


class KafkaSource(DataSource):
    """Kafka topics as a table."""

    @classmethod
    def name(cls) -> str:
        """The name for ``format(…)``."""
        return NAME

    def schema(self) -> str:
        """The columns; wrong options are found here, when the user names the source."""
        with carried():
            _read_settings(self.options, "latest")
            return _COLUMNS

    def reader(self, schema: StructType) -> DataSourceReader:
        """For ``spark.read``."""
        with carried():
            settings = _read_settings(self.options, "earliest")
            _refuse_schema(schema)
            if settings.starting == "latest":
                raise UsageError(f"{NAME}: the option startingOffsets cannot be latest when there is no stream")
            return KafkaBatchReader(settings)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802  # Spark's name
        """For ``spark.readStream``."""
        with carried():
            settings = _read_settings(self.options, "latest")
            _refuse_schema(schema)
            return KafkaStreamReader(settings)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """For ``df.write``."""
        with carried():
            if overwrite:
                raise UsageError(f'{NAME} cannot overwrite a topic\n    hint: write mode("append")')
            return KafkaBatchWriter(_write_settings(self.options), schema)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:  # noqa: N802  # Spark's name
        """For ``df.writeStream``."""
        with carried():
            return KafkaStreamWriter(_write_settings(self.options), schema)


def _read_settings(given: Mapping[str, str], starting: str) -> ReadSettings:
    options, connection = _common(given)
    options.required("subscribe", 'write option("subscribe", "TOPIC")')
    starting = (options.text("startingOffsets") or starting).strip()
    if starting.lower() in ("earliest", "latest"):
        starting = starting.lower()
    else:
        parse_starting(starting)
    return ReadSettings(
        connection=connection,
        topics=tuple(dict.fromkeys(options.names("subscribe"))),
        starting=starting,
        most_a_batch=options.positive("maxOffsetsPerTrigger"),
        fail_on_loss=options.boolean("failOnDataLoss", True),
    )


def _write_settings(given: Mapping[str, str]) -> WriteSettings:
    options, connection = _common(given)
    return WriteSettings(connection, options.text("topic"))


def _common(given: Mapping[str, str]) -> tuple[Options, Connection]:
    require_package()
    options = Options(NAME, given)
    options.refuse_unknown(_OPTIONS, prefix="kafka.")
    options.required("kafka.bootstrap.servers", 'write option("kafka.bootstrap.servers", "HOST:PORT")')
    passed_on = options.with_prefix("kafka.")
    for name, reason in _OURS.items():
        if name in passed_on:
            raise UsageError(f"{NAME}: the option kafka.{name} cannot be set\n    hint: {reason}")
    return options, Connection(passed_on, options.seconds("timeoutSeconds", 60.0))


def _refuse_schema(schema: StructType) -> None:
    found = ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in schema)
    if found != _COLUMNS:
        raise UsageError(f"{NAME} has columns of its own: {_COLUMNS}\n    hint: leave out schema(…)")
