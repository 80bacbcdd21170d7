"""``thalweg run``: formats, and where they go."""

import json
import stat
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet
import pytest
from calling import call, files_below

RULES = "output Q(name: string, n: number).\noutput R(name: string).\nQ(X, N) :- P(X, N).\nR(X) :- P(X, _).\n"
FACTS = 'P(a,1)@[1,2.5)\nP("b, c",2.5)@(0,inf)\n'
CSV_Q = (
    '"name","n","start","end","start_closed","end_closed"\n"a",1.0,1.0,2.5,true,false\n"b, c",2.5,0.0,,false,false\n'
)
FAILING = ("p.rules", "wrong.facts")
NAME_A_FILE = "name a file, or write tables into it with --format csv or parquet"

RECORD = "_thalweg/run.json"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.rules").write_text(RULES)
    Path("p.facts").write_text(FACTS)
    Path("wrong.facts").write_text("P(a,1)@\n")


def run(*options):
    return call("run", "p.rules", "p.facts", *options)


class TestStandardOutput:
    def test_facts(self):
        expected = ["Q(a,1)@[1,2.5)", 'Q("b, c",2.5)@(0,inf)', "R(a)@[1,2.5)", 'R("b, c")@(0,inf)']
        assert run().lines == run("--format", "facts").lines == run("--output", "-").lines == expected

    def test_json(self):
        rows = [json.loads(line) for line in run("--format", "json").lines]
        assert rows[:2] == [
            {
                "predicate": "Q",
                "arguments": {"name": "a", "n": "1.0"},
                "start": "1.0",
                "end": "2.5",
                "start_closed": True,
                "end_closed": False,
            },
            {
                "predicate": "Q",
                "arguments": {"name": "b, c", "n": "2.5"},
                "start": "0.0",
                "end": None,
                "start_closed": False,
                "end_closed": False,
            },
        ]
        assert [row["predicate"] for row in rows] == ["Q", "Q", "R", "R"]

    def test_json_has_a_short_name(self):
        assert run("--json").lines == run("--format", "json").lines

    def test_json_whole_numbers_are_numbers(self):
        Path("p.facts").write_text("P(a,1)@3\n")
        row = json.loads(run("--format", "json", "--query", "Q").out)
        assert (row["start"], row["end"], row["arguments"]) == (3, 3, {"name": "a", "n": 1})

    def test_csv_of_one_predicate(self):
        assert run("--format", "csv", "--query", "Q").out == CSV_Q

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--format", "csv"), "--format csv to standard output takes one predicate: choose with --query"),
            (("--format", "parquet", "--query", "Q"), "--format parquet needs --output PATH"),
        ],
    )
    def test_what_does_not_go_there(self, options, message):
        outcome = run(*options)
        assert (outcome.code, outcome.out, outcome.err) == (2, "", f"thalweg: {message}\n")


