"""Reasoned streams on Spark: what each trigger answers, what is late, what survives a restart."""

import json
import time

import pytest

import thalweg
import thalweg.spark
from spark.running import Stream, joined
from thalweg.errors import UsageError
from thalweg.spark.reasoning import Options, Reasoning
from thalweg.spark.worker_errors import user_errors

STUCK = """
input Speed(vehicle: string, speed: integer).
background Road(vehicle: string, road: string).
Slow(V) :- Speed(V, S), S < 5.
Stuck(V) :- boxminus[0,2] diamondminus[0,1] Slow(V).
Seen(R) :- diamondminus[0,inf) Stuck(V), Road(V, R).
Jam(R) :- Stuck(V), Road(V, R).
"""
SPEEDS = "vehicle string, speed int, ts int"


def json_source(spark, schema=SPEEDS, name="Speed", **static):
    def source(folder):
        reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        return {name: reader.json(folder), **static}

    return source


def lines(*rows):
    names = [part.split()[0] for part in SPEEDS.split(", ")]
    text = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
    return lambda path: path.write_text(text)


def roads(spark):
    return spark.createDataFrame([("a", "A9"), ("b", "A9"), ("c", "B1")], "vehicle string, road string")


@pytest.fixture(scope="module")
def program():
    return thalweg.parse(STUCK)


def test_each_trigger_answers_what_has_become_complete(spark, tmp_path, program):
    stream = Stream(spark, tmp_path, program, "Stuck", json_source(spark), time="ts", delay="2 seconds")
    stream.feed(lines(("a", 1, 1), ("a", 1, 2), ("b", 60, 2)))
    stream.feed(lines(("a", 1, 3), ("a", 1, 4), ("b", 70, 6)))
    stream.run()
    # Before 6 − 2 all is known: a is stuck in [3, 4).
    assert [tuple(row) for row in stream.rows] == [("a", 3, 4, True, False)]
    stream.feed(lines(("b", 70, 9), ("a", 1, 5)))
    stream.run()
    assert joined(stream.rows, program) == joined([("a", 3, 6, True, True)], program)
    first, second, third = stream.metrics()
    assert (first.rows, second.rows, third.rows) == (3, 3, 2)
    assert third.late == 0
    assert third.newest == "9"
    assert third.before == "7"
    assert third.stored_window > 0
    assert 0 < third.written_bytes <= third.state_bytes


def test_rows_later_than_the_delay_are_set_aside(spark, tmp_path, program):
    stream = Stream(spark, tmp_path, program, ["Stuck"], json_source(spark), time="ts", delay=1)
    stream.feed(lines(("a", 1, 1), ("a", 1, 2), ("a", 1, 3), ("b", 9, 10)))
    stream.feed(lines(("a", 1, 9), ("a", 1, 8), ("c", 1, 2)))
    stream.run()
    aside = [tuple(row["quarantine"]) for row in stream.rows if row["output"] == "quarantine"]
    # Nothing before 10 − 1 may still come; 9 itself may.
    assert sorted(row[1] for row in aside) == ["Speed(a, 1) @ 8", "Speed(c, 1) @ 2"]
    assert {row[2] for row in aside} == {"it came too late"}
    assert [metrics.late for metrics in stream.metrics()] == [0, 2]


def test_changes_tell_when_answers_began_and_ended(spark, tmp_path, program):
    stream = Stream(spark, tmp_path, program, "Stuck", json_source(spark), time="ts", emit="changes")
    for second in range(1, 6):
        stream.feed(lines(("a", 1, second)))
    stream.feed(lines(("a", 50, 20)))
    stream.run()
    assert [tuple(row) for row in stream.rows] == [("a", "began", 3, True), ("a", "ended", 6, True)]


def test_two_stages_are_one_query_with_background(spark, tmp_path, program):
    source = json_source(spark, Road=roads(spark))
    stream = Stream(spark, tmp_path, program, ["Jam", "Seen"], source, time={"Speed": "ts"}, shards=3)
    for second in range(1, 5):
        stream.feed(lines(*((vehicle, 1, second) for vehicle in "abc")))
    stream.feed(lines(("a", 50, 9)))
    stream.run().finish()
    assert len(stream.progress[0].stateOperators) == 2
    found = {name: [row[name] for row in stream.rows if row["output"] == name] for name in ("Jam", "Seen")}
    assert joined(found["Jam"], program) == joined([("A9", 3, 5, True, True), ("B1", 3, 5, True, True)], program)
    ever = [("A9", 3, None, True, False), ("B1", 3, None, True, False)]
    assert joined(found["Seen"], program) == joined(ever, program)


def test_a_finished_stream_equals_the_batch(spark, tmp_path, program):
    rows = [(vehicle, (second * 7 + ord(vehicle)) % 9, second) for second in range(30) for vehicle in "abcdefg"]
    tables = {"Speed": spark.createDataFrame(rows, SPEEDS), "Road": roads(spark)}
    batch = thalweg.spark.reason(program, tables, "Seen", time={"Speed": "ts"}).collect()
    source = json_source(spark, Road=roads(spark))
    stream = Stream(spark, tmp_path, program, "Seen", source, time={"Speed": "ts"}, delay=3)
    for cut in range(0, len(rows), 70):
        stream.feed(lines(*reversed(rows[cut : cut + 70])))
    stream.run().finish()
    assert batch
    assert joined(stream.rows, program) == joined(batch, program)


