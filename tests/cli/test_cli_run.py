"""``thalweg run``: inputs, bounds, queries and bad facts."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from calling import call, files_below

RULES = "input P(x).\nQ(X) :- diamondminus[0,2] P(X).\nR(X) :- Q(X), not P(X).\n"
BAD = "P(a)@1\nP(b)@\nP(c@3\nP(d)@4\n"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.rules").write_text(RULES)
    Path("p.facts").write_text("P(a)@1\nP(b)@[2,3.5)\n")
    Path("bad.facts").write_text(BAD)


class TestInputs:
    def test_fact_files(self):
        outcome = call("run", "p.rules", "p.facts")
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.lines == ["Q(a)@[1,3]", "Q(b)@[2,5.5)", "R(a)@(1,3]", "R(b)@[3.5,5.5)"]

    def test_several_files_of_all_kinds(self):
        Path("P.csv").write_text("x,time\nc,1\n")
        Path("more").mkdir()
        pyarrow.parquet.write_table(pa.table({"x": ["d"], "start": [1], "end": [2]}), "more/P.parquet")
        Path("m.json").write_text(
            '{"P": [{"e": {"left_value": 1, "right_value": 2, "left_open": true, "right_open": false}}]}'
        )
        outcome = call("run", "p.rules", "p.facts", "P.csv", "more/P.parquet", "m.json", "--query", "P")
        assert outcome.code == 0
        assert outcome.lines == ["P(a)@[1,1]", "P(b)@[2,3.5)", "P(c)@[1,1]", "P(d)@[1,2]", "P(e)@(1,2]"]

    def test_no_facts_at_all(self):
        assert call("run", "p.rules").code == 0
        assert call("run", "p.rules").out == ""

    def test_facts_of_unknown_predicates_are_mentioned(self):
        Path("other.facts").write_text("PP(a)@1\nZ(a)@1\nY(b)@2\n")
        outcome = call("run", "p.rules", "other.facts")
        assert (outcome.code, outcome.out) == (0, "")
        assert outcome.err == "warning[W401]: no rule mentions PP, Z, Y: facts of these play no part\n"

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("nowhere.rules",), "there is no file nowhere.rules"),
            (("p.rules", "nowhere.facts"), "there is no file nowhere.facts"),
            (("p.rules", "."), ". is a folder; name the files in it"),
            ((".",), "cannot read .: "),
            (("binary.rules",), "cannot read binary.rules: 'utf-8' codec can't decode byte 0xff"),
        ],
    )
    def test_calls_that_name_the_wrong_files(self, words, message):
        Path("binary.rules").write_bytes(b"\xff\x00")
        outcome = call("run", *words)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith(f"thalweg: {message}")

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("binary.facts", "binary.facts:1:1: error[E474]: the line is not UTF-8, at the byte 0xFF"),
            ("P.parquet", "P.parquet: error[E475]: the file cannot be read: Parquet file size is 2 bytes"),
            ("P.csv", "P.csv: error[E475]: the file cannot be read: Empty CSV file"),
        ],
    )
    def test_files_that_cannot_be_read(self, name, message):
        Path(name).write_bytes(b"" if name == "P.csv" else b"\xff\x00")
        outcome = call("run", "p.rules", name)
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith(message)
        assert outcome.err.endswith("thalweg: with --skip-bad such facts are reported, counted and left out\n")

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
    def test_a_file_without_permission(self):
        Path("p.facts").chmod(0)
        outcome = call("run", "p.rules", "p.facts")
        assert (outcome.code, outcome.out) == (2, "")
        assert "Permission denied" in outcome.err


class TestQueriesAndBounds:
    def test_one_predicate(self):
        assert call("run", "p.rules", "p.facts", "--query", "R").lines == ["R(a)@(1,3]", "R(b)@[3.5,5.5)"]

    def test_several_in_the_order_asked_for(self):
        outcome = call("run", "p.rules", "p.facts", "--query", "R", "--query", "P", "--query", "R")
        assert [line[0] for line in outcome.lines] == ["R", "R", "P", "P"]

    def test_outputs_by_default(self):
        Path("o.rules").write_text("output R.\n" + RULES)
        assert call("run", "o.rules", "p.facts").lines == ["R(a)@(1,3]", "R(b)@[3.5,5.5)"]

    @pytest.mark.parametrize(
        ("options", "lines"),
        [
            (("--from", "2.5"), ["Q(a)@[2.5,3]", "Q(b)@[2.5,5.5)"]),
            (("--to", "7/3"), ["Q(a)@[1,7/3]", "Q(b)@[2,7/3]"]),
            (("--from", "2s", "--to", "0.05min"), ["Q(a)@[2,3]", "Q(b)@[2,3]"]),
            (("--from", "1970-01-01T00:00:05"), ["Q(b)@[5,5.5)"]),
            (("--from", "1970-01-01T01:00:05+01:00", "--to", "1970-01-02"), ["Q(b)@[5,5.5)"]),
            (("--from=-10", "--to=-5"), []),
        ],
    )
    def test_bounds(self, options, lines):
        assert call("run", "p.rules", "p.facts", "--query", "Q", *options).lines == lines

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--from", "3", "--to", "1"), "thalweg: --from 3 is after --to 1\n"),
            (("--to", "soon"), "thalweg: --to soon: write a number (12, 1.5, 3/2, 10min) or a timestamp\n"),
            (("--from", "1/0"), "thalweg: --from 1/0: write a number (12, 1.5, 3/2, 10min) or a timestamp\n"),
            (("--from", "5parsecs"), "thalweg: --from 5parsecs: write a number"),
        ],
    )
    def test_wrong_bounds(self, options, message):
        outcome = call("run", "p.rules", "p.facts", *options)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith(message)

    def test_an_unknown_query(self):
        outcome = call("run", "p.rules", "p.facts", "--query", "Z")
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err == (
            "error[E250]: the query asks for Z, which the program does not mention\n"
            "    hint: the predicates are P, Q, R\n"
        )


class TestExitCodes:
    def test_a_wrong_program(self):
        Path("wrong.rules").write_text("Q(X) :- P(Y).\n")
        outcome = call("run", "wrong.rules", "p.facts")
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith("wrong.rules:1:3: error[E202]")

    def test_wrong_facts(self):
        outcome = call("run", "p.rules", "bad.facts")
        assert (outcome.code, outcome.out) == (1, "")
        assert [line.split(":")[1] for line in outcome.err.splitlines() if "error" in line] == ["2", "3"]

    def test_a_contradiction(self):
        Path("c.rules").write_text("bottom :- P(X).\n")
        outcome = call("run", "c.rules", "p.facts")
        assert (outcome.code, outcome.out) == (1, "")
        assert "error[E501]" in outcome.err

    def test_rules_without_an_end(self):
        Path("e.rules").write_text("P(X) :- diamondminus[1,1] P(X).\n")
        outcome = call("run", "e.rules", "p.facts", "--max-rounds", "20")
        assert (outcome.code, outcome.out) == (1, "")
        assert "error[E504]: rule 1 still derives new facts of P after 20 rounds" in outcome.err

    @pytest.mark.parametrize(
        "words",
        [
            (),
            ("run",),
            ("run", "p.rules", "--max-rounds", "0"),
            ("run", "p.rules", "--max-rounds", "many"),
            ("run", "p.rules", "--format", "xml"),
            ("run", "p.rules", "--colour", "red"),
            ("check",),
        ],
    )
    def test_a_wrong_call(self, words):
        outcome = call(*words)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith("usage: thalweg")


class TestSkipBad:
    def test_bad_lines_are_reported_counted_and_left_out(self):
        outcome = call("run", "p.rules", "bad.facts", "--skip-bad", "--query", "P")
        assert outcome.code == 0
        assert outcome.lines == ["P(a)@[1,1]", "P(d)@[4,4]"]
        assert outcome.err == (
            "bad.facts:2:5: error[E412]: the time is missing after @\n"
            "    P(b)@\n"
            "        ^\n"
            "    hint: write P(a,b)@3, P(a,b)@[1,2.5) or P(a,b)@(0,inf)\n"
            "bad.facts:3:2: error[E408]: this ( is never closed\n"
            "    P(c@3\n"
            "     ^\n"
            "    hint: write ) after the arguments\n"
            "thalweg: 2 bad facts skipped\n"
        )

    def test_one_bad_fact_is_one(self):
        Path("one.facts").write_text("P(a)@\n")
        assert call("run", "p.rules", "one.facts", "--skip-bad").err.endswith("thalweg: 1 bad fact skipped\n")

    def test_bad_rows_of_a_table_do_not_take_the_others_with_them(self):
        Path("P.csv").write_text("x,start,end\na,1,2\n,1,2\nc,5,3\nd,1,soon\ne,3,4\n")
        outcome = call("run", "p.rules", "P.csv", "--skip-bad", "--query", "P")
        assert outcome.code == 0
        assert outcome.lines == ["P(a)@[1,2]", "P(e)@[3,4]"]
        assert [line for line in outcome.err.splitlines() if not line.startswith(" ")] == [
            "P.csv:3: error[E442]: there is no value in column x",
            "P.csv:4: error[E444]: the row holds at no time: its end is not after its start",
            "P.csv:5: error[E443]: column end: 'soon' is not a finite number",
            "thalweg: 3 bad facts skipped",
        ]

    def test_a_table_that_makes_no_sense_is_not_skipped(self):
        Path("P.csv").write_text("x,start\na,1\n")
        outcome = call("run", "p.rules", "P.csv", "--skip-bad")
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith("P.csv: error[E440]: the table has no end column")

    def test_good_facts_are_not_mentioned(self):
        assert call("run", "p.rules", "p.facts", "--skip-bad").err == ""


def test_nothing_is_left_behind(tmp_path):
    before = files_below(tmp_path)
    call("run", "p.rules", "p.facts")
    call("run", "p.rules", "bad.facts")
    assert files_below(tmp_path) == before
