"""Parts of the command line on Spark that can be tested without a session."""

import io
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import thalweg
from thalweg.cli.messages import notice, refresh
from thalweg.cli.times import parse_length
from thalweg.engine.given import sort_given
from thalweg.engine.packets import Column, Packet
from thalweg.engine.promised_bound import promised_bound
from thalweg.engine.shard import Answers
from thalweg.engine.tables_file import read_tables_file
from thalweg.errors import UsageError
from thalweg.spark.answers import CHANGES, Clock, QueryColumns
from thalweg.spark.argument_types import ArgumentType
from thalweg.spark.batch_report import BatchReport, skew
from thalweg.spark.fact_inputs import KafkaAddress
from thalweg.spark.failures import first_words
from thalweg.spark.lines import LineWriter
from thalweg.spark.text_facts import RecordReader
from thalweg.spark.time_types import TimeType
from thalweg.spark.worker_errors import WorkerError, decode

VALUES = [b"P(a)@1\nP(b)@2\n", None, b"", b"P(c@3\r\nQ(d)@4", b"\xff", b"P(x)@5"]


def records(values):
    columns = {
        "topic": ["t"] * len(values),
        "partition": pa.array([0] * len(values), pa.int32()),
        "offset": range(len(values)),
        "value": pa.array(values, pa.binary()),
    }
    return pa.record_batch({name: pa.array(column) for name, column in columns.items()})


def test_records_are_read_as_lines_of_facts_and_the_bad_ones_are_kept():
    batches = RecordReader(frozenset(), keeps_problems=True)(iter([records(VALUES)]))
    rows = [row for batch in batches for row in batch.to_pylist()]
    good = [(row["arguments"], row["source"], row["line"]) for row in rows if row["problem"] is None]
    assert good == [(["a"], "t/0/0", 1), (["b"], "t/0/0", 2), (["d"], "t/0/3", 2), (["x"], "t/0/5", 1)]
    bad = [(row["source"], row["line"], row["problem"].split("\n")[0]) for row in rows if row["problem"]]
    assert bad == [
        ("t/0/4", 1, "t/0/4:1: error[E474]: the record is not UTF-8"),
        ("t/0/3", 1, "t/0/3:1:2: error[E408]: this ( is never closed"),
    ]


def test_bad_records_are_named():
    with pytest.raises(WorkerError) as caught:
        list(RecordReader(frozenset())(iter([records(VALUES)])))
    assert [problem.code for problem in decode(caught.value)] == ["E474", "E408"]


def test_records_may_have_the_time_of_a_fact_as_its_last_argument():
    values = [b"P(a,1)\nP(b)@2\n", b"R(a,3).", b"P(c,high)", b"P(1.5)"]
    reader = RecordReader(frozenset({"R"}), keeps_problems=True, time_is_last=True)
    rows = [row for batch in reader(iter([records(values)])) for row in batch.to_pylist()]
    good = [(row["arguments"], row["start"], row["end"], row["source"]) for row in rows if row["problem"] is None]
    assert good == [(["a"], "1", "1", "t/0/0"), (["b"], "2", "2", "t/0/0"), (["a", "3"], "-inf", "inf", "t/0/1")]
    bad = [row["problem"].split("\n")[0] for row in rows if row["problem"]]
    assert bad == [
        "t/0/2:1:5: error[E413]: the last argument, high, is not a time point",
        "t/0/3:1:3: error[E413]: the last argument, 1.5, is not a time point",
    ]


def test_the_address_of_a_topic_has_options():
    address = KafkaAddress.parse("kafka://a:1,b:2/topic?startingOffsets=latest&kafka.client.id=me")
    assert (address.servers, address.topic) == ("a:1,b:2", "topic")
    assert address.options == {
        "kafka.bootstrap.servers": "a:1,b:2",
        "startingOffsets": "latest",
        "kafka.client.id": "me",
    }


@pytest.mark.parametrize("address", ["kafka://", "kafka://a:1", "kafka://a:1/", "kafka://a:1/b/c", "http://a:1/b"])
def test_what_is_no_address_of_a_topic(address):
    with pytest.raises(UsageError, match="is not the address of a Kafka topic"):
        KafkaAddress.parse(address)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("[PATH_NOT_FOUND] Path does not exist: x. SQLSTATE: 42K03", "Path does not exist: x."),
        (
            "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: Job aborted SQLSTATE: XXKST",
            "Job aborted",
        ),
        (
            "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n  File …\n"
            "ValueError: no such thing\n\nJVM stacktrace:\norg.apache.spark.SparkException: x",
            "ValueError: no such thing",
        ),
        ("java.io.IOException: disk full", "disk full"),
        ("", "no reason is given"),
        ("x" * 1000, "x" * 300 + "…"),
    ],
)
def test_what_spark_says_fits_in_a_line(said, told):
    assert first_words(RuntimeError(said)) == told


