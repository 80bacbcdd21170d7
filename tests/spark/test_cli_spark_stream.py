"""``thalweg run --stream`` on Spark: folders followed to their end, checkpoints, tables, topics."""

import os
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from cli.calling import call_as_it_is, files_below
from thalweg.api import load
from thalweg.engine.read import read_facts_of
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet

RULES = """
input P(name: string).
output Near(name: string).
output Far(name: string).
Near(X) :- diamondminus[0,2] P(X).
Far(X) :- diamondminus[2,3] P(X), not Near(X).
"""
FILES = ["P(a)@1\nP(b)@2.5\n", "P(a)@6\nP(c)@[6,7)\nZ(q)@6\n", "P(a)@9\n"]
ONCE = ("--stream", "--trigger", "available-now")
FINAL = (*ONCE, "--final")


@pytest.fixture(autouse=True)
def _in_folder(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("near.rules").write_text(RULES)
    Path("in").mkdir()
    for number, text in enumerate(FILES):
        feed(number, text)


def feed(number, text):
    """Put a file there as if it had been for a while."""
    path = Path("in") / f"{number}.facts"
    path.write_text(text)
    os.utime(path, (1_700_000_000 + number,) * 2)


def run(*words):
    return call_as_it_is("run", "near.rules", *words)


def joined(lines):
    """Facts as lines, by atom, with their intervals joined: batches cut them."""
    Path("joined.facts").write_text("".join(f"{line}\n" for line in lines))
    batches, problems = read_facts_of(load("near.rules"), Path("joined.facts"))
    assert not problems
    found = {}
    for batch in batches:
        for row in range(len(batch)):
            atom = batch.predicate, *(column.values[column.codes[row]] for column in batch.arguments)
            ends = (column.values[column.codes[row]] for column in (batch.starts, batch.ends))
            flags = bool(batch.start_closed[row]), bool(batch.end_closed[row])
            found.setdefault(atom, []).append(Interval(*ends, *flags))
    timeline = load("near.rules").timeline
    return {atom: IntervalSet(tuple(held), timeline).intervals for atom, held in found.items()}


def test_a_final_stream_gives_what_a_batch_gives():
    batch = call_as_it_is("run", "near.rules", *(f"in/{n}.facts" for n in range(3)), "--in-process")
    streamed = run("in", *FINAL, "--max-files", "1", "--progress")
    assert (batch.code, streamed.code) == (0, 0)
    assert joined(streamed.lines) == joined(batch.lines)
    assert streamed.lines[0] == "Near(a)@[1,2.5)"
    told = streamed.err.splitlines()
    assert told[0] == "thalweg: without --checkpoint nothing is remembered: another run begins anew"
    assert told[1].startswith("batch 0: 2 rows in ")
    assert "warning[W401]: no rule mentions Z: its facts play no part" in told
    assert "1 answer, answered before 2.5, lag 0, stored 2 (promised: at most " in told[1]
    assert "answered to the end" in told[-1]


class TestFolders:
    def test_each_batch_is_a_folder_for_each_query_and_late_facts_are_set_aside(self, spark):
        feed(3, "P(late)@5\nP(x@3\nP(a)@30\n")
        words = ("in", *ONCE, "--max-files", "1", "--checkpoint", "ck", "--output", "out", "--skip-bad")
        outcome = run(*words)
        assert (outcome.code, outcome.out) == (0, "")
        assert outcome.err.endswith("thalweg: 2 facts set aside, in out/quarantine\n")
        folders = sorted(str(path.relative_to("out")) for path in Path("out").glob("[!_]*/*"))
        assert folders == [
            *("Far/batch=000001", "Far/batch=000002", "Far/batch=000003"),
            *("Near/batch=000000", "Near/batch=000001", "Near/batch=000002", "Near/batch=000003"),
            "quarantine/batch=000003",
        ]
        near = spark.read.parquet(str(Path("out/Near").absolute()))
        assert near.columns == ["name", "start", "end", "start_closed", "end_closed", "batch"]
        set_aside = spark.read.parquet(str(Path("out/quarantine").absolute())).orderBy("row").collect()
        assert [(row.predicate, row.reason.split("\n")[0][-30:]) for row in set_aside] == [
            (None, "error[E408]: this ( is never closed"[-30:]),
            ("P", "it came too late"),
        ]

    def test_facts_as_text(self):
        assert run("in", *ONCE, "--checkpoint", "ck", "--output", "out", "--format", "facts").code == 0
        lines = "".join(path.read_text() for path in Path("out/Near/batch=000000").glob("part-*")).splitlines()
        assert sorted(lines) == ["Near(a)@[1,3]", "Near(a)@[6,8]", "Near(b)@[2.5,4.5]", "Near(c)@[6,9)"]

    def test_a_folder_with_something_else_is_left_alone(self):
        Path("out").mkdir()
        Path("out/mine.txt").write_text("")
        outcome = run("in", *ONCE, "--checkpoint", "ck", "--output", "out")
        assert (outcome.code, files_below(Path("out"))) == (2, ["mine.txt"])
        assert outcome.err.startswith("thalweg: out holds something else\n")
        assert not Path("ck").exists()


class TestCheckpoints:
    def test_a_stream_goes_on_where_it_was_killed_and_says_when_it_is_finished(self):
        words = ("in", "--checkpoint", "ck")
        first = run(*words, *ONCE)
        # As if it had been killed after it said that no fact follows, and before it answered the rest.
        Path("ck/control/final").write_text("no fact follows\n")
        feed(3, "P(b)@20\n")
        last = run(*words, *FINAL)
        batch = call_as_it_is("run", "near.rules", *(f"in/{n}.facts" for n in range(4)), "--in-process")
        assert joined([*first.lines, *last.lines]) == joined(batch.lines)
        again = run(*words, *FINAL)
        assert (again.code, again.out) == (0, "")
        assert again.err == "thalweg: ck is finished: everything has been answered to the end\n"

    def test_that_of_another_run_is_refused_by_name_and_nothing_is_written(self):
        assert run("in", *ONCE, "--checkpoint", "ck").code == 0
        before, here = files_below(Path(".")), Path("in").absolute()
        others = {
            ("in", "--delay", "5"): "the delay was 0, now 5",
            ("in", "--query", "Near"): "the queries were Near, Far, now Near",
            ("in", "--shards", "3"): "the number of shards was 2, now 3",
            ("in", "in", "--to", "9"): f"the inputs were {here}, now {here}, {here}; the end of time was inf, now 9",
        }
        for words, difference in others.items():
            outcome = run(*words, *ONCE, "--checkpoint", "ck", "--output", "out")
            assert (outcome.code, outcome.out) == (1, "")
            assert outcome.err == (
                f"ck: error[E466]: the checkpoint is for another run: {difference}\n"
                "    hint: run it as before, or name a new folder with --checkpoint\n"
            )
        Path("near.rules").write_text(RULES.replace("[0,2]", "[0,1]"))
        assert "the rules were others when it was made (by near.rules)" in run("in", *ONCE, "--checkpoint", "ck").err
        Path("near.rules").write_text(RULES)
        assert files_below(Path(".")) == before

    def test_another_folder_is_none(self):
        outcome = run("in", *ONCE, "--checkpoint", "in")
        assert outcome.code == 2
        assert outcome.err.startswith("thalweg: in is not empty, and no checkpoint of thalweg\n")


def test_bad_lines_stop_a_stream_and_are_named():
    feed(1, "P(a)@6\nP(x@3\n")
    outcome = run("in", *ONCE)
    assert (outcome.code, outcome.out) == (1, "")
    assert "in/1.facts:2:2: error[E408]: this ( is never closed" in outcome.err
    assert "Traceback" not in outcome.err


class TestTopics:
    def test_facts_come_from_a_topic_and_answers_go_to_one(self):
        cluster = Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1, "log_level": 2})
        (broker,) = cluster.list_topics(timeout=10).brokers.values()
        brokers = f"{broker.host}:{broker.port}"
        producer = Producer({"bootstrap.servers": brokers})
        for text in FILES:
            producer.produce("facts", text, partition=0)
        producer.flush()
        address = f"kafka://{brokers}"
        outcome = run(f"{address}/facts", *ONCE, "--checkpoint", "ck", "--output", f"{address}/answers")
        assert (outcome.code, outcome.out) == (0, "")
        lines = sorted(line.decode() for line in records(brokers, "answers"))
        assert lines == [
            *("Far(a)@(3,4]", "Far(a)@(8,9)", "Far(b)@(4.5,5.5]"),
            *("Near(a)@[1,3]", "Near(a)@[6,8]", "Near(b)@[2.5,4.5]", "Near(c)@[6,9)"),
        ]


def records(brokers, topic):
    consumer = Consumer({"bootstrap.servers": brokers, "group.id": "test"})
    found = []
    for partition in consumer.list_topics(topic, timeout=10).topics[topic].partitions:
        place = TopicPartition(topic, partition, 0)
        _, end = consumer.get_watermark_offsets(place, timeout=10)
        consumer.assign([place])
        found += [consumer.poll(10).value() for _ in range(end)]
    consumer.close()
    return found
