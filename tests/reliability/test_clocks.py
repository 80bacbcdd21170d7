"""Clocks that are odd: far years, fine fractions, time zones, hours that a clock change skips or repeats.

Whatever form they come in, times are exact in the answers, in process and on Spark alike, or they are refused.
"""

import csv
import datetime
import json
import os
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thalweg
import thalweg.spark
from cli.calling import call, call_as_it_is
from thalweg.errors import DataError
from thalweg.spark.time_types import TimeType, times_of
from thalweg.time.timeline import Timeline
from thalweg.time.units import UNITS

RULES = """
input P(x: string).
output Q(x: string).
Q(X) :- diamondminus[0,0] P(X).
"""
"""What comes in goes out, by way of all the reasoning there is."""

MAIN = "from thalweg.cli.main import main; main()"

MOMENTS = {
    "the year 1": "0001-01-01T00:00:00",
    "the end of the year 9999": "9999-12-31T23:59:59.999999",
    "a day that the Julian calendar had": "1000-02-28T12:00:00",
    "a day that was left out in 1582": "1582-10-10T00:00:00.000001",
    "just before 1582-10-15": "1582-10-14T23:59:59.999999",
    "before time zones": "1850-07-01T06:30:00.5",
    "one microsecond before 1970": "1969-12-31T23:59:59.999999",
    "a second of 1970": "1970-01-01T00:00:01",
    "a leap day": "2024-02-29T23:59:59.999999",
    "an hour that New York skips": "2024-03-10T02:30:00.123456",
    "an hour that New York has twice": "2024-11-03T01:30:00",
    "the same hour again": "2024-11-03T06:30:00",
    "after what 32 bits can count": "2038-01-19T03:14:08",
    "after what nanoseconds can count": "2262-04-12T00:00:00",
}
"""By what is odd with them; all in UTC."""


def microseconds(text):
    since = datetime.datetime.fromisoformat(text) - datetime.datetime(1970, 1, 1)
    return (since.days * 86_400 + since.seconds) * 10**6 + since.microseconds


