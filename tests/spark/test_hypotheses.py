"""Hypothetical answers on Spark: streams and static tables, times, late rows, restarts."""

import datetime
import json
import random
from collections import Counter

import pytest

import thalweg
import thalweg.spark
from shards.hypothesis_runs import Told
from spark.running import Stream
from thalweg.errors import ProgramError, UsageError

TURBINE = """
timeline integer.
input Temp(turbine: string, level: string).
output Malf(turbine: string).
delay Temp(_, _) = 2 with 0.6, 0.3, 0.1.
probability Temp(_, high) = 0.5.
Flag(X) at T :- Temp(X, high) at T.
Cool(X) at T+1 :- Flag(X) at T, Flag(X) at T+1.
Shdn(X) at T+1 :- Cool(X) at T, Flag(X) at T+1.
Malf(X) at T-2 :- Shdn(X) at T.
"""
ROWS = "turbine string, level string, ts {time}"


@pytest.fixture(scope="module")
def program():
    return thalweg.parse(TURBINE)


class HypothesisRun(Stream):
    """A stream that is asked for hypothetical answers."""

    ask = staticmethod(thalweg.spark.hypotheses)


def stream_of(spark, folder, program, query="Malf", kind="int", **options):
    def read(path):
        return {"Temp": spark.readStream.schema(ROWS.format(time=kind)).option("maxFilesPerTrigger", 1).json(path)}

    return HypothesisRun(spark, folder, program, query, read, time="ts", **options)


def lines(*rows):
    names = ("turbine", "level", "ts")
    text = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
    return lambda path: path.write_text(text)


def high(*times, turbine="wt2"):
    return [(turbine, "high", time) for time in times]


def told(rows):
    return {(row.status, row.turbine, row.time) for row in rows}


def in_process(program, batches):
    """The lines of a stream in this process, batch by batch."""
    stream, found = thalweg.HypothesisStream(program, "Malf"), []
    for rows in batches:
        found += stream.advance("\n".join(f"Temp({x},{level})@{time}" for x, level, time in rows)).table().to_pylist()
    return found


def test_rows_out_of_order_open_extend_confirm_and_refute(spark, tmp_path, program):
    batches = [high(1), [*high(0), *high(1, turbine="wt3")], high(2), [("wt9", "low", 9)]]
    stream = stream_of(spark, tmp_path, program)
    for rows in batches:
        stream.feed(lines(*rows))
    stream.run()
    (row,) = [row for row in stream.rows if (row.status, row.turbine, row.time) == ("opened", "wt2", 0)]
    assert [tuple(each) for each in row.evidence] == [("Temp", ["wt2", "high"], 1)]
    assert [tuple(each) for each in row.hypotheses] == [
        ("Temp", ["wt2", "high"], 0, 2, False),
        ("Temp", ["wt2", "high"], 2, 4, False),
    ]
    assert row.deadline == 4
    assert 0 < row.confidence < 0.5
    assert {("extended", "wt2", 0), ("confirmed", "wt2", 0), ("refuted", "wt3", 1)} <= told(stream.rows)
    expected = in_process(program, batches)
    assert Counter(map(repr, (row.asDict(recursive=True) for row in stream.rows))) == Counter(map(repr, expected))
    assert [metrics.late for metrics in stream.metrics()] == [0, 0, 0, 0]
    assert (stream.metrics()[-1].stored_window, stream.metrics()[-1].newest) == (0, "9")


def test_times_are_those_of_the_input_inside_lists_too(spark, tmp_path, program):
    moment = datetime.datetime(2024, 3, 1, 12)
    text = [(x, level, (moment + datetime.timedelta(seconds=second)).isoformat()) for x, level, second in high(0, 2)]
    stream = stream_of(spark, tmp_path, program, kind="timestamp_ntz")
    stream.feed(lines(*text))
    stream.run()
    row = next(row for row in stream.rows if row.time == moment)
    assert [fact.time for fact in row.evidence] == [moment, moment + datetime.timedelta(seconds=2)]
    assert [(each.time, each.until) for each in row.hypotheses] == [
        (moment + datetime.timedelta(seconds=1), moment + datetime.timedelta(seconds=3))
    ]
    assert row.deadline == moment + datetime.timedelta(seconds=3)


def test_late_rows_are_set_aside_by_the_delay_of_their_instance(spark, tmp_path):
    text = TURBINE.replace(
        "delay Temp(_, _) = 2 with 0.6, 0.3, 0.1.", 'delay Temp(_, _) = 1. delay Temp("slow", _) = 5.'
    )
    stream = stream_of(spark, tmp_path, thalweg.parse(text), query=["Malf"], shards=2)
    stream.feed(lines(*high(0), *high(10, turbine="x")))
    stream.feed(lines(*high(9, 8, turbine="x"), *high(5, 4, turbine="slow")))
    stream.run()
    aside = [row["quarantine"] for row in stream.rows if row["output"] == "quarantine"]
    # The time points up to 9 are over: one of them is waited for while 9 < t + δ.
    assert {row.row for row in aside} == {"Temp(x, high) @ 8", "Temp(slow, high) @ 4"}
    assert {row.reason for row in aside} == {"it came too late"}
    assert [metrics.late for metrics in stream.metrics()] == [0, 2]
    answers = [row["Malf"] for row in stream.rows if row["output"] == "Malf"]
    assert ("opened", "slow", 5) in told(answers)


