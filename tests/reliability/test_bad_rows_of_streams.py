"""Bad rows and broken files of streams: set aside beside the answers, or a stop from which the same command goes on."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.calling import call_as_it_is
from reliability.bad_rows import ANSWERS, FACTS, NOTE, RULES, is_fit_for_people

ONCE = ("--stream", "--trigger", "available-now", "--final")
KEPT = ("--checkpoint", "ck", "--output", "out", "--format", "json")
SCHEMA = "name string, n bigint, time bigint"


@pytest.fixture(autouse=True)
def _in_folder(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.rules").write_text(RULES)
    Path("in").mkdir()


def answers():
    found = [json.loads(line) for path in Path("out").glob("Q/batch=*/part-*") for line in path.open()]
    return sorted((row["arg1"], int(row["arg2"])) for row in found)


def quarantine():
    found = [json.loads(line) for path in Path("out").glob("quarantine/batch=*/part-*") for line in path.open()]
    return sorted((row["row"], row["reason"]) for row in found)


def half_written():
    return list(Path("out").glob("*/_writing-*"))


def at_its_age(path):
    """The file with the age that its number says: Spark reads older files first."""
    os.utime(path, (1_700_000_000 + int(path.stem),) * 2)
    return path


def facts(number, text):
    path = Path(f"in/{number}.facts")
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return at_its_age(path)


def table(number, **columns):
    return rows(number, {"name": [f"n{number}"], "n": [number], "time": [number], **columns})


def rows(number, columns):
    path = Path(f"in/{number}.parquet")
    pq.write_table(pa.table(columns), path)
    return at_its_age(path)


def spoilt(path, data):
    path.write_bytes(data)
    return at_its_age(path)


def on_tables(*more):
    Path("tables.toml").write_text(
        f'[P]\nformat = "parquet"\npath = "in"\nschema = "{SCHEMA}"\noptions = {{ maxFilesPerTrigger = "1" }}\n'
    )
    return call_as_it_is("run", "p.rules", "--tables", "tables.toml", "--query", "Q", *ONCE, *KEPT, *more)


def test_every_bad_fact_is_in_the_quarantine_with_its_reason():
    facts(0, b"P(a,1)@1\n" + b"\n".join(bad.row for bad in FACTS) + b"\nP(b,2)@2\n")
    outcome = call_as_it_is("run", "p.rules", "in", "--query", "Q", *ONCE, *KEPT, "--skip-bad")
    assert outcome.code == 0, outcome.err
    assert answers() == [("a", 1), ("b", 2)]
    found = quarantine()
    assert [row for row, _ in found] == sorted(f"{Path('in/0.facts').absolute()}:{n}" for n in range(2, 2 + len(FACTS)))
    codes = sorted(reason.partition("error[")[2][:4] for _, reason in found)
    assert codes == sorted(bad.code for bad in FACTS)
    assert outcome.err == f"thalweg: {len(FACTS)} facts set aside, in out/quarantine\n"


@pytest.mark.soak
def test_a_stop_leaves_nothing_half_written_and_the_same_command_goes_on():
    facts(0, "P(a,1)@1\n")
    path = facts(1, "P(b,2)@2\nP(c,three)@2\n")
    words = ("run", "p.rules", "in", "--query", "Q", *ONCE, *KEPT, "--max-files", "1")
    stopped = call_as_it_is(*words)
    assert (stopped.code, stopped.out) == (1, "")
    assert stopped.err.endswith("three is not an integer\n    hint: argument 2 of P is declared as integer\n" + NOTE)
    assert is_fit_for_people(stopped.err)
    assert half_written() == []
    assert quarantine() == []
    path.unlink()
    gone = call_as_it_is(*words)
    assert gone.code == 1
    assert "in/1.facts: error[E475]: the file vanished before it was read" in gone.err
    assert is_fit_for_people(gone.err)
    outcome = call_as_it_is(*words, "--skip-bad")
    assert (outcome.code, outcome.err) == (0, "thalweg: 1 fact set aside, in out/quarantine\n")
    assert answers() == [("a", 1)]
    ((_, reason),) = quarantine()
    assert "the file vanished before it was read" in reason


def test_a_mended_file_is_read_by_the_same_command():
    table(0)
    path = table(1)
    whole = path.read_bytes()
    spoilt(path, whole[: len(whole) // 2])
    table(2)
    stopped = on_tables()
    assert (stopped.code, stopped.out) == (1, "")
    assert stopped.err.startswith(f"{path.absolute()}: error[E475]: the file cannot be read: it is no Parquet file")
    assert stopped.err.endswith(NOTE)
    assert is_fit_for_people(stopped.err)
    assert half_written() == []
    path.write_bytes(whole)
    outcome = on_tables()
    assert (outcome.code, outcome.err) == (0, "")
    assert answers() == [("n0", 0), ("n1", 1), ("n2", 2)]


def test_broken_files_are_set_aside_by_name_and_stay_so():
    table(0)
    path, other = table(1), table(3, n=["x"])
    spoilt(path, path.read_bytes()[:-6])
    table(2)
    empty = spoilt(table(4), b"")
    outcome = on_tables("--skip-bad")
    assert outcome.code == 0, outcome.err
    assert answers() == [("n0", 0), ("n2", 2)]
    found = quarantine()
    assert [row for row, _ in found] == [str(path.absolute()), str(other.absolute()), str(empty.absolute())]
    assert "it is no Parquet file, or not a whole one" in found[0][1]
    assert "column n has the type" in found[1][1]
    assert "it has no bytes at all" in found[2][1]
    assert outcome.err == "thalweg: 3 facts set aside, in out/quarantine\n"


def test_a_file_that_vanished_between_listing_and_reading_is_never_passed_over():
    table(0)
    path = table(1)
    spoilt(path, b"no Parquet")
    table(2)
    assert on_tables().code == 1
    # Spark has noted the file, and would now read nothing in its place without a word.
    path.unlink()
    gone = on_tables()
    assert (gone.code, gone.out) == (1, "")
    assert gone.err.startswith(f"{path.absolute()}: error[E475]: the file cannot be read: it vanished before it was")
    assert is_fit_for_people(gone.err)
    outcome = on_tables("--skip-bad")
    assert outcome.code == 0, outcome.err
    assert answers() == [("n0", 0), ("n2", 2)]
    assert [row for row, _ in quarantine()] == [str(path.absolute())]


@pytest.mark.soak
def test_columns_that_change_on_the_way_are_by_name_and_what_is_missing_is_set_aside():
    table(0)
    rows(1, {"time": [1], "more": [0], "n": pa.array([1], pa.int32()), "name": ["n1"]})
    rows(2, {"name": ["n2"], "time": [2]})
    rows(3, {"name": ["n3"], "k": [3], "time": [3]})
    outcome = on_tables("--skip-bad")
    assert outcome.code == 0, outcome.err
    assert answers() == [("n0", 0), ("n1", 1)]
    assert [row for row, _ in quarantine()] == ["name=n2, n=None, time=2", "name=n3, n=None, time=3"]


@pytest.mark.soak
def test_bad_rows_of_the_background_are_set_aside_as_well():
    Path("b.rules").write_text(
        f"{RULES}background R(name: string, road: string).\nbackground C(road: string).\n"
        "S(X, Y) :- P(X, N), R(X, Y), C(Y).\n"
    )
    pq.write_table(pa.table({"name": ["a", None], "road": ["ring", "none"]}), "R.parquet")
    Path("C.csv").write_text("road\nring\nring,road\n")
    facts(0, "P(a,1)@1\n")
    words = ("run", "b.rules", "in", "R.parquet", "C.csv", "--query", "S", *ONCE, *KEPT)
    stopped = call_as_it_is(*words)
    assert (stopped.code, stopped.out) == (1, "")
    assert "error[E4" in stopped.err
    assert is_fit_for_people(stopped.err)
    outcome = call_as_it_is(*words, "--skip-bad")
    assert (outcome.code, outcome.err) == (0, "thalweg: 2 facts set aside, in out/quarantine\n")
    of_csv, of_parquet = quarantine()
    assert "the row has 2 columns, but the first line names 1" in of_csv[1]
    assert of_parquet[0] == "name=None, road=none"
    assert "there is no value in column name" in of_parquet[1]
    (line,) = [line for path in Path("out").glob("S/batch=*/part-*") for line in path.open()]
    assert json.loads(line)["arg2"] == "ring"


def test_where_answers_are_printed_there_are_warnings_and_a_count():
    facts(0, "P(a,1)@1\nP(c,three)@1\nP(b,2)@2\n")
    outcome = call_as_it_is("run", "p.rules", "in", "--query", "Q", *ONCE, "--checkpoint", "ck", "--skip-bad")
    assert (outcome.code, outcome.out) == (0, ANSWERS)
    assert "in/0.facts:2: error[E434]: three is not an integer" in outcome.err
    assert "thalweg: 1 fact set aside" in outcome.err