class TestFiles:
    @pytest.mark.parametrize("format_", ["facts", "json"])
    def test_a_file_for_all_predicates(self, format_):
        outcome = run("--format", format_, "--output", "out.txt")
        assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
        assert Path("out.txt").read_text() == run("--format", format_).out

    def test_csv_of_one_predicate(self):
        assert run("--format", "csv", "--query", "Q", "--output", "q.csv").code == 0
        assert Path("q.csv").read_text() == CSV_Q

    def test_parquet_of_one_predicate(self):
        assert run("--format", "parquet", "--query", "Q", "--output", "q.parquet").code == 0
        rows = pyarrow.parquet.read_table("q.parquet").to_pylist()
        assert (rows[0]["name"], rows[0]["end"], rows[1]["end"]) == ("a", Decimal("2.5"), None)

    @pytest.mark.parametrize("format_", ["csv", "parquet"])
    def test_a_folder_with_a_file_a_predicate(self, format_):
        assert run("--format", format_, "--output", "out").code == 0
        assert files_below(Path("out")) == [f"Q.{format_}", f"R.{format_}", RECORD]

    def test_one_predicate_into_a_folder_that_is_there(self):
        Path("out").mkdir()
        assert run("--format", "csv", "--query", "R", "--output", "out").code == 0
        assert files_below(Path("out")) == ["R.csv", RECORD]

    def test_prefixed_names_make_file_names(self):
        Path("p.rules").write_text("a:Q(X) :- P(X, _).\nb:Q(X) :- P(X, _).\n")
        assert run("--format", "csv", "--output", "out").code == 0
        assert files_below(Path("out")) == [RECORD, "a_Q.csv", "b_Q.csv"]

    @pytest.mark.parametrize("format_", ["csv", "parquet"])
    def test_answers_go_in_again(self, format_):
        run("--format", format_, "--output", "out")
        Path("again.rules").write_text("input Q(name: string, n: number). S(X, N) :- Q(X, N).")
        again = call("run", "again.rules", f"out/Q.{format_}")
        assert again.lines == [line.replace("Q", "S", 1) for line in run("--query", "Q").lines]

    def test_a_file_is_replaced(self):
        Path("out.txt").write_text("old")
        run("--output", "out.txt")
        assert Path("out.txt").read_text() == run().out

    def test_files_may_be_read_by_others(self):
        run("--output", "out.txt")
        Path("plain").write_text("")
        assert stat.S_IMODE(Path("out.txt").stat().st_mode) == stat.S_IMODE(Path("plain").stat().st_mode)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--output", "."), f". is a folder; {NAME_A_FILE}"),
            (("--output", "new/"), f"new/ is a folder; {NAME_A_FILE}"),
            (("--format", "json", "--output", "."), f". is a folder; {NAME_A_FILE}"),
            (("--output", "nowhere/out.txt"), "there is no folder nowhere"),
            (("--format", "csv", "--output", "nowhere/out"), "there is no folder nowhere"),
        ],
    )
    def test_places_that_are_none(self, options, message):
        outcome = run(*options)
        assert (outcome.code, outcome.out, outcome.err) == (2, "", f"thalweg: {message}\n")

    def test_a_slash_at_the_end_means_a_folder(self):
        assert run("--query", "Q", "--format", "csv", "--output", "new/").code == 0
        assert Path("new", "Q.csv").is_file()


class TestNothingIsWrittenOnFailure:
    @pytest.mark.parametrize("options", [("--output", "out.txt"), ("--format", "csv", "--output", "out")])
    def test_wrong_facts(self, options, tmp_path):
        before = files_below(tmp_path)
        assert call("run", *FAILING, *options).code == 1
        assert files_below(tmp_path) == before
        assert not Path("out").exists()

    def test_an_old_file_stays(self):
        Path("out.txt").write_text("old")
        assert call("run", *FAILING, "--output", "out.txt").code == 1
        assert Path("out.txt").read_text() == "old"

    @pytest.mark.parametrize(("format_", "place"), [("facts", "out.txt"), ("csv", "out"), ("parquet", "out")])
    def test_a_crash_while_writing_leaves_no_partial_file(self, format_, place, tmp_path, monkeypatch):
        before = files_below(tmp_path)

        def fail(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.replace", fail)
        outcome = run("--format", format_, "--output", place)
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith(f"{place}")
        assert "error[E471]: there is no room to write: No space left on device" in outcome.err
        assert files_below(tmp_path) == before

    def test_answers_are_ready_before_the_first_file_is_written(self, monkeypatch):
        real = pyarrow.csv.write_csv

        def fail_on_the_second(table, buffer):
            if "n" not in table.column_names:
                raise RuntimeError("out of memory")
            real(table, buffer)

        monkeypatch.setattr("pyarrow.csv.write_csv", fail_on_the_second)
        with pytest.raises(RuntimeError):
            run("--format", "csv", "--output", "out")
        assert not Path("out").exists()
