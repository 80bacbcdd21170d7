"""Arrivals on a real Spark: orders within the delay, splits into files, rows repeated, and rows that are too late."""

import datetime
import json
import os
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

import thalweg
import thalweg.spark
from amount import amount
from cli.calling import call_as_it_is
from reliability.arriving import Judge, permuted, repeated
from spark.running import Stream
from thalweg.engine.read import read_facts_of
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet

RULES = """
input Speed(vehicle: string, speed: integer).
input Road(vehicle: string, road: string).
output Stuck(vehicle: string).
output Jam(road: string).
output Passed(road: string).
output Slowest(road: string, speed: integer).
Slow(V) :- Speed(V, S), S < 5.
Stuck(V) :- boxminus[0,2] diamondminus[0,1] Slow(V).
Stuck(V) :- Stuck(W), Behind(V, W).
Behind(V, W) :- diamondminus[0,4] Road(V, R), diamondminus[0,4] Road(W, R), Slow(V).
Jam(R) :- Stuck(V), diamondminus[0,4] Road(V, R).
Passed(R) :- diamondminus[0,1] Road(V, R), not Jam(R).
Slowest(R, M) :- M = min{S : diamondminus[0,3] Speed(V, S), diamondminus[0,3] Road(V, R)}.
"""
"""Recursion, negation, an aggregate, and several stages."""

WINDOWS = """
timeline integer.
input Speed(vehicle: string, speed: integer).
output Busy(vehicle: string).
output Lately(vehicle: string, speed: integer).
Busy(V) :- window[last 3] some Speed(V, S), S > 2.
Lately(V, S) :- window[last 2 tuples] some Speed(V, S).
"""

MALFUNCTION = """
timeline integer.
input Temp(turbine: string, level: string).
output Malf(turbine: string).
delay Temp(_, _) = 2.
Flag(X) at T :- Temp(X, high) at T.
Malf(X) at T :- Flag(X) at T, Flag(X) at T+1, Flag(X) at T+2.
"""

ONCE = ("--stream", "--trigger", "available-now", "--max-files", "1")
FIRST = datetime.datetime(2024, 3, 10, 6, 59, 50)
"""Ten seconds before New York's clocks are put forward."""


def time_of(row):
    return row[-1]


def drawn(random, count=40, last=24):
    """Rows of speeds and roads: a predicate, its values, and a time."""
    rows = []
    for _ in range(count):
        vehicle, time = random.choice("abcd"), random.randint(0, last)
        if random.random() < 0.7:
            rows.append(("Speed", vehicle, random.randint(0, 9), time))
        else:
            rows.append(("Road", vehicle, random.choice(("ring", '"A9, north"')), time))
    return rows


def line(row):
    name, *values, time = row
    return f"{name}({','.join(map(str, values))})@{time}"


def put(folder, number, write):
    """Put a file there as if it had come at its time."""
    draft, target = folder.parent / f".draft-{number}", folder / f"{number:04}"
    write(draft)
    os.utime(draft, (1_700_000_000 + number,) * 2)
    draft.rename(target)


def feed(folder, batches, first=0):
    """A file of facts for each batch."""
    folder.mkdir(exist_ok=True)
    for number, rows in enumerate(batches, first):
        text = "".join(f"{line(row)}\n" for row in rows)
        put(folder, number, lambda draft, text=text: draft.write_text(text))


def holding(program, lines):
    """Facts as lines, by atom, with their intervals joined: batches cut them."""
    batches, problems = read_facts_of(program, "\n".join(lines) + "\n")
    assert not problems
    found = {}
    for batch in batches:
        for row in range(len(batch)):
            atom = batch.predicate, *(column.values[column.codes[row]] for column in batch.arguments)
            ends = (column.values[column.codes[row]] for column in (batch.starts, batch.ends))
            flags = bool(batch.start_closed[row]), bool(batch.end_closed[row])
            found.setdefault(atom, []).append(Interval(*ends, *flags))
    return {atom: IntervalSet(tuple(held), program.timeline).intervals for atom, held in found.items()}


