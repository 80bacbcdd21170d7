"""``--tables``: a file that ties predicates to tables, and what can be wrong with it."""

import datetime
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from cli.calling import call_as_it_is, files_below

RULES = """
input Speed(vehicle: string, speed: integer).
background Road(vehicle: string, road: string).
Slow(V) :- Speed(V, S), S < 5.
Stopped(V) :- boxminus[0,2] diamondminus[0,1] Slow(V).
Blocked(R) :- Stopped(V), Road(V, R).
"""
TABLES = """
[Speed]
format = "parquet"
path = "speeds"
time = "ts"
columns = ["car", "kmh"]
options = { maxFilesPerTrigger = "1" }

[Road]
format = "csv"
path = "roads.csv"
"""
ROWS = [("a", 1, 0), ("a", 0, 1), ("a", 2, 2), ("b", 70, 2), ("a", 60, 3), ("b", 71, 4)]


@pytest.fixture(autouse=True)
def _in_folder(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("stop.rules").write_text(RULES)
    Path("tables.toml").write_text(TABLES)
    Path("roads.csv").write_text("vehicle,road\na,ring\nb,ring\n")
    Path("speeds").mkdir()
    for number in range(2):
        cars, speeds, seconds = zip(*ROWS[number * 3 : number * 3 + 3], strict=True)
        moments = [datetime.datetime(2024, 3, 1, 12, 0, second) for second in seconds]
        columns = {"car": cars, "note": [1.5] * 3, "kmh": speeds, "ts": pa.array(moments, pa.timestamp("us", "UTC"))}
        pyarrow.parquet.write_table(pa.table(columns), f"speeds/{number}.parquet")
        os.utime(f"speeds/{number}.parquet", (1_700_000_000 + number,) * 2)


def run(*words):
    return call_as_it_is("run", "stop.rules", "--tables", "tables.toml", *words)


def test_a_batch_over_tables_needs_no_facts():
    noon = 1_709_294_400
    outcome = run("--query", "Blocked")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.lines == [f"Blocked(ring)@[{noon + 2},{noon + 3}]"]


def test_a_stream_of_files_beside_a_static_table(spark):
    words = ("--stream", "--trigger", "available-now", "--checkpoint", "ck", "--output", "out", "--progress")
    outcome = run("--query", "Stopped", "--query", "Blocked", *words)
    assert outcome.code == 0
    assert "answered before 2024-03-01 12:00:02.000, lag 0 s, " in outcome.err
    for query, value in (("Stopped", "a"), ("Blocked", "ring")):
        rows = spark.read.parquet(str(Path("out", query).absolute())).orderBy("batch").collect()
        assert [row[0] for row in rows] == [value] * len(rows)
        assert (rows[0].start.second, rows[-1].end.second) == (2, 3)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[Speed]", "[Sped]", "tables.toml:2: error[E469]: the program does not mention Sped"),
        (
            "time =",
            "tme =",
            "tables.toml:5: error[E468]: table Speed: there is no key tme\n    hint: did you mean tim",
        ),
        ('path = "speeds"', "", "tables.toml:3: error[E468]: table Speed: a table of format parquet needs a path"),
        ('"ts"', '["a", "b", "c"]', "tables.toml:5: error[E468]: table Speed: time names 3 columns"),
        ('"parquet"', '"parquet', "tables.toml:3: error[E467]: "),
        ('"speeds"', '"speedz"', "tables.toml:2: error[E470]: table Speed: there is no file or folder "),
        (
            '"parquet"',
            '"delta"',
            "E470]: table Speed cannot be opened: Spark has no data source delta\n    hint: give",
        ),
        ('time = "ts"', 'time = "tz"', "table Speed: error[E460]: there is no column tz to say when a row holds"),
        ('"kmh"', '"kmph"', "table Speed: error[E460]: there is no column kmph\n    hint: did you mean kmh?"),
        ('"kmh"', '"note"', "table Speed: error[E434]: column note has type double, but the program declares it as"),
        ('time = "ts"', 'time = "car"', "table Speed: error[E441]: column car has type string, which is not a time"),
    ],
)
def test_every_mistake_is_named_and_nothing_is_written(old, new, message, tmp_path):
    Path("tables.toml").write_text(TABLES.replace(old, new, 1))
    before = files_below(tmp_path)
    outcome = run("--stream", "--trigger", "available-now", "--checkpoint", "ck", "--output", "out")
    assert (outcome.code, outcome.out) == (1, "")
    assert message in outcome.err
    assert "Traceback" not in outcome.err
    assert files_below(tmp_path) == before


def test_a_stream_of_an_empty_folder_needs_a_schema():
    Path("nothing").mkdir()
    Path("tables.toml").write_text(TABLES.replace("speeds", "nothing"))
    assert "there is no file yet to take the columns from" in run("--stream").err
    schema = 'schema = "car string, kmh int, ts timestamp"\ntime'
    Path("tables.toml").write_text(TABLES.replace("speeds", "nothing").replace("time", schema, 1))
    assert run("--stream", "--trigger", "available-now").code == 0