def arrivals(seed):
    chooser = random.Random(seed)
    rows = [(f"wt{chooser.randint(1, 6)}", chooser.choice(("high", "high", "low")), t // 4) for t in range(80)]
    rows.sort(key=lambda row: row[2] + chooser.randint(0, 5))
    return [rows[start : start + 10] for start in range(0, len(rows), 10)]


def test_a_restart_changes_nothing_and_all_equals_the_stream_in_one_process(spark, tmp_path, program):
    batches = arrivals(1)

    def run(folder, stops):
        stream = stream_of(spark, folder, program, shards=2)
        for number, rows in enumerate(batches):
            stream.feed(lines(*rows))
            if number in stops:
                stream.run()
        return stream.run().finish()

    one, several = run(tmp_path / "one", ()), run(tmp_path / "several", (1, 3))
    rows = [Told.of([row.asDict(recursive=True) for row in each.rows]) for each in (one, several)]
    assert rows[0] == rows[1]
    stream = thalweg.HypothesisStream(program, "Malf")
    expected = []
    for batch in batches:
        text = "\n".join(f"Temp({x},{level})@{time}" for x, level, time in batch)
        expected += stream.advance(text).table().to_pylist()
    expected += stream.advance((), 1000).table().to_pylist()
    assert rows[0].statuses == Told.of(expected).statuses
    assert sum(metrics.late for metrics in one.metrics()) == stream.late_count > 0
    assert one.metrics()[-1].stored_window == 0


def test_static_tables_are_what_has_arrived_so_far(spark, program):
    rows = [*high(0, 1, 2), *high(2, turbine="wt5"), ("wt6", "low", 2)]
    table = spark.createDataFrame(rows, ROWS.format(time="int"))
    found = thalweg.spark.hypotheses(program, {"Temp": table}, "Malf", time="ts", shards=3).collect()
    stream = thalweg.HypothesisStream(program, "Malf")
    confirmed = stream.advance("\n".join(f"Temp({x},{level})@{time}" for x, level, time in rows)).table().to_pylist()
    assert ("confirmed", "wt2", 0) in told(found)
    assert {row.status for row in found} == {"confirmed", "open"}
    expected = [row for row in confirmed if row["status"] == "confirmed"]
    expected += [{**row, "status": "open"} for row in stream.open().table().to_pylist()]
    assert Told.of([row.asDict(recursive=True) for row in found]) == Told.of(expected)


def test_tables_without_time_are_background_beside_a_stream(spark, tmp_path):
    program = thalweg.parse(
        "timeline integer. input Temp(turbine: string, level: string). input Site(turbine: string, site: string)."
        " delay Temp = 1."
        " Hot(S, X) at T :- Temp(X, high) at T, Temp(X, high) at T+1, Site(X, S). Temp(wt2, high)@0."
    )
    sites = spark.createDataFrame([("wt2", "north"), ("wt3", "south")], "turbine string, site string")

    def read(path):
        return {"Temp": spark.readStream.schema(ROWS.format(time="int")).json(path), "Site": sites}

    stream = HypothesisRun(spark, tmp_path, program, "Hot", read, time={"Temp": "ts"}, shards=2)
    stream.feed(lines(*high(1), *high(1, turbine="wt9")))
    stream.run()
    assert [tuple(row)[:4] for row in stream.rows if row.status == "confirmed"] == [("north", "wt2", 0, "confirmed")]
    assert {row[1] for row in stream.rows} == {"wt2"}


class TestRefusals:
    def ask(self, spark, program, **options):
        table = spark.createDataFrame(high(0), ROWS.format(time="int"))
        asked = {"query": "Malf", "time": "ts", **options}
        return thalweg.spark.hypotheses(program, {"Temp": table}, asked.pop("query"), **asked)

    def test_calls_that_mean_nothing(self, spark, program):
        with pytest.raises(UsageError, match="one query"):
            self.ask(spark, program, query=["Malf", "Cool"])
        with pytest.raises(UsageError, match="Temp is not derived by any rule"):
            self.ask(spark, program, query="Temp")
        with pytest.raises(UsageError, match="time points are whole numbers"):
            self.ask(spark, program, delay="1500 ms")
        with pytest.raises(UsageError, match="from 0 to 1"):
            self.ask(spark, program, min_confidence=2)

    def test_recursion_needs_a_depth(self, spark):
        program = thalweg.parse(
            "timeline integer. input Temp(string, string). delay Temp = 1. Up(X) at T+1 :- Up(X) at T."
            " Up(X) at T :- Temp(X, high) at T."
        )
        with pytest.raises(ProgramError, match="E35"):
            self.ask(spark, program, query="Up")
        assert self.ask(spark, program, query="Up", depth=2).count() > 0