def expected(text, rows):
    """The answers of all rows at once, reasoned about in this process."""
    program = thalweg.parse(text)
    outputs = [name for name, signature in program.signatures.items() if signature.role.value == "output"]
    model = thalweg.materialise(program, "\n".join(map(line, rows)) + "\n")
    return holding(program, [each for name in outputs for each in model.lines(name).to_pylist()])


@pytest.fixture
def in_folder(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(rows, random, count=4):
    """The rows in order, cut anywhere, into a handful of files, since each is a batch of Spark's."""
    cuts = [0, *sorted(random.sample(range(1, len(rows)), count - 1)), len(rows)]
    return [rows[first:last] for first, last in pairwise(cuts)]


class TestWithinTheDelay:
    @pytest.mark.parametrize("seed", range(amount(1)))
    @pytest.mark.parametrize(
        "text", [pytest.param(RULES, id="DatalogMTL"), pytest.param(WINDOWS, id="LARS", marks=pytest.mark.soak)]
    )
    def test_files_of_facts_in_any_order_give_what_one_file_gives(self, in_folder, text, seed):
        random, delay = Random(seed), 3
        rows = [row for row in drawn(random) if text is RULES or row[0] == "Speed"]
        order = permuted(repeated(rows, random), time_of, lambda row: time_of(row) + delay, random)
        Path("cars.rules").write_text(text)
        feed(Path("in"), files(order, random))
        outcome = call_as_it_is(
            "run", "cars.rules", "in", *ONCE, "--delay", delay, "--final", "--checkpoint", "state", "--shards", 3
        )
        assert (outcome.code, outcome.err) == (0, "")
        assert holding(thalweg.parse(text), outcome.lines) == expected(text, rows)

    @pytest.mark.parametrize("seed", range(amount(1)))
    def test_files_of_tables_in_any_order_give_what_one_table_gives(self, spark, tmp_path, seed):
        random = Random(seed)
        rows = [row for row in drawn(random) if row[0] == "Speed"]
        order = permuted(repeated(rows, random), time_of, lambda row: time_of(row) + 2, random)
        program = thalweg.parse(RULES)
        stream = Stream(spark, tmp_path, program, "Stuck", speeds_of(spark), time="ts", delay="2 seconds", shards=2)
        for batch in files(order, random):
            stream.feed(lambda path, batch=batch: pq.write_table(table_of(batch), path))
        stream.run().finish()
        assert sum(metrics.late or 0 for metrics in stream.metrics()) == 0
        whole = spark.createDataFrame(table_of(rows).to_pandas())
        batch = thalweg.spark.reason(program, {"Speed": whole}, "Stuck", time="ts").collect()
        assert batch
        assert held(stream.rows) == held(batch)


def speeds_of(spark):
    def source(folder):
        reader = spark.readStream.schema("vehicle string, speed int, ts timestamp").option("maxFilesPerTrigger", 1)
        return {"Speed": reader.parquet(folder)}

    return source


def table_of(rows):
    """Rows of speeds as a table with timestamps."""
    moments = [FIRST + datetime.timedelta(seconds=row[-1]) for row in rows]
    return pa.table(
        {
            "vehicle": [row[1] for row in rows],
            "speed": pa.array([row[2] for row in rows], pa.int32()),
            "ts": pa.array(moments, pa.timestamp("us", "UTC")),
        }
    )


def held(rows):
    """The intervals of answers with timestamps, joined."""
    found = {}
    for vehicle, start, end, *closed in rows:
        ends = (
            Fraction((time - datetime.datetime(2024, 1, 1)) / datetime.timedelta(microseconds=1))
            for time in (start, end)
        )
        found.setdefault(vehicle, []).append(Interval(*ends, *closed))
    return {key: IntervalSet(tuple(each)).intervals for key, each in found.items()}


def judged(batches, delay):
    """The rows in time and the late ones, by the definition."""
    judge, timely, late = Judge(Fraction(delay)), [], []
    for batch in batches:
        in_time, others = judge.in_time(batch, time_of)
        timely, late = timely + in_time, late + others
    return timely, late


def shown(row):
    """A row as the quarantine has it."""
    name, *values, time = row
    return f"{name}({', '.join(map(str, values))}) @ {time}"


def kept(folder):
    """What a quarantine holds, as often as it does: predicates, rows and reasons."""
    tables = [pq.ParquetFile(part).read() for part in sorted(Path(folder).glob("batch=*/*.parquet"))]
    return Counter((row["predicate"], row["row"], row["reason"]) for table in tables for row in table.to_pylist())


def late_rows(late):
    return Counter((row[0], shown(row), "it came too late") for row in late)


def any_order(seed, count=60):
    """Rows in an order that no delay allows, repeated, in four files."""
    random = Random(seed)
    order = repeated(drawn(random, count), random)
    random.shuffle(order)
    return files(order, random)


class TestLaterThanTheDelay:
    @pytest.mark.parametrize("seed", range(amount(1)))
    def test_a_folder_has_every_late_row_once_and_the_record_counts_them(self, in_folder, seed):
        batches = any_order(seed)
        timely, late = judged(batches, 2)
        assert late
        Path("cars.rules").write_text(RULES)
        feed(Path("in"), batches)
        words = ("--delay", 2, "--final", "--checkpoint", "state", "--output", "out", "--format", "facts")
        outcome = call_as_it_is("run", "cars.rules", "in", *ONCE, *words)
        assert outcome.code == 0
        assert outcome.err == f"thalweg: {len(late)} facts set aside, in out/quarantine\n"
        assert kept_lines("out/quarantine") == late_rows(late)
        lines = [text for part in Path("out").glob("[!_q]*/batch=*/part-*") for text in part.read_text().splitlines()]
        assert holding(thalweg.parse(RULES), lines) == expected(RULES, timely)
        told = [json.loads(text) for text in Path("out/_thalweg/progress.jsonl").read_text().splitlines()]
        assert sum(each["late"] for each in told) == sum(each["set_aside"] for each in told) == len(late)
        assert sum(each["rows"] for each in told) == len(timely) + len(late)

    @pytest.mark.soak
    def test_on_a_terminal_they_are_in_the_checkpoint(self, in_folder):
        batches = any_order(5)
        _, late = judged(batches, 0)
        first = late_in_last(batches, 0)
        Path("cars.rules").write_text(RULES)
        feed(Path("in"), batches)
        outcome = call_as_it_is("run", "cars.rules", "in", *ONCE, "--final", "--checkpoint", "state")
        assert outcome.code == 0
        assert kept("state/quarantine") == late_rows(late)
        warnings = [text for text in outcome.err.splitlines() if text.startswith("warning[W402]: set aside: ")]
        assert first > 10
        assert f"warning[W402]: set aside: {first - 10} more, in state/quarantine" in warnings
        assert outcome.err.endswith(f"thalweg: {len(late)} facts set aside, in state/quarantine\n")

    def test_where_nothing_is_kept_each_is_told(self, in_folder):
        batches = any_order(5)
        _, late = judged(batches, 0)
        Path("cars.rules").write_text(RULES)
        feed(Path("in"), batches)
        outcome = call_as_it_is("run", "cars.rules", "in", *ONCE, "--final")
        assert outcome.code == 0
        told = Counter(text for text in outcome.err.splitlines() if text.startswith("warning[W402]"))
        assert told == Counter(f"warning[W402]: set aside: {shown(row)}: it came too late" for row in late)

    def test_from_topic_to_topic_they_are_in_the_checkpoint(self, in_folder):
        cluster = Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1, "log_level": 2})
        brokers = ",".join(
            f"{broker.host}:{broker.port}" for broker in cluster.list_topics(timeout=10).brokers.values()
        )
        Path("cars.rules").write_text(RULES)
        batches = any_order(7, 30)[:2]
        timely, late = judged(batches, 1)
        assert late
        words = ("--stream", "--trigger", "available-now", "--delay", 1, "--checkpoint", "state")
        for number, rows in enumerate(batches):
            for row in rows:
                cluster.produce("cars", line(row))
            cluster.flush()
            final = ("--final",) if number == len(batches) - 1 else ()
            outcome = call_as_it_is(
                "run", "cars.rules", f"kafka://{brokers}/cars", *words, *final, "--output", f"kafka://{brokers}/answers"
            )
            assert outcome.code == 0, outcome.err
        assert outcome.err.endswith(f"thalweg: {len(late)} facts set aside, in state/quarantine\n")
        assert kept("state/quarantine") == late_rows(late)
        assert holding(thalweg.parse(RULES), records(brokers, "answers")) == expected(RULES, timely)

    def test_in_python_the_tagged_rows_have_them(self, spark, tmp_path):
        batches = [[row for row in batch if row[0] == "Speed"] for batch in any_order(3)]
        timely, late = judged(batches, 4)
        assert late
        program = thalweg.parse(RULES)
        stream = Stream(spark, tmp_path, program, ["Stuck"], speeds_of(spark), time="ts", delay="4 seconds", shards=2)
        aside = []

        def keep(frame, number):
            parts = thalweg.spark.split(frame.persist())
            stream.rows += parts["Stuck"].collect()
            aside.extend(parts["quarantine"].collect())
            frame.unpersist()

        stream._keep = keep
        for batch in batches:
            stream.feed(lambda path, batch=batch: pq.write_table(table_of(batch), path))
        stream.run().finish()

        def moment(row):
            return (FIRST + datetime.timedelta(seconds=row[-1])).isoformat(" ") + ".000000Z"

        wanted = Counter(("Speed", f"Speed({row[1]}, {row[2]}) @ {moment(row)}", "it came too late") for row in late)
        assert Counter(map(tuple, aside)) == wanted
        assert sum(metrics.late or 0 for metrics in stream.metrics()) == len(late)
        assert sum(metrics.rows or 0 for metrics in stream.metrics()) == len(timely) + len(late)
        whole = spark.createDataFrame(table_of(timely).to_pandas())
        batch = thalweg.spark.reason(program, {"Speed": whole}, "Stuck", time="ts").collect()
        assert held(stream.rows) == held(batch)

    def test_hypotheses_set_them_aside_too(self, in_folder):
        random = Random(2)
        rows = [("Temp", random.choice(("wt1", "wt2")), "high", random.randint(0, 12)) for _ in range(40)]
        batches = files(rows, random)
        timely, late = judged(batches, 2)
        assert late
        Path("turbine.rules").write_text(MALFUNCTION)
        feed(Path("in"), batches)
        words = ("--hypotheses", "--final", "--checkpoint", "state", "--output", "out", "--format", "json")
        outcome = call_as_it_is("run", "turbine.rules", "in", *ONCE, *words)
        assert outcome.code == 0
        assert kept_lines("out/quarantine") == late_rows(late)
        told = [
            json.loads(text)
            for part in Path("out/Malf").glob("batch=*/part-*")
            for text in part.read_text().splitlines()
        ]
        times = {name: {row[-1] for row in timely if row[1] == name} for name in ("wt1", "wt2")}
        right = {(name, t) for name, there in times.items() for t in there if {t + 1, t + 2} <= there}
        confirmed = [(row["turbine"], str(row["time"])) for row in told if row["status"] == "confirmed"]
        assert sorted(confirmed, key=str) == sorted(((name, str(t)) for name, t in right), key=str)
        counts = [json.loads(text) for text in Path("out/_thalweg/progress.jsonl").read_text().splitlines()]
        assert sum(each["late"] for each in counts) == len(late)


def late_in_last(batches, delay):
    """How many rows of the last file are late."""
    _, before = judged(batches[:-1], delay)
    _, late = judged(batches, delay)
    return len(late) - len(before)


def kept_lines(folder):
    """The same as :func:`kept`, of a quarantine written as JSON."""
    rows = [json.loads(text) for part in Path(folder).glob("batch=*/part-*") for text in part.read_text().splitlines()]
    return Counter((row["predicate"], row["row"], row["reason"]) for row in rows)


def records(brokers, topic):
    """All records of a topic."""
    consumer = Consumer({"bootstrap.servers": brokers, "group.id": "test", "auto.offset.reset": "earliest"})
    partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
    consumer.assign([TopicPartition(topic, number, 0) for number in partitions])
    ends = {
        number: consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=10)[1] for number in partitions
    }
    found = []
    while len(found) < sum(ends.values()):
        message = consumer.poll(10)
        assert message is not None
        found.append(message.value().decode())
    consumer.close()
    return found