def test_a_new_query_goes_on_from_the_checkpoint(spark, tmp_path, program):
    rows = [(vehicle, (second * 5 + ord(vehicle)) % 7, second) for second in range(24) for vehicle in "abcd"]

    def run(folder, stops):
        stream = Stream(spark, folder, program, "Stuck", json_source(spark), time="ts", shards=2)
        for number, cut in enumerate(range(0, len(rows), 24)):
            stream.feed(lines(*rows[cut : cut + 24]))
            if number in stops:
                stream.run()
        return stream.run().finish().rows

    undisturbed, stopped = run(tmp_path / "one", ()), run(tmp_path / "two", (0, 1, 2))
    assert undisturbed
    assert sorted(stopped) == sorted(undisturbed)


def test_a_checkpoint_of_another_program_is_refused(spark, tmp_path, program):
    stream = Stream(spark, tmp_path, program, "Stuck", json_source(spark), time="ts")
    stream.feed(lines(("a", 1, 1)))
    stream.run()
    stream.program = thalweg.parse(
        "% The same rules, set otherwise.\n" + STUCK.replace(", ", ",  ").replace("\n", "\n\n")
    )
    stream.feed(lines(("a", 1, 2)))
    stream.run()
    stream.program = thalweg.parse(STUCK.replace("S < 5", "S < 6"))
    stream.feed(lines(("a", 1, 3)))
    with pytest.raises(UsageError, match=r"E477.*belongs to another program") as refused, user_errors():
        stream.run()
    assert "begin anew over all facts, with a new checkpoint" in str(refused.value)


EXAMPLE_1 = """
input Signal(signal: string).
background Connect(to: string, from: string).
Flag(X, Z) :- Monit(X, Z), boxminus[0,4] diamondminus[0,2] Signal(Z).
boxplus[0,3] Monit(X, Z) :- Flag(Y, Z), Connect(X, Y).
"""


def test_recursion_across_nodes_has_the_signal_as_its_key(spark, tmp_path):
    program = thalweg.parse(EXAMPLE_1)
    network = spark.createDataFrame([("n2", "n1"), ("n3", "n2")], "to string, from string")
    monitored = [("n1", f"s{number}", 0, 5 + number) for number in range(6)]
    watch = spark.createDataFrame(monitored, "node string, signal string, from int, to int")
    signals = [(f"s{number}", second) for number in range(6) for second in range(0, 14, 1 + number % 3)]
    times = {"Signal": "ts", "Monit": ("from", "to")}
    planned = Reasoning.plan(
        program,
        {"Signal": spark.createDataFrame(signals, "signal string, ts int"), "Monit": watch, "Connect": network},
        "Flag",
        Options(time=times, shards=3),
    )
    (stage,) = planned.sharding.stages
    assert stage.keys == {"Flag": 1, "Monit": 1, "Signal": 0}
    assert stage.replicated == ("Connect",)
    facts = [f"Signal({signal})@{second}" for signal, second in signals]
    facts += [f"Monit({node},{signal})@[{low},{high}]" for node, signal, low, high in monitored]
    facts += ["Connect(n2,n1)@(-inf,inf)", "Connect(n3,n2)@(-inf,inf)"]
    expected = thalweg.materialise(program, "\n".join(facts), queries="Flag").facts()
    assert {arguments[0] for _, arguments in expected} == {"n1", "n2", "n3"}
    found = joined(planned.one_query().collect(), program)
    assert found == {arguments: held for (_, arguments), held in expected.items()}

    def source(folder):
        return {
            "Signal": spark.readStream.schema("signal string, ts int").option("maxFilesPerTrigger", 1).json(folder),
            "Monit": watch,
            "Connect": network,
        }

    stream = Stream(spark, tmp_path, program, "Flag", source, time=times, shards=3)
    signals.sort(key=lambda row: row[1])
    for part in (signals[:20], signals[20:]):
        text = "".join(json.dumps({"signal": signal, "ts": second}) + "\n" for signal, second in part)
        stream.feed(lambda path, text=text: path.write_text(text))
    stream.run().finish()
    assert joined(stream.rows, program) == found


def test_demo_sources_carry_time_of_their_own(spark, tmp_path):
    program = thalweg.parse("Even(X) :- Tick(X), X = 2 * Y, Number(Y). Number(0)@(-inf,inf). Number(1)@(-inf,inf).")
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 4).option("startTimestamp", 0)
    ticks = source.option("advanceMillisPerBatch", 1000).load().selectExpr("timestamp", "value")
    found = []
    answers = thalweg.spark.reason(program, {"Tick": ticks}, "Even", time="timestamp")
    writer = answers.writeStream.foreachBatch(lambda frame, _: found.extend(frame.collect()))
    query = writer.option("checkpointLocation", str(tmp_path)).start()
    try:
        deadline = time.monotonic() + 120
        while len(found) < 2 and time.monotonic() < deadline and query.isActive:
            time.sleep(0.2)
    finally:
        query.stop()
    assert sorted(row.arg1 for row in found)[:2] == [0, 2]
