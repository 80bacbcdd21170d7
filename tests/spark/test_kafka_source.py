"""The data source thalweg-kafka, against the mock cluster that librdkafka brings along."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pyarrow as pa
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows
from pyspark.sql.types import StructType

from thalweg.errors import UsageError
from thalweg.spark.sources import register
from thalweg.spark.sources.kafka import KafkaSource
from thalweg.spark.sources.kafka_offsets import from_json, limited, parse_starting, to_json
from thalweg.spark.sources.kafka_reader import KafkaRange
from thalweg.spark.worker_errors import user_errors

START = {"from": {}, "to": {}}
SCHEMA = (
    StructType()
    .add("key", "binary")
    .add("value", "binary")
    .add("topic", "string")
    .add("partition", "integer")
    .add("offset", "long")
    .add("timestamp", "timestamp")
)


@pytest.fixture(scope="module")
def spark(spark):
    register(spark)
    return spark


@pytest.fixture(scope="module")
def cluster():
    """A broker in this process, which other processes reach on the loopback; topics have four partitions."""
    return Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1, "log_level": 2})


@pytest.fixture(scope="module")
def brokers(cluster):
    return ",".join(f"{broker.host}:{broker.port}" for broker in cluster.list_topics(timeout=10).brokers.values())


@pytest.fixture
def topic(request):
    """A name that no other test uses."""
    return request.node.name.replace("[", "-").replace("]", "")


# Offsets


def test_offsets_are_written_in_one_order():
    offsets = {("b", 10): 1, ("b", 9): 2, ("a", 0): 3}
    assert json.dumps(to_json(offsets)) == '{"a": {"0": 3}, "b": {"9": 2, "10": 1}}'
    assert from_json(to_json(offsets)) == offsets


def test_a_limit_is_used_up_and_every_partition_that_has_something_gets_something():
    start = {("t", 0): 10, ("t", 1): 0, ("t", 2): 5}
    end = {("t", 0): 20, ("t", 1): 30, ("t", 2): 5, ("t", 3): 1}
    assert limited(start, end, 10) == {("t", 0): 13, ("t", 1): 6, ("t", 2): 5, ("t", 3): 1}
    assert limited(start, end, 3) == {("t", 0): 11, ("t", 1): 1, ("t", 2): 5, ("t", 3): 1}
    assert limited(start, end, 1) == {("t", 0): 10, ("t", 1): 1, ("t", 2): 5, ("t", 3): 0}
    assert limited(start, end, 41) == end
    for most in range(1, 41):
        assert sum(limited(start, end, most)[key] - start.get(key, 0) for key in end) == most


@pytest.mark.parametrize("text", ["soon", "[]", '{"t": 3}', '{"t": {"x": 1}}', '{"t": {"0": "1"}}', '{"t": {"0": -3}}'])
def test_starting_offsets_that_make_no_sense_are_refused(text):
    with pytest.raises(UsageError, match="startingOffsets must be earliest, latest or"):
        parse_starting(text)


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kafka.bootstrap.servers": ""}, "needs the option kafka.bootstrap.servers"),
        ({"subscribe": ""}, "needs the option subscribe"),
        ({"subscribes": "t"}, "has no option subscribes\n    hint: did you mean subscribe?"),
        ({"startingOffsets": "soon"}, "startingOffsets must be earliest, latest or"),
        ({"maxOffsetsPerTrigger": "many"}, "maxOffsetsPerTrigger must be a whole number above 0, not many"),
        ({"failOnDataLoss": "maybe"}, "failOnDataLoss must be true or false, not maybe"),
        ({"kafka.auto.offset.reset": "latest"}, "kafka.auto.offset.reset cannot be set\n    hint: use startingOffsets"),
    ],
)
def test_wrong_options_are_refused(options, message):
    source = KafkaSource({"kafka.bootstrap.servers": "x:1", "subscribe": "t", **options})
    assert message in refusal(source.schema)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    source = KafkaSource({"kafka.bootstrap.servers": "x:1", "subscribe": "t"})
    assert "pip install 'thalweg[kafka]'" in refusal(source.schema)


def test_a_setting_that_kafka_does_not_know_is_named():
    reading = stream("x:1", "t", **{"kafka.bogus": "1"})
    assert 'No such configuration property: "bogus"' in refusal(lambda: offset_of(reading))


def test_a_broker_that_does_not_answer_is_named():
    reading = stream("127.0.0.1:1", "t", timeoutSeconds="0.3")
    assert "no Kafka broker at 127.0.0.1:1 answered within 0.3 s" in refusal(lambda: offset_of(reading))


def test_a_topic_that_does_not_exist_is_named_with_its_neighbour(cluster, brokers, topic):
    produce(cluster, topic, ["a"])
    message = refusal(lambda: offset_of(stream(brokers, topic[:-1])))
    assert f"there is no Kafka topic {topic[:-1]}\n    hint: did you mean {topic}?" in message


# Reading, without Spark


def test_ranges_are_read_to_their_end_though_markers_of_transactions_have_no_records(brokers, topic):
    # 0  1  2       3  4       5       6
    # a  b  marker  c  marker  d (open to all)
    transactional = Producer({"bootstrap.servers": brokers, "transactional.id": topic, "log_level": 2})
    transactional.init_transactions(10)
    for values in (["a", "b"], ["c"]):
        transactional.begin_transaction()
        produce(transactional, topic, values, partition=0)
        transactional.commit_transaction(10)
    assert read_range(brokers, topic, 0, 5) == [(0, "a"), (1, "b"), (3, "c")]
    assert read_range(brokers, topic, 0, 3) == [(0, "a"), (1, "b")]
    assert read_range(brokers, topic, 2, 3) == []
    assert read_range(brokers, topic, 1, 4) == [(1, "b"), (3, "c")]


def test_a_range_that_never_comes_is_an_error(cluster, brokers, topic):
    produce(cluster, topic, ["a"], partition=0)
    message = refusal(lambda: read_range(brokers, topic, 0, 5, timeoutSeconds="0.3"))
    assert f"Kafka sent nothing for 0.3 s: partition 0 of {topic} is to be read up to 5 and is read up to 1" in message
    assert read_range(brokers, topic, 0, 5, failOnDataLoss="false") == [(0, "a")]


def test_records_that_are_gone_are_an_error_unless_that_is_allowed(cluster, brokers, topic):
    # The mock broker keeps some megabytes of a partition.
    for _ in range(8):
        produce(cluster, topic, ["x" * 900_000], partition=0)
    reading = stream(brokers, topic, startingOffsets=json.dumps({topic: {str(number): 0 for number in range(4)}}))
    batch = offset_of(reading)
    message = refusal(lambda: reading.partitions(START, batch))
    assert f"records of the Kafka topic {topic} are gone: partition 0 should be read [0, 8)" in message
    assert "are gone" in refusal(lambda: read_range(brokers, topic, 0, 8))
    (part,) = stream(brokers, topic, failOnDataLoss="false").partitions(START, batch)
    assert 0 < part.start < part.end == 8
    offsets = [offset for offset, _ in read_range(brokers, topic, 0, 8, failOnDataLoss="false")]
    assert offsets == list(range(part.start, 8))


def test_a_topic_that_became_shorter_is_an_error_unless_that_is_allowed(cluster, brokers, topic):
    produce(cluster, topic, ["a"], partition=0)
    before = {"from": {}, "to": {topic: {"0": 9, "1": 0, "2": 0, "3": 0}}}
    message = refusal(lambda: offset_of(stream(brokers, topic), before))
    assert "partition 0 should be read from 9, but it ends at 1" in message
    lenient = stream(brokers, topic, failOnDataLoss="false")
    after = offset_of(lenient, before)
    assert lenient.partitions(before, after) == [KafkaRange(topic, 0, 0, 1)]


def test_a_partition_that_a_topic_gains_is_read_from_its_start(cluster, brokers, topic):
    produce(cluster, topic, ["a", "b"], partition=3)
    before = {"from": {}, "to": {topic: {"0": 0, "1": 0, "2": 0}}}
    reading = stream(brokers, topic)
    assert reading.partitions(before, offset_of(reading, before)) == [KafkaRange(topic, 3, 0, 2)]


def test_a_first_batch_that_is_run_again_starts_where_it_did_the_first_time(cluster, brokers, topic):
    produce(cluster, topic, ["before"], partition=0)
    reading = stream(brokers, topic, startingOffsets="latest")
    first = offset_of(reading, START)
    assert reading.partitions(START, first) == []
    produce(cluster, topic, ["a", "b"], partition=0)
    second = offset_of(stream(brokers, topic), first)
    produce(cluster, topic, ["c"], partition=0)
    assert stream(brokers, topic).partitions(START, second) == [KafkaRange(topic, 0, 1, 3)]


def test_starting_offsets_can_be_given_for_each_partition(cluster, brokers, topic):
    produce(cluster, topic, ["a", "b", "c"], partition=0)
    produce(cluster, topic, ["d", "e"], partition=1)
    starts = {"0": 2, "1": -2, "2": -1, "3": 0}
    batch = offset_of(stream(brokers, topic, startingOffsets=json.dumps({topic: starts})))
    assert batch["from"] == {topic: {"0": 2, "1": 0, "2": 0, "3": 0}}
    lacking = stream(brokers, topic, startingOffsets=json.dumps({topic: {"0": 2}}))
    assert f"startingOffsets lacks partition 1 of {topic}" in refusal(lambda: offset_of(lacking))


def test_available_now_ends_where_the_topic_ended_at_the_start(cluster, brokers, topic):
    produce(cluster, topic, ["a", "b", "c"], partition=0)
    reading = stream(brokers, topic, startingOffsets="earliest", maxOffsetsPerTrigger="2")
    unbounded = stream(brokers, topic, startingOffsets="earliest")
    reading.prepareForTriggerAvailableNow()
    unbounded.prepareForTriggerAvailableNow()
    produce(cluster, topic, ["d"], partition=0)
    first = offset_of(reading, START, ReadMaxRows(2))
    second = offset_of(reading, first, ReadMaxRows(2))
    assert [batch["to"][topic]["0"] for batch in (first, second)] == [2, 3]
    assert offset_of(reading, second, ReadMaxRows(2)) == second
    # A bound that nobody asked for is for streams without an end.
    assert offset_of(unbounded, START, ReadMaxRows(2))["to"][topic]["0"] == 3


# Writing, without Spark


def test_rows_are_written_with_key_topic_and_batch(brokers, topic):
    columns = StructType().add("value", "string").add("key", "binary").add("topic", "string")
    rows = pa.table({"value": ["v1", "v2", None], "key": [b"k1", None, b"k3"], "topic": [topic] * 3})
    writer(brokers, columns).write(iter(rows.to_batches()))
    found = consume(brokers, topic)
    expected = [(b"k1", b"v1"), (None, b"v2"), (b"k3", None)]
    assert Counter((message.key(), message.value()) for message in found) == Counter(expected)
    assert len({dict(message.headers())["thalweg-batch"] for message in found}) == 1


def test_a_row_without_topic_is_refused(brokers):
    rows = pa.table({"value": ["v"], "topic": pa.nulls(1, pa.string())})
    writing = writer(brokers, StructType().add("value", "string").add("topic", "string"))
    assert "the column topic is null in a row" in refusal(lambda: writing.write(iter(rows.to_batches())))


def test_a_record_that_is_too_large_is_refused(brokers, topic):
    rows = pa.table({"value": ["v" * 2_000_000]})
    writing = writer(brokers, StructType().add("value", "string"), topic=topic)
    assert "Message size too large" in refusal(lambda: writing.write(iter(rows.to_batches())))


def test_brokers_that_do_not_take_a_record_are_named(topic):
    rows = pa.table({"value": ["v"]})
    writing = writer("127.0.0.1:1", StructType().add("value", "string"), topic=topic, timeoutSeconds="0.3")
    assert "no Kafka broker at 127.0.0.1:1 answered" in refusal(lambda: writing.write(iter(rows.to_batches())))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": "string"}, "cannot write a column id\n    hint: select value and, if need be, key and topic"),
        ({"value": "long"}, "the column value must be string or binary, not bigint"),
        ({"key": "string"}, "writes the column value, and there is none"),
        ({"value": "string"}, "needs the option topic, or a column topic"),
    ],
)
def test_columns_that_cannot_be_written_are_refused(columns, message):
    schema = StructType()
    for name, kind in columns.items():
        schema.add(name, kind)
    assert message in refusal(lambda: writer("x:1", schema))


def test_a_topic_cannot_be_overwritten():
    source = KafkaSource({"kafka.bootstrap.servers": "x:1", "topic": "t"})
    assert "cannot overwrite a topic" in refusal(lambda: source.writer(StructType().add("value", "string"), True))


# Through Spark


def test_a_batch_reads_from_the_earliest_to_the_latest(spark, cluster, brokers, topic):
    before = time.time() - 1
    produce(cluster, topic, ["a", "b"], partition=1, key="k")
    produce(cluster, topic, [None], partition=2)
    frame = source(spark.read, brokers, topic)
    rows = sorted(frame.collect(), key=lambda row: (row.partition, row.offset))
    assert frame.columns == ["key", "value", "topic", "partition", "offset", "timestamp"]
    assert [tuple(row)[:5] for row in rows] == [
        (b"k", b"a", topic, 1, 0),
        (b"k", b"b", topic, 1, 1),
        (None, None, topic, 2, 0),
    ]
    assert all(before < row.timestamp.timestamp() < time.time() + 1 for row in rows)


def test_mistakes_come_back_as_usage_errors(spark, cluster, brokers, topic, tmp_path):
    with pytest.raises(UsageError, match="needs the option subscribe"), user_errors():
        spark.readStream.format("thalweg-kafka").option("kafka.bootstrap.servers", brokers).load()
    with pytest.raises(UsageError, match=f"there is no Kafka topic {topic}"), user_errors():
        run_stream(spark, brokers, topic, tmp_path)


def test_a_stream_goes_on_where_it_stopped(spark, cluster, brokers, topic, tmp_path):
    produce(cluster, topic, map(str, range(50)))
    progress = run_stream(spark, brokers, topic, tmp_path, maxOffsetsPerTrigger=20, startingOffsets="earliest")
    assert [batch["numInputRows"] for batch in progress] == [20, 20, 10]
    produce(cluster, topic, map(str, range(50, 70)))
    run_stream(spark, brokers, topic, tmp_path)
    assert written(spark, tmp_path) == Counter(map(str, range(70)))


def test_a_stream_is_written_with_the_number_of_the_batch(spark, cluster, brokers, topic, tmp_path):
    produce(cluster, topic, map(str, range(30)))
    frame = source(spark.readStream, brokers, topic, maxOffsetsPerTrigger=20, startingOffsets="earliest")
    query = sink(frame.select("key", "value").writeStream, brokers, f"{topic}-out")
    query = query.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    found = consume(brokers, f"{topic}-out")
    assert Counter(message.value() for message in found) == Counter(str(number).encode() for number in range(30))
    batches = Counter(dict(message.headers())["thalweg-batch"].decode() for message in found)
    assert batches == {f"{query.id}/0": 20, f"{query.id}/1": 10}


KILLED = """
import sys
from thalweg.spark import session
from thalweg.spark.sources import register

