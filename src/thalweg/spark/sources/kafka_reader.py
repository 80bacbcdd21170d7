"""Reading Kafka topics: batch from start to end, streaming from offset to offset."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from thalweg.errors import UsageError
from thalweg.spark.backlog import LEFT, RECORDS
from thalweg.spark.bounds import ROWS_A_BATCH
from thalweg.spark.sources.kafka_client import Cluster, Connection
from thalweg.spark.sources.kafka_offsets import (
    EARLIEST,
    LATEST,
    Offsets,
    Partition,
    from_json,
    limited,
    parse_starting,
    to_json,
)
from thalweg.spark.worker_errors import carried

SCHEMA = pa.schema(
    [
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("us", "UTC")),
    ]
)

_MOST_ROWS = 10_000
_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class ReadSettings:
    """What a user asked a reader for."""

    connection: Connection
    topics: tuple[str, ...]
    starting: str
    most_a_batch: int | None
    fail_on_loss: bool


@dataclass(frozen=True)
class KafkaRange(InputPartition):
    """The offsets [start, end) of one partition, read by one task."""

    topic: str
    partition: int
    start: int
    end: int


class _KafkaReader:
    """What the readers have in common."""

    def __init__(self, settings: ReadSettings) -> None:
        self.settings = settings
        self._cluster: Cluster | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A reader travels to the workers; the connection of the driver does not."""
        return {**self.__dict__, "_cluster": None}

    @property
    def cluster(self) -> Cluster:
        """The connection of the driver, made when it is first needed."""
        if self._cluster is None:
            self._cluster = Cluster(self.settings.connection)
        return self._cluster

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of a task."""
        with carried():
            if isinstance(partition, KafkaRange):  # Spark invents an empty partition where there are none
                yield from _read(partition, self.settings)

    def _latest(self) -> Offsets:
        return self.cluster.latest(self.cluster.partitions(self.settings.topics))

    def _starting(self, latest: Offsets) -> Offsets:
        """Where the user wants to start, given the ends there are now."""
        if self.settings.starting == "earliest":
            return self.cluster.earliest(latest)
        if self.settings.starting == "latest":
            return latest
        given = parse_starting(self.settings.starting)
        _check_partitions(given, latest)
        earliest = self.cluster.earliest(key for key, offset in given.items() if offset == EARLIEST)
        return {**given, **earliest, **{key: latest[key] for key, offset in given.items() if offset == LATEST}}

    def _ranges(self, start: Offsets, end: Offsets) -> list[InputPartition]:
        """The tasks between two offsets, once it is sure that the records are still there."""
        earliest, latest = self.cluster.earliest(end), self.cluster.latest(end)
        ranges: list[InputPartition] = []
        for key in sorted(end):
            first, last = start.get(key, 0), end[key]
            if not self.settings.fail_on_loss:
                # A topic that was made anew has smaller offsets, all of them new.
                first = max(earliest[key], first if first <= last else 0)
                last = min(latest[key], last)
            elif first < last and (first < earliest[key] or last > latest[key]):
                raise _lost(key, f"[{first}, {last})", f"has [{earliest[key]}, {latest[key]})")
            if first < last:
                ranges.append(KafkaRange(*key, first, last))
        return ranges


class KafkaBatchReader(_KafkaReader, DataSourceReader):
    """All records from the starting offsets to the ends that the topics have now."""

    def partitions(self) -> list[InputPartition]:
        """One task for each partition of a topic."""
        with carried():
            latest = self._latest()
            return self._ranges(self._starting(latest), latest)


class KafkaStreamReader(_KafkaReader, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Records as they come.

    An offset is ``{"from": {"topic": {"0": 17}}, "to": {"topic": {"0": 23}}}``. It has both ends of its batch because
    Spark does not keep the initial offset: it asks for it again when it plans the first batch, and whenever that batch
    must be run again, and by then the answer may have changed. So the initial offset is empty, and the first batch
    writes down where the query really started.
    """

    def __init__(self, settings: ReadSettings) -> None:
        super().__init__(settings)
        self._target: Offsets | None = None
        """Under ``availableNow``: the ends when the query started."""

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  # Spark's name
        """Not yet known."""
        return {"from": {}, "to": {}}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802  # Spark's name
        """As many records as the option says."""
        return ReadMaxRows(self.settings.most_a_batch or ROWS_A_BATCH)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802  # Spark's name
        """Remember the ends that the topics have now."""
        with carried():
            self._target = self._latest()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802  # Spark's name
        """The next batch: from where the last one ended to where the topics end, or less if there is a limit."""
        with carried():
            latest = self._latest() if self._target is None else self._target
            begin = from_json(start["to"]) or self._starting(latest)
            if self.settings.fail_on_loss:
                _refuse_loss(begin, latest)
            end = limited(begin, latest, limit.max_rows) if self._is_bounded(limit) else latest
            if to_json(end) == start["to"]:
                return start
            left = {} if end == latest else {LEFT: {RECORDS: sum(latest.values()) - sum(end.values())}}
            return {"from": to_json(begin), "to": to_json(end), **left}

    def _is_bounded(self, limit: ReadLimit) -> TypeGuard[ReadMaxRows]:
        """Whether a batch may take no more than a limit; under ``availableNow`` only if somebody said so."""
        is_asked_for = self._target is None or self.settings.most_a_batch is not None
        return isinstance(limit, ReadMaxRows) and is_asked_for

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """One task for each partition of a topic that has new records; a new partition is read from its start."""
        with carried():
            return [] if start == end else self._ranges(from_json(end["from"]), from_json(end["to"]))

    def stop(self) -> None:
        """Leave the cluster."""
        if self._cluster is not None:
            self._cluster.close()


