"""The DataFrame interface: types in, types out, what is refused."""

import datetime
import json
from decimal import Decimal

import pytest
from pyspark.sql import functions as F  # noqa: N812  # what everybody calls it

import thalweg
import thalweg.spark
from spark.running import joined
from thalweg.errors import DataError, ProgramError, UsageError

UTC = datetime.UTC

STOPPED = """
input Speed(vehicle: string, speed: integer).
background Road(vehicle: string, road: string).
Slow(V) :- Speed(V, S), S < 5.
Stopped(V) :- boxminus[0,2] diamondminus[0,1] Slow(V).
Blocked(R) :- Stopped(V), Road(V, R).
"""


@pytest.fixture(scope="module")
def program():
    return thalweg.parse(STOPPED)


def moment(second):
    return datetime.datetime(2024, 3, 1, 12, 0, second)


def speeds(spark, times, kind):
    rows = [("a", 1, times[0]), ("a", 0, times[1]), ("a", 2, times[2]), ("a", 60, times[3]), ("b", 70, times[0])]
    return spark.createDataFrame(rows, f"vehicle string, speed int, ts {kind}")


@pytest.mark.parametrize(
    ("kind", "times", "shown"),
    [
        ("timestamp", [moment(s) for s in range(4)], (moment(2), moment(3))),
        ("timestamp_ntz", [moment(s) for s in range(4)], (moment(2), moment(3))),
        ("int", [10, 11, 12, 13], (12, 13)),
        ("decimal(10,1)", [Decimal(f"{n}.0") for n in range(4)], (Decimal("2.0"), Decimal("3.0"))),
    ],
)
def test_answers_have_the_time_type_of_the_input(spark, program, kind, times, shown):
    answers = thalweg.spark.reason(program, {"Speed": speeds(spark, times, kind)}, "Stopped", time="ts")
    assert answers.columns == ["arg1", "start", "end", "start_closed", "end_closed"]
    expected = {"int": "bigint", "decimal(10,1)": "decimal(38,1)"}.get(kind, kind)
    assert answers.schema["start"].dataType.simpleString() == expected
    assert [tuple(row) for row in answers.collect()] == [("a", *shown, True, True)]


def test_dates_count_days(spark):
    program = thalweg.parse("unit 1d. P(X) :- boxminus[0,1] diamondminus[0,1] Q(X).")
    days = [datetime.date(2024, 2, n) for n in (27, 28, 29)]
    rows = spark.createDataFrame([("x", day) for day in days], "name string, day date")
    answers = thalweg.spark.reason(program, {"Q": rows}, "P", time="day")
    expected = ("x", datetime.date(2024, 2, 28), datetime.date(2024, 3, 1), True, True)
    assert [tuple(row) for row in answers.collect()] == [expected]


def test_intervals_come_from_two_columns(spark):
    program = thalweg.parse("P(X) :- boxminus[0,2] Q(X).")
    rows = spark.createDataFrame(
        [("x", 1, 9, True, False), ("y", None, 3, True, True), ("z", 1, 2, True, True)],
        "name string, from int, to int, start_closed boolean, end_closed boolean",
    )
    answers = thalweg.spark.reason(program, {"Q": rows}, "P", time=("from", "to"))
    found = {tuple(row) for row in answers.collect()}
    assert found == {("x", 3, 9, True, False), ("y", None, 3, False, True)}


def test_arguments_keep_their_types(spark):
    program = thalweg.parse("P(A, B, C, D, E) :- Q(A, B, C, D, X), E = X + 1.")
    rows = spark.createDataFrame(
        [("x", True, 0.1, Decimal("2.50"), 7, 3)],
        "a string, b boolean, c double, d decimal(8,2), e long, time int",
    )
    answers = thalweg.spark.reason(program, {"Q": rows}, "P")
    kinds = [field.dataType.simpleString() for field in answers.schema][:5]
    assert kinds == ["string", "boolean", "double", "decimal(38,18)", "bigint"]
    assert tuple(answers.first())[:5] == ("x", True, 0.1, Decimal("2.5"), 8)


def test_declared_names_go_before_the_order_of_columns(spark, program):
    rows = spark.createDataFrame([(1, 10, "a"), (1, 11, "a"), (1, 12, "a")], "speed int, ts int, vehicle string")
    answers = thalweg.spark.reason(program, {"Speed": rows}, "Slow", time="ts")
    assert {row.arg1 for row in answers.collect()} == {"a"}