def test_full_paths_are_shown_as_they_were_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("inside.facts").write_text("")
    given = sort_given(["./in", "inside.facts"], thalweg.parse("Q(X) :- P(X)."))
    assert given.shown(f"{tmp_path}/in/1.facts:3: error") == "in/1.facts:3: error"
    assert given.shown(f"{tmp_path}/inside.facts:3: error") == "inside.facts:3: error"
    assert given.shown("table P: error") == "table P: error"


def test_options_with_dots_are_read_from_a_tables_file(tmp_path):
    path = tmp_path / "tables.toml"
    path.write_text(
        '["a:P"]\nformat = "thalweg-kafka"\noptions = { kafka.bootstrap.servers = "h:1", subscribe = "t" }\n'
    )
    (spec,) = read_tables_file(path, thalweg.parse("Q(X) :- a:P(X)."))
    assert spec.options == {"kafka.bootstrap.servers": "h:1", "subscribe": "t"}
    assert (spec.path, spec.is_stream, spec.place) == (None, True, f"{path}:1")


@pytest.mark.parametrize(
    ("format_", "lines"),
    [
        ("facts", ["began P(a)@(1", "began P(b)@[2", "ended P(a)@2)"]),
        (
            "json",
            [
                '{"predicate": "P", "arguments": {"arg1": "a"}, "change": "began", "time": "1", "closed": false}',
                '{"predicate": "P", "arguments": {"arg1": "b"}, "change": "began", "time": "2", "closed": true}',
                '{"predicate": "P", "arguments": {"arg1": "a"}, "change": "ended", "time": "2", "closed": false}',
            ],
        ),
    ],
)
def test_changes_are_ends_of_intervals(format_, lines):
    program = thalweg.parse("Q(X) :- P(X).")
    clock = Clock(program.timeline, program.unit, TimeType("text"))
    columns = {"P": QueryColumns(("arg1",), (ArgumentType.STRING,), CHANGES, clock)}

    def change(names, codes, kind):
        column = Column.of_values(names, np.arange(len(names)))
        return Answers(Packet("P", (column,), np.array(codes), np.array(codes), program.unit), kind)

    answers = [change(["a", "b"], [3, 4], "began"), change(["a"], [3], "ended")]
    packed = [each.to_bytes() for each in answers]
    assert LineWriter(format_, program, columns).lines(packed) == lines


def test_lengths_of_time():
    assert parse_length("2min", "--delay", thalweg.parse("unit 1min. Q :- P.").unit) == 2
    assert parse_length("3/2", "--delay", thalweg.parse("Q :- P.").unit) == parse_length("1500ms", "--trigger", None)
    with pytest.raises(UsageError, match="--trigger 5: write a length of time"):
        parse_length("5", "--trigger", None)


def test_a_bound_is_promised_where_a_theorem_applies():
    tick = thalweg.parse("Q :- P.").unit
    assert promised_bound(thalweg.parse("Q(X) :- diamondminus[0,2] P(X)."), 10, tick) > 10
    assert promised_bound(thalweg.parse("Q(X) :- diamondplus[0,2] P(X)."), 10, tick) is None


class Terminal(io.StringIO):
    def isatty(self):
        return True


def held(*sizes):
    shards = ({"stage": 0, "stored_window": size, "stored_history": 0, "waiting": 0} for size in sizes)
    return BatchReport(1, 1.0, tuple(shards))


def test_an_uneven_split_is_told_once_it_matters():
    assert skew(held(900, 100)) == ["uneven: one of 2 shards of stage 1 holds 90%"]
    assert skew(held(500, 400, 300)) == []
    assert skew(held(90, 10)) == []
    assert skew(held(9000)) == []


def test_notices_are_for_terminals_and_go_when_they_are_over(monkeypatch):
    for stream, shown in ((io.StringIO(), ""), (Terminal(), "starting Spark…\r\x1b[K")):
        monkeypatch.setattr(sys, "stderr", stream)
        with notice("starting Spark…"):
            pass
        assert stream.getvalue() == shown


def test_a_line_of_progress_takes_the_place_of_the_one_before(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    refresh("batch 1")
    refresh("batch 2")
    assert sys.stderr.getvalue() == "\r\x1b[Kbatch 1\r\x1b[Kbatch 2"