brokers, folder = sys.argv[1:]
spark = session("local[2]", {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"})  # starts sooner
register(spark)
kafka = spark.readStream.format("thalweg-kafka").option("kafka.bootstrap.servers", brokers)
kafka = kafka.option("subscribe", "killed").option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", 7)
facts = spark.readStream.format("thalweg-facts").option("maxFilesPerTrigger", 1)
rows = {
    "kafka": kafka.load().selectExpr("string(value) AS value"),
    "facts": facts.load(f"{folder}/in").selectExpr("arguments[0] AS value"),
}
for name, frame in rows.items():
    sink = frame.writeStream.format("parquet").option("checkpointLocation", f"{folder}/{name}/checkpoint")
    sink.start(f"{folder}/{name}/out")
spark.streams.awaitAnyTermination()
"""


def test_a_stream_that_was_killed_goes_on_without_loss_or_repetition(spark, cluster, brokers, tmp_path):
    inbox = tmp_path / "in"
    inbox.mkdir()
    expected = [str(number) for number in range(400)]
    produce(cluster, "killed", expected)
    for first in range(0, 400, 2):
        (inbox / f"{first}.facts").write_text(f"P({first})@1\nP({first + 1})@1\n")
    running = subprocess.Popen(
        [sys.executable, "-c", KILLED, brokers, str(tmp_path)],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        start_new_session=True,
    )
    folders = [tmp_path / "kafka", tmp_path / "facts"]
    try:
        until(lambda: all(len(batches(folder, "commits")) >= 2 for folder in folders))
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    assert all(len(batches(folder, "commits")) < 50 for folder in folders), "there is something left to do"
    produce(cluster, "killed", ["late"])
    (inbox / "late.facts").write_text("P(late)@1\n")
    finish(source(spark.readStream, brokers, "killed").selectExpr("string(value) AS value"), folders[0])
    facts = spark.readStream.format("thalweg-facts").load(str(inbox)).selectExpr("arguments[0] AS value")
    finish(facts, folders[1])
    for folder in folders:
        assert written(spark, folder) == Counter([*expected, "late"])


# Helpers


def until(condition):
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def batches(folder, log):
    """The batches that a query has written to one of its logs."""
    return list((folder / "checkpoint" / log).glob("[0-9]*"))


def stream(brokers, topic, **options):
    with user_errors():
        options = {"kafka.bootstrap.servers": brokers, "subscribe": topic, **options}
        return KafkaSource(options).streamReader(SCHEMA)


def writer(brokers, schema, **options):
    return KafkaSource({"kafka.bootstrap.servers": brokers, **options}).writer(schema, False)


def offset_of(reading, start=START, limit=None):
    return reading.latestOffset(start, limit or ReadAllAvailable())


def read_range(brokers, topic, start, end, **options):
    batches = stream(brokers, topic, **options).read(KafkaRange(topic, 0, start, end))
    return [(row["offset"], row["value"].decode()) for batch in batches for row in batch.to_pylist()]


def refusal(call):
    with pytest.raises(UsageError) as caught, user_errors():
        call()
    return str(caught.value)


def produce(producer, topic, values, key=None, **where):
    for value in values:
        producer.produce(topic, value, key, **where)
    assert producer.flush(10) == 0


def consume(brokers, topic):
    """All records of a topic."""
    consumer = Consumer({"bootstrap.servers": brokers, "group.id": "test", "auto.offset.reset": "earliest"})
    numbers = consumer.list_topics(topic, 10).topics[topic].partitions
    ends = {number: consumer.get_watermark_offsets(TopicPartition(topic, number), 10)[1] for number in numbers}
    consumer.assign([TopicPartition(topic, number, 0) for number in numbers])
    messages = consumer.consume(sum(ends.values()), 10)
    consumer.close()
    return messages


def source(reading, brokers, topic, **options):
    reading = reading.format("thalweg-kafka").option("kafka.bootstrap.servers", brokers).option("subscribe", topic)
    return reading.options(**options).load()


def sink(writing, brokers, topic=None):
    writing = writing.format("thalweg-kafka").option("kafka.bootstrap.servers", brokers)
    return writing.option("topic", topic) if topic else writing


def run_stream(spark, brokers, topic, folder, **options):
    return finish(source(spark.readStream, brokers, topic, **options).selectExpr("string(value) AS value"), folder)


def finish(frame, folder):
    """Write what there is now to Parquet, from where the checkpoint says."""
    query = (
        frame.writeStream.format("parquet")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(folder / "out"))
    )
    query.awaitTermination()
    return query.recentProgress


def written(spark, folder):
    return Counter(row.value for row in spark.read.parquet(str(folder / "out")).collect())
