"""What the Kafka source asks of ``confluent-kafka``, and its mistakes as errors for the user."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thalweg.errors import UsageError, did_you_mean
from thalweg.spark.sources.kafka_offsets import EARLIEST, LATEST, Offsets, Partition

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Producer

_METADATA_SECONDS = 1.0
"""How old knowledge of topics may be: an idle stream asks for offsets many times a second."""


@dataclass(frozen=True)
class Connection:
    """How to reach a cluster: what the user gave as ``kafka.*``."""

    given: dict[str, str] = field(repr=False)  # passwords are among them
    timeout: float

    def consumer(self, **settings: Any) -> Consumer:
        """A consumer that reads where it is told to and commits nothing."""
        defaults = {"group.id": "thalweg", "fetch.wait.max.ms": 100, "log_level": 2}
        fixed = {"enable.auto.commit": False, "enable.auto.offset.store": False, **settings}
        with self.errors():
            consumer: Consumer = _package().Consumer({**defaults, **self.given, **fixed})
        return consumer

    def producer(self) -> Producer:
        """A producer that neither loses nor repeats what it sends, as long as it lives."""
        defaults = {
            "enable.idempotence": True,
            "partitioner": "murmur2_random",  # what other clients of Kafka use
            "message.timeout.ms": int(self.timeout * 1000),
            "log_level": 2,
        }
        with self.errors():
            producer: Producer = _package().Producer({**defaults, **self.given})
        return producer

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what Kafka refuses into errors for the user."""
        kafka = _package()
        try:
            yield
        except kafka.KafkaException as error:
            raise self.error(error.args[0]) from error

    def error(self, error: Any) -> UsageError:
        """An error of Kafka as one for the user."""
        servers = self.given["bootstrap.servers"]
        kinds = _package().KafkaError
        silent = (kinds._TRANSPORT, kinds._ALL_BROKERS_DOWN, kinds._RESOLVE, kinds._TIMED_OUT, kinds._MSG_TIMED_OUT)
        if error.code() in silent:
            hint = "check the option kafka.bootstrap.servers, and that the brokers run"
            return UsageError(f"no Kafka broker at {servers} answered within {self.timeout:g} s\n    hint: {hint}")
        return UsageError(f"Kafka at {servers}: {error.str()}")


class Cluster:
    """Topics and their ends, asked for on the driver."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._consumer = connection.consumer()
        self._known: tuple[float, list[Partition]] = (float("-inf"), [])

    def partitions(self, topics: Collection[str]) -> list[Partition]:
        """The partitions that topics have now."""
        asked, known = self._known
        if time.monotonic() - asked > _METADATA_SECONDS:
            known = [partition for topic in topics for partition in self._partitions_of(topic)]
            self._known = time.monotonic(), known
        return known

    def earliest(self, partitions: Iterable[Partition]) -> Offsets:
        """The first offset of each partition that still exists."""
        return self._offsets(partitions, EARLIEST)

    def latest(self, partitions: Iterable[Partition]) -> Offsets:
        """The offset after the last one of each partition, open transactions left out."""
        return self._offsets(partitions, LATEST)

    def close(self) -> None:
        """Leave the cluster."""
        self._consumer.close()

    def _partitions_of(self, topic: str) -> list[Partition]:
        with self._connection.errors():
            found = self._consumer.list_topics(topic, self._connection.timeout).topics[topic]
        if found.error is None:
            return sorted((topic, partition) for partition in found.partitions)
        if found.error.code() != _package().KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise self._connection.error(found.error)
        with self._connection.errors():
            others = self._consumer.list_topics(timeout=self._connection.timeout).topics
        hint = did_you_mean(topic, others) or "create it first"
        raise UsageError(f"there is no Kafka topic {topic}\n    hint: {hint}")

    def _offsets(self, partitions: Iterable[Partition], end: int) -> Offsets:
        # Kafka takes the ends for points in time, so one request asks for the offsets of all partitions.
        asked = [_package().TopicPartition(topic, number, end) for topic, number in partitions]
        if not asked:
            return {}
        with self._connection.errors():
            answers = self._consumer.offsets_for_times(asked, timeout=self._connection.timeout)
        for answer in answers:
            if answer.error is not None:
                raise self._connection.error(answer.error)
        return {(answer.topic, answer.partition): answer.offset for answer in answers}


def require_package() -> None:
    """Refuse to go on without ``confluent-kafka``."""
    _package()


def _package() -> Any:
    try:
        import confluent_kafka
    except ImportError as error:
        raise UsageError("thalweg-kafka needs confluent-kafka\n    hint: pip install 'thalweg[kafka]'") from error
    return confluent_kafka