def _read(part: KafkaRange, settings: ReadSettings) -> Iterator[pa.RecordBatch]:
    """The records of a range. Some offsets hold none: markers of transactions, and what compaction removed."""
    from confluent_kafka import TopicPartition

    reset = "error" if settings.fail_on_loss else "earliest"
    consumer = settings.connection.consumer(**{"enable.partition.eof": True, "auto.offset.reset": reset})
    try:
        consumer.assign([TopicPartition(part.topic, part.partition, part.start)])
        position = part.start
        patience = time.monotonic() + settings.connection.timeout
        while position < part.end:
            messages = consumer.consume(min(_MOST_ROWS, part.end - position), _POLL_SECONDS)
            records, reached = _sort_out(messages, part, settings, position)
            if records:
                yield _to_batch(records, part)
            if reached > position:
                position, patience = reached, time.monotonic() + settings.connection.timeout
            elif time.monotonic() > patience:
                raise _stuck(part, position, settings.connection.timeout)
    finally:
        consumer.close()


def _sort_out(
    messages: Sequence[Any], part: KafkaRange, settings: ReadSettings, position: int
) -> tuple[list[Any], int]:
    """The records of the range among some messages, and the offset reached."""
    from confluent_kafka import KafkaError

    records = []
    for message in messages:
        error = message.error()
        if error is None:
            position = min(part.end, message.offset() + 1)
            records += [message] if message.offset() < part.end else []
        elif error.code() == KafkaError._PARTITION_EOF:
            if message.offset() >= part.end or not settings.fail_on_loss:
                position = part.end
        elif error.code() in (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE):
            raise _lost((part.topic, part.partition), f"[{part.start}, {part.end})", f"has nothing at {position}")
        elif error.code() not in (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._TIMED_OUT):
            raise settings.connection.error(error)
    return records, position


def _to_batch(records: Sequence[Any], part: KafkaRange) -> pa.RecordBatch:
    rows = len(records)
    # The first part of a timestamp says what kind it is; 0 is none.
    times = [millis * 1000 if kind else None for kind, millis in (record.timestamp() for record in records)]
    columns = [
        pa.array([record.key() for record in records], pa.binary()),
        pa.array([record.value() for record in records], pa.binary()),
        pa.repeat(part.topic, rows),
        pa.repeat(pa.scalar(part.partition, pa.int32()), rows),
        pa.array([record.offset() for record in records], pa.int64()),
        pa.array(times, SCHEMA.field("timestamp").type),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _check_partitions(given: Offsets, existing: Offsets) -> None:
    """Starting offsets name all partitions and no others."""
    for wrong, what in ((set(existing) - set(given), "lacks"), (set(given) - set(existing), "has")):
        if wrong:
            topic, number = min(wrong)
            hint = "name the partitions that exist, each of them"
            raise UsageError(
                f"thalweg-kafka: the option startingOffsets {what} partition {number} of {topic}\n    hint: {hint}"
            )


def _refuse_loss(begin: Offsets, latest: Offsets) -> None:
    """That a partition vanished or became shorter means that records are gone."""
    for key, offset in begin.items():
        if key not in latest:
            raise _lost(key, f"from {offset}", "is gone")
        if latest[key] < offset:
            raise _lost(key, f"from {offset}", f"ends at {latest[key]}")


def _lost(key: Partition, wanted: str, found: str) -> UsageError:
    topic, number = key
    return UsageError(
        f"records of the Kafka topic {topic} are gone: partition {number} should be read {wanted}, but it {found}\n"
        '    hint: option("failOnDataLoss", "false") goes on without them'
    )


def _stuck(part: KafkaRange, position: int, seconds: float) -> UsageError:
    return UsageError(
        f"Kafka sent nothing for {seconds:g} s: partition {part.partition} of {part.topic} is to be read up to "
        f"{part.end} and is read up to {position}\n    hint: check the brokers, or raise the option timeoutSeconds"
    )