def test_static_tables_without_time_hold_always(spark, program):
    roads = spark.createDataFrame([("a", "A9")], "vehicle string, road string")
    tables = {"Speed": speeds(spark, [1, 2, 3, 4], "int"), "Road": roads}
    answers = thalweg.spark.reason(program, tables, "Blocked", time={"Speed": "ts"})
    assert [tuple(row) for row in answers.collect()] == [("A9", 3, 4, True, True)]


def test_several_queries_are_tagged(spark, program):
    tables = {"Speed": speeds(spark, [1, 2, 3, 4], "int")}
    tagged = thalweg.spark.reason(program, tables, ["Slow", "Stopped"], time="ts")
    parts = thalweg.spark.split(tagged)
    assert set(parts) == {"Slow", "Stopped", "quarantine"}
    assert parts["Slow"].count() == 3
    assert parts["Stopped"].count() == 1
    assert parts["quarantine"].count() == 0


def test_answers_at_time_points(spark, program):
    tables = {"Speed": speeds(spark, [1, 2, 3, 4], "int")}
    at_data = thalweg.spark.reason(program, tables, "Stopped", time="ts", at="data")
    assert [tuple(row) for row in at_data.orderBy("time").collect()] == [("a", 3), ("a", 4)]
    every = thalweg.spark.reason(program, tables, "Stopped", time="ts", at="every:2")
    assert [tuple(row) for row in every.collect()] == [("a", 4)]


@pytest.mark.parametrize("end", [moment(2), "2024-03-01T12:00:02", "2024-03-01T13:00:02+01:00", 1709294402])
def test_an_end_of_time_can_be_given_in_many_ways(spark, program, end):
    tables = {"Speed": speeds(spark, [moment(s) for s in range(4)], "timestamp")}
    answers = thalweg.spark.reason(program, tables, "Stopped", time="ts", end=end)
    assert [tuple(row) for row in answers.collect()] == [("a", moment(2), moment(2), True, True)]


def test_at_least_two_shards_do_work(spark, program):
    rows = spark.range(400).select(
        F.concat(F.lit("v"), F.col("id") % 40).alias("vehicle"),
        F.lit(1).alias("speed"),
        (F.col("id") / 40).cast("int").alias("ts"),
    )
    planned = _planned(program, {"Speed": rows}, "Stopped", shards=4)
    told = planned.transport.where("tag = 'progress'").select(F.col("payload").cast("string")).collect()
    answers = [json.loads(row[0])["answers"] for row in told]
    assert len(answers) == 4
    assert sum(1 for count in answers if count) >= 2
    assert sum(answers) == 40
    partitions = planned.transport.where("tag = 'answers'").select(F.spark_partition_id()).distinct().count()
    assert partitions == 2


def _planned(program, tables, query, **options):
    from thalweg.spark.reasoning import Options, Reasoning

    return Reasoning.plan(program, tables, query, Options(time="ts", **options))


def test_the_number_of_shards_and_partitions_does_not_matter(spark, program):
    rows = spark.range(300).select(
        F.concat(F.lit("v"), F.col("id") % 13).alias("vehicle"),
        ((F.col("id") * 7) % 11).cast("int").alias("speed"),
        (F.col("id") / 13).cast("int").alias("ts"),
    )
    seen = []
    for shards, partitions in ((1, 1), (2, 2), (5, 3)):
        spread = rows.repartition(partitions).orderBy(F.rand(shards))
        answers = thalweg.spark.reason(program, {"Speed": spread}, "Stopped", time="ts", shards=shards)
        seen.append(joined(answers.collect(), program))
    assert seen[0]
    assert seen[0] == seen[1] == seen[2]


def refused(spark, program, rows, schema, time="ts", **options):
    frame = spark.createDataFrame(rows, schema)
    with pytest.raises(DataError) as error:
        thalweg.spark.reason(program, {"Speed": frame}, "Stopped", time=time, **options)
    return str(error.value)


def test_a_missing_column_is_named(spark, program):
    said = refused(spark, program, [("a", 1, 2)], "vehicle string, speeed int, ts int")
    assert "there is no column speed, which Speed declares" in said
    assert "did you mean speeed" in said


def test_a_wrong_type_is_named(spark, program):
    said = refused(spark, program, [("a", "1", 2)], "vehicle string, speed string, ts int")
    assert "column speed has type string, but the program declares it as integer" in said


def test_a_time_column_that_is_not_time_is_named(spark, program):
    said = refused(spark, program, [("a", 1, "x")], "vehicle string, speed int, ts string")
    assert "column ts has type string, which is not a time" in said


