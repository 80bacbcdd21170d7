"""A long backlog becomes many batches of bounded size, unless everything that is there is asked for at once."""

import json
import os
import time

import pytest
from confluent_kafka import Producer
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles, ReadMaxRows
from pyspark.sql.types import StructType

from thalweg.cli.numbers import size
from thalweg.spark.backlog import Backlog, backlog
from thalweg.spark.bounds import Bounds
from thalweg.spark.paths import Folder
from thalweg.spark.sources.facts import FactsSource
from thalweg.spark.sources.kafka import KafkaSource

NOTHING = {"taken": "", "files": []}
UNREAD = {"from": {}, "to": {}}
RECORDS = (
    StructType()
    .add("key", "binary")
    .add("value", "binary")
    .add("topic", "string")
    .add("partition", "integer")
    .add("offset", "long")
    .add("timestamp", "timestamp")
)


def fill(folder, files, text="P(a)@1\n"):
    folder.mkdir(exist_ok=True)
    for number in range(files):
        path = folder / f"{number:05}.facts"
        path.write_text(text)
        os.utime(path, (1_700_000_000 + number,) * 2)


def reader_of(folder, **options):
    return FactsSource({"path": str(folder), **options}).streamReader(None)


def sizes(reading, most=99):
    """How many files the batches take one after another, and how many each leaves."""
    offset, found = NOTHING, []
    while len(found) < most:
        following = reading.latestOffset(offset, reading.getDefaultReadLimit())
        if following == offset:
            break
        offset = json.loads(json.dumps(following))
        found.append((len(offset["files"]), offset.get("left", {}).get("files", 0)))
    return found


def test_a_folder_of_many_files_is_read_a_thousand_at_a_time(tmp_path):
    fill(tmp_path / "in", 2300)
    assert sizes(reader_of(tmp_path / "in")) == [(1000, 1300), (1000, 300), (300, 0)]


def test_large_files_are_read_up_to_64_megabytes_at_a_time(tmp_path):
    fill(tmp_path / "in", 5, "P(a)@1\n")
    for path in (tmp_path / "in").iterdir():
        os.truncate(path, 20 << 20)
        os.utime(path, (1_700_000_000,) * 2)
    assert sizes(reader_of(tmp_path / "in")) == [(3, 2), (2, 0)]


def test_a_file_beyond_the_bound_is_a_batch_of_its_own(tmp_path):
    fill(tmp_path / "in", 3, "P(a)@1\n" * 100)
    assert sizes(reader_of(tmp_path / "in", maxBytesPerTrigger="10")) == [(1, 2), (1, 1), (1, 0)]


def test_bounds_that_are_given_go_before_those_that_are_not(tmp_path):
    fill(tmp_path / "in", 1500)
    assert sizes(reader_of(tmp_path / "in", maxFilesPerTrigger="1400")) == [(1400, 100), (100, 0)]
    assert sizes(reader_of(tmp_path / "in", maxBytesPerTrigger="1000000")) == [(1500, 0)]
    both = reader_of(tmp_path / "in", maxFilesPerTrigger="900", maxBytesPerTrigger=str(7 * 800))
    assert sizes(both) == [(800, 700), (700, 0)]


def test_all_that_is_there_is_one_batch_unless_a_bound_is_given(tmp_path):
    fill(tmp_path / "in", 1200)
    reading = reader_of(tmp_path / "in")
    reading.prepareForTriggerAvailableNow()
    assert sizes(reading) == [(1200, 0)]
    reading = reader_of(tmp_path / "in", maxFilesPerTrigger="700")
    reading.prepareForTriggerAvailableNow()
    assert sizes(reading) == [(700, 500), (500, 0)]
    assert len(reader_of(tmp_path / "in").latestOffset(NOTHING, ReadAllAvailable())["files"]) == 1200
    assert isinstance(reader_of(tmp_path / "in").getDefaultReadLimit(), ReadMaxFiles)


@pytest.fixture(scope="module")
def broker():
    """A broker in this process."""
    producer = Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1, "log_level": 2})
    (address,) = producer.list_topics(timeout=10).brokers.values()
    return producer, f"{address.host}:{address.port}"


def test_a_topic_is_read_in_bounded_batches_too(broker, monkeypatch):
    producer, address = broker
    for number in range(50):
        producer.produce("long", str(number).encode())
    producer.flush(10)
    given = {"kafka.bootstrap.servers": address, "subscribe": "long", "startingOffsets": "earliest"}
    reading = KafkaSource(given).streamReader(RECORDS)
    assert reading.getDefaultReadLimit() == ReadMaxRows(1_000_000)
    first = reading.latestOffset(UNREAD, ReadMaxRows(20))
    assert sum(first["to"]["long"].values()) == 20
    assert first["left"] == {"records": 30}
    second = reading.latestOffset(first, ReadMaxRows(40))
    assert sum(second["to"]["long"].values()) == 50
    assert "left" not in second
    reading.prepareForTriggerAvailableNow()
    assert sum(reading.latestOffset(UNREAD, ReadMaxRows(20))["to"]["long"].values()) == 50
    reading.stop()


def test_tables_of_files_and_topics_get_bounds_unless_they_have_some():
    assert Bounds().of_files({}) == {"maxBytesPerTrigger": "67108864"}
    assert Bounds(files=3).of_files({}) == {"maxFilesPerTrigger": "3"}
    assert Bounds(files=3).of_files({"maxfilespertrigger": "9"}) == {}
    assert Bounds(by_default=False).of_files({}) == {}
    assert Bounds(rows=7).of_topic({}) == {"maxOffsetsPerTrigger": "7"}
    assert Bounds(rows=7).of_topic({"maxOffsetsPerTrigger": "8"}) == {}
    assert Bounds().of_sparks_topic({}) == {"maxOffsetsPerTrigger": "1000000"}
    assert [size(text) for text in ("17", "2k", "3M", "1g")] == [17, 2048, 3 << 20, 1 << 30]


def test_a_stream_with_a_backlog_reads_it_in_bounded_batches_and_says_what_is_left(spark, tmp_path):
    fill(tmp_path / "in", 1500)
    frame = spark.readStream.format("thalweg-facts").load(str(tmp_path / "in"))
    writer = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "state/spark"))
    query = writer.trigger(processingTime="1 seconds").start()
    try:
        deadline = time.monotonic() + 300
        while sum(each.numInputRows for each in query.recentProgress) < 1500:
            assert query.exception() is None
            assert time.monotonic() < deadline
            time.sleep(0.2)
        rows = [each.numInputRows for each in query.recentProgress if each.numInputRows]
    finally:
        query.stop()
    assert rows == [1000, 500]
    state = Folder(spark, str(tmp_path / "state"))
    assert backlog(state, 0) == Backlog(files=500)
    assert backlog(state, 1) == Backlog()
    assert backlog(state, 7) == Backlog()


def test_folders_of_sparks_own_formats_take_the_bound(spark, tmp_path):
    for number in range(6):
        spark.createDataFrame([(number,)], "n int").coalesce(1).write.mode("append").json(str(tmp_path / "in"))
    size_of_one = next((tmp_path / "in").glob("*.json")).stat().st_size
    bounds = Bounds(size=2 * size_of_one).of_files({})
    frame = spark.readStream.schema("n int").options(**bounds).json(str(tmp_path / "in"))
    writer = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "state"))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination(300)
    assert [each.numInputRows for each in query.recentProgress if each.numInputRows] == [2, 2, 2]