COUNTS = {name: microseconds(text) for name, text in MOMENTS.items()}
DAYS = {name: count // 86_400_000_000 for name, count in COUNTS.items()}
NEAR = {name: count for name, count in COUNTS.items() if abs(count) < 9_200_000_000_000_000}


def column(kind, counts=COUNTS, microseconds_each=1):
    return pa.array([count // microseconds_each for count in counts.values()], pa.int64()).cast(kind)


def seconds(counts, microseconds_each=1):
    """What a program in seconds must say, as exact numbers."""
    return {name: Fraction(count // microseconds_each * microseconds_each, 10**6) for name, count in counts.items()}


FORMS = {
    "microseconds without a zone": (pa.timestamp("us"), 1),
    "microseconds in UTC": (pa.timestamp("us", "UTC"), 1),
    "microseconds in New York": (pa.timestamp("us", "America/New_York"), 1),
    "microseconds at +05:30": (pa.timestamp("us", "+05:30"), 1),
    "milliseconds without a zone": (pa.timestamp("ms"), 1000),
    "milliseconds in UTC": (pa.timestamp("ms", "UTC"), 1000),
    "seconds": (pa.timestamp("s"), 10**6),
    "days": (pa.date32(), 86_400 * 10**6),
}


def days_or(kind, each):
    counts = DAYS if pa.types.is_date32(kind) else COUNTS
    if pa.types.is_date32(kind):
        return pa.array([*counts.values()], pa.int32()).cast(kind)
    return column(kind, counts, each)


def table_of(times, names=MOMENTS):
    return pa.table({"x": [*names], "time": times})


def starts(table):
    """When each answer begins, as the exact number in the table."""
    return {row["x"]: Fraction(row["start"]) for row in table.to_pylist()}


@pytest.fixture(scope="module")
def program():
    return thalweg.parse(RULES)


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("clocks.rules").write_text(RULES)
    return tmp_path


def printed(outcome):
    """The answers of a run, as numbers by name."""
    assert (outcome.code, outcome.err) == (0, "")
    found = {}
    for line in outcome.lines:
        name, _, times = line.removeprefix("Q(").partition(")@[")
        first, last = times.rstrip("]").split(",")
        assert first == last
        found[name.strip('"')] = Fraction(first)
    return found


class TestInProcess:
    @pytest.mark.parametrize("form", FORMS)
    def test_arrow_tables_are_exact(self, program, form):
        kind, each = FORMS[form]
        model = thalweg.materialise(program, {"P": table_of(days_or(kind, each))})
        assert starts(model.table("Q")) == seconds(COUNTS, each)

    @pytest.mark.parametrize("zone", [None, "UTC"])
    def test_nanoseconds_are_exact_where_they_can_be_counted(self, program, zone):
        times = pa.array([1_000_000_000_000_000_007, 5], pa.int64()).cast(pa.timestamp("ns", zone))
        hours = thalweg.parse(RULES.replace("input", "timeline rational.\ninput", 1))
        near = thalweg.materialise(hours, {"P": pa.table({"x": ["b"], "time": times[1:]})})
        assert starts(near.table("Q")) == {"b": Fraction(5, 10**9)}
        with pytest.raises(DataError, match=r"E431.*too far from 0"):
            thalweg.materialise(program, {"P": pa.table({"x": ["a", "b"], "time": times})})

    def test_nanoseconds_that_are_whole_microseconds_are_exact(self, program):
        times = pa.array([count * 1000 for count in NEAR.values()], pa.int64()).cast(pa.timestamp("ns"))
        model = thalweg.materialise(program, {"P": table_of(times, NEAR)})
        assert starts(model.table("Q")) == seconds(NEAR)

    @pytest.mark.parametrize("format_", ["%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%d %H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%S.%f+00:00"])
    def test_csv_is_exact(self, in_folder, format_):
        texts = {name: datetime.datetime.fromisoformat(text).strftime(format_) for name, text in MOMENTS.items()}
        lines = [
            f'"{name}",{text.rjust(len("0001") + len(text.lstrip("0123456789")), "0")}' for name, text in texts.items()
        ]
        Path("P.csv").write_text("x,time\n" + "\n".join(lines) + "\n")
        assert printed(call("run", "clocks.rules", "P.csv")) == seconds(COUNTS)

    def test_an_offset_in_csv_is_taken_off(self, in_folder):
        # New York, before and after an hour that is there twice.
        Path("P.csv").write_text("x,time\na,2024-11-03T01:30:00-04:00\nb,2024-11-03T01:30:00-05:00\n")
        found = printed(call("run", "clocks.rules", "P.csv"))
        assert found["b"] - found["a"] == 3600
        assert found["a"] == Fraction(microseconds("2024-11-03T05:30:00"), 10**6)

    @pytest.mark.parametrize(
        "text",
        ["2016-12-31T23:59:60Z", "2023-02-29", "1500-02-29", "2024-03-01T24:00:00", "10000-01-01", "2024-03-01 12:61"],
    )
    def test_what_is_in_no_calendar_is_refused(self, in_folder, text):
        Path("P.csv").write_text(f"x,time\na,{text}\n")
        outcome = call("run", "clocks.rules", "P.csv")
        assert outcome.code == 1
        assert "E443" in outcome.err
        assert text in outcome.err

    def test_times_in_fact_files_are_numbers(self, in_folder):
        text = "".join(f'P("{name}")@{count}/1000000\n' for name, count in COUNTS.items())
        Path("clocks.facts").write_text(text)
        assert printed(call("run", "clocks.rules", "clocks.facts")) == seconds(COUNTS)
        Path("wrong.facts").write_text("P(a)@2024-03-01T12:00:00\n")
        assert call("run", "clocks.rules", "wrong.facts").code == 1

    @pytest.mark.parametrize("version", ["1.0", "2.6"])
    @pytest.mark.parametrize("form", FORMS)
    def test_parquet_is_exact(self, in_folder, form, version):
        kind, each = FORMS[form]
        pq.write_table(table_of(days_or(kind, each)), "P.parquet", version=version)
        assert printed(call("run", "clocks.rules", "P.parquet")) == seconds(COUNTS, each)

    def test_int96_in_parquet_is_exact_in_any_year(self, in_folder):
        # As nanoseconds in 64 bits, which is how Arrow reads it, the year 1 would be 1754.
        pq.write_table(table_of(column(pa.timestamp("us"))), "P.parquet", use_deprecated_int96_timestamps=True)
        assert printed(call("run", "clocks.rules", "P.parquet")) == seconds(COUNTS)

    def test_int96_with_nanoseconds_is_exact_or_refused(self, in_folder):
        times = pa.array([5, None, 1_000_000_123], pa.int64()).cast(pa.timestamp("ns"))
        table = pa.table({"x": ["a", "b", "c"], "start": times, "end": times})
        pq.write_table(table, "P.parquet", use_deprecated_int96_timestamps=True)
        outcome = call("run", "clocks.rules", "P.parquet")
        assert sorted(outcome.lines) == [
            "Q(a)@[0.000000005,0.000000005]",
            "Q(b)@(-inf,inf)",
            "Q(c)@[1.000000123,1.000000123]",
        ]

    def test_dates_of_the_old_calendar_are_refused(self, in_folder):
        old = pa.table({"x": ["a"], "time": pa.array([-141_428], pa.int32()).cast(pa.date32())})
        old = old.replace_schema_metadata({"org.apache.spark.legacyDateTime": ""})
        pq.write_table(old, "P.parquet")
        outcome = call("run", "clocks.rules", "P.parquet")
        assert outcome.code == 1
        assert (
            "P.parquet: error[E473]: column time has times before 1582 that were written in the old calendar"
            in outcome.err
        )
        young = old.set_column(1, "time", pa.array([-141_427], pa.int32()).cast(pa.date32()))
        pq.write_table(young, "P.parquet")
        assert call("run", "clocks.rules", "P.parquet").code == 0


ZONES = ("UTC", "America/New_York", "Asia/Kolkata")


@pytest.fixture(params=ZONES)
def zone(request, spark):
    """The zone of the session, which decides how Spark shows times, and must not decide when they are."""
    name, before = "spark.sql.session.timeZone", spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set(name, request.param)
    yield request.param
    spark.conf.set(name, before)


@pytest.fixture
def local_time():
    """Sets the zone of this process, as the driver of a job has one."""
    before = os.environ.get("TZ")

    def set_to(zone):
        os.environ["TZ"] = zone
        time.tzset()

    yield set_to
    os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
    time.tzset()


def collected(frame):
    """When each answer begins, in microseconds from 1970."""
    table = frame.toArrow()
    counts = table.column("start")
    if pa.types.is_date32(counts.type):
        return {
            x: day * 86_400_000_000
            for x, day in zip(table.column("x").to_pylist(), counts.cast(pa.int32()).to_pylist(), strict=True)
        }
    assert counts.type.unit == "us"
    return dict(zip(table.column("x").to_pylist(), counts.cast(pa.int64()).to_pylist(), strict=True))


class TestOnSpark:
    @pytest.mark.parametrize("form", FORMS)
    def test_parquet_is_exact_whatever_the_zone_of_the_session(self, spark, zone, program, tmp_path, form):
        kind, each = FORMS[form]
        pq.write_table(table_of(days_or(kind, each)), tmp_path / "P.parquet")
        frame = spark.read.parquet(str(tmp_path / "P.parquet"))
        answers = collected(thalweg.spark.reason(program, {"P": frame}, "Q"))
        assert answers == {name: count // each * each for name, count in COUNTS.items()}

    def test_int96_is_exact(self, spark, zone, program, tmp_path):
        path = tmp_path / "P.parquet"
        pq.write_table(table_of(column(pa.timestamp("us"))), path, use_deprecated_int96_timestamps=True)
        assert collected(thalweg.spark.reason(program, {"P": spark.read.parquet(str(path))}, "Q")) == COUNTS

    def test_the_zone_of_the_driver_changes_nothing(self, spark, zone, program, tmp_path, local_time):
        pq.write_table(table_of(column(pa.timestamp("us", "UTC"))), tmp_path / "P.parquet")
        local_time("Pacific/Apia" if zone == "UTC" else "UTC")
        frame = spark.read.parquet(str(tmp_path / "P.parquet"))
        answers = thalweg.spark.reason(program, {"P": frame}, "Q", start="0001-01-01", end="9999-12-31T23:59:59.999999")
        assert collected(answers) == COUNTS

    def test_answers_that_fall_between_dates_have_no_time_zone(self, spark, zone):
        program = thalweg.parse(RULES.replace("[0,0]", "[0,1.5]"))
        rows = spark.createDataFrame([("a", datetime.date(2024, 3, 10))], "x string, time date")
        (row,) = thalweg.spark.reason(program, {"P": rows}, "Q").collect()
        assert row.start == datetime.datetime(2024, 3, 10)
        assert row.end == datetime.datetime(2024, 3, 10, 0, 0, 1, 500_000)

    def test_dates_beside_timestamps_need_a_session_in_utc(self, spark, zone):
        program = thalweg.parse("input P(x: string). input R(x: string). Q(X) :- P(X), R(X).")
        days = spark.createDataFrame([("a", datetime.date(2024, 3, 10))], "x string, time date")
        moments = days.selectExpr("x", "timestamp'2024-03-10 00:00:00+00:00' AS time")
        if zone == "UTC":
            assert len(thalweg.spark.reason(program, {"P": days, "R": moments}, "Q").collect()) == 1
            return
        with pytest.raises(DataError, match=rf"E461.*the time zone of the session is {zone}"):
            thalweg.spark.reason(program, {"P": days, "R": moments}, "Q")

    def test_a_date_that_no_column_can_hold_is_refused(self):
        with pytest.raises(DataError, match="E463"):
            times_of(pa.array([1 << 40]).to_numpy(), Fraction(1), Timeline.INTEGER, UNITS["d"], TimeType("date"))


class TestCommandLineOnSpark:
    """The same files, in process and on Spark: byte for byte the same answers."""

    def test_parquet_of_every_form(self, spark, in_folder):
        for form, (kind, each) in FORMS.items():
            pq.write_table(table_of(days_or(kind, each)), "P.parquet")
            here, there = (printed(run("run", "clocks.rules", "P.parquet")) for run in (call, call_as_it_is))
            assert here == there == seconds(COUNTS, each), form

    def test_nanoseconds_and_int96(self, spark, in_folder):
        fine = pa.array([5, 1_000_000_123], pa.int64()).cast(pa.timestamp("ns", "UTC"))
        for options in ({}, {"use_deprecated_int96_timestamps": True}):
            pq.write_table(pa.table({"x": ["a", "c"], "time": fine}), "P.parquet", **options)
            outcome = call_as_it_is("run", "clocks.rules", "P.parquet")
            assert outcome.lines == ["Q(a)@[0.000000005,0.000000005]", "Q(c)@[1.000000123,1.000000123]"]

    def test_nanoseconds_of_a_table_that_spark_reads_are_refused(self, spark, in_folder):
        fine = pa.array([5], pa.int64()).cast(pa.timestamp("ns", "UTC"))
        Path("in").mkdir()
        pq.write_table(pa.table({"x": ["a"], "time": fine}), "in/1.parquet")
        Path("tables.toml").write_text('[P]\nformat = "parquet"\npath = "in"\ntime = "time"\n')
        outcome = call_as_it_is("run", "clocks.rules", "--tables", "tables.toml")
        assert outcome.code == 1
        assert "error[E473]: table P has times in nanoseconds, which Spark does not read" in outcome.err

    @pytest.mark.parametrize(
        "format_", ["parquet", *(pytest.param(each, marks=pytest.mark.soak) for each in ("json", "csv"))]
    )
    def test_a_stream_writes_the_times_it_read(self, spark, in_folder, local_time, format_):
        local_time("America/New_York")
        Path("in").mkdir()
        pq.write_table(table_of(column(pa.timestamp("us", "America/New_York"))), "in/1.parquet")
        Path("tables.toml").write_text('[P]\nformat = "parquet"\npath = "in"\ntime = "time"\n')
        words = ("--tables", "tables.toml", "--stream", "--trigger", "available-now", "--final")
        outcome = call_as_it_is(
            "run", "clocks.rules", *words, "--checkpoint", "state", "--output", "out", "--format", format_
        )
        assert outcome.code == 0
        assert written(format_) == COUNTS


def written(format_):
    """The starts of the answers in a folder, read without Spark."""
    parts = sorted(Path("out/Q").glob("batch=*/part-*"))
    if format_ == "parquet":
        table = pa.concat_tables([pq.ParquetFile(part).read() for part in parts])
        counts = table.column("start").cast(pa.int64()).to_pylist()
        return dict(zip(table.column("x").to_pylist(), counts, strict=True))
    if format_ == "json":
        rows = [json.loads(line) for part in parts for line in part.read_text().splitlines()]
    else:
        rows = [row for part in parts for row in csv.DictReader(part.read_text().splitlines())]
    return {row["x"]: microseconds(row["start"].removesuffix("Z")) for row in rows}


def test_the_zone_of_the_process_changes_nothing_in_process(in_folder):
    pq.write_table(table_of(column(pa.timestamp("us"))), "P.parquet")
    command = [sys.executable, "-c", MAIN, "run", "clocks.rules", "P.parquet", "--in-process"]
    shown = [
        subprocess.run(command, env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=True).stdout
        for zone in ("UTC", "America/New_York", "Pacific/Apia")
    ]
    assert shown[0] == shown[1] == shown[2] != ""