def test_a_missing_time_column_is_named(spark, program):
    said = refused(spark, program, [("a", 1, 2)], "vehicle string, speed int, tss int")
    assert "there is no column ts to say when a row holds" in said


def test_an_unknown_table_is_named(spark, program):
    frame = spark.createDataFrame([("a", 1, 2)], "vehicle string, speed int, ts int")
    with pytest.raises(DataError, match="does not mention Sped") as error:
        thalweg.spark.reason(program, {"Sped": frame}, "Stopped", time="ts")
    assert "did you mean Speed" in str(error.value)


def test_an_unknown_query_is_named(spark, program):
    with pytest.raises(ProgramError, match="Stoped"):
        thalweg.spark.reason(program, {"Speed": speeds(spark, [1, 2, 3, 4], "int")}, "Stoped", time="ts")


def test_times_of_different_kinds_do_not_mix(spark, program):
    roads = spark.createDataFrame([("a", "A9", moment(1))], "vehicle string, road string, ts timestamp")
    with pytest.raises(DataError, match="different kinds"):
        thalweg.spark.reason(
            program, {"Speed": speeds(spark, [1, 2, 3, 4], "int"), "Road": roads}, "Blocked", time="ts"
        )


def test_answers_between_microseconds_are_refused(spark):
    program = thalweg.parse("P(X) :- diamondminus[1/3,1/3] Q(X).")
    rows = spark.createDataFrame([("x", moment(1))], "name string, time timestamp")
    with pytest.raises(DataError, match="between microseconds"):
        thalweg.spark.reason(program, {"Q": rows}, "P")


def test_a_null_in_a_key_is_named_with_its_row(spark, program):
    from thalweg.spark.worker_errors import user_errors

    frame = spark.createDataFrame([("a", 1, 2), (None, 3, 4)], "vehicle string, speed int, ts int")
    answers = thalweg.spark.reason(program, {"Speed": frame}, "Stopped", time="ts")
    with pytest.raises(DataError) as error, user_errors():
        answers.collect()
    assert "there is no value in column vehicle" in str(error.value)
    assert "speed=3" in str(error.value)


def test_bad_rows_can_be_set_aside(spark, program):
    frame = spark.createDataFrame(
        [("a", 1, 2), ("a", 1, 3), (None, 3, 4), ("a", None, 5), ("a", 2, 4)], "vehicle string, speed int, ts int"
    )
    tagged = thalweg.spark.reason(program, {"Speed": frame}, ["Stopped"], time="ts", bad="quarantine")
    parts = thalweg.spark.split(tagged)
    assert {tuple(row)[:2] for row in parts["Stopped"].collect()} == {("a", 4)}
    aside = {(row[0], row[2].partition(" (in")[0]) for row in parts["quarantine"].collect()}
    assert aside == {
        ("Speed", "E442: there is no value in column speed"),
        ("Speed", "E442: there is no value in column vehicle"),
    }


def test_numbers_that_no_code_holds_are_an_error(spark):
    from thalweg.spark.worker_errors import user_errors

    program = thalweg.parse("P(X) :- Q(X).")
    frame = spark.createDataFrame([(1 << 62, 1)], "number long, time int")
    with pytest.raises(DataError, match="out of range"), user_errors():
        thalweg.spark.reason(program, {"Q": frame}, "P").collect()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"emit": "diffs"}, "write intervals or changes"),
        ({"bad": "drop"}, "write fail or quarantine"),
        ({"shards": 0}, "at least one"),
        ({"delay": "10 parsecs"}, "not a unit of time"),
        ({"emit": "changes"}, "changes are for streams"),
        ({"query": []}, "there is no query"),
    ],
)
def test_options_that_make_no_sense_are_refused(spark, program, options, said):
    tables = {"Speed": speeds(spark, [1, 2, 3, 4], "int")}
    with pytest.raises(UsageError, match=said):
        thalweg.spark.reason(program, tables, **{"query": "Stopped", "time": "ts", **options})


def test_texts_that_look_like_nulls_are_set_aside(spark):
    program = thalweg.parse("timeline integer. input Belt(B). exists O: Operator(B, O) :- Belt(B).")
    frame = spark.createDataFrame([("b1", 1), ("_:x", 2)], "belt string, ts int")
    tagged = thalweg.spark.reason(program, {"Belt": frame}, ["Operator"], time="ts", bad="quarantine")
    parts = thalweg.spark.split(tagged)
    assert {tuple(row)[:2] for row in parts["Operator"].collect()} == {("b1", "_:O.1(b1@1)")}
    assert [row[2].partition(":")[0] for row in parts["quarantine"].collect()] == ["E438"]
