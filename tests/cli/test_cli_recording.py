"""What runs without Spark write beside their answers."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from calling import call, files_below

from thalweg.record.fact_id import fact_id
from thalweg.record.folder import RunFolder

RULES = "input P(n: integer).\noutput Near(n: integer).\nNear(X) :- diamondminus[0,2] P(X).\n"
FACTS = "P(1)@1\nP(2)@2.5\nP(1)@6\n"
LINES = ["Near(1)@[1,1]", "Near(1)@(1,3]", "Near(2)@[2.5,3]", "Near(1)@[6,6]", "Near(2)@(3,4.5]"]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("near.rules").write_text(RULES)
    Path("near.facts").write_text(FACTS)


def stream(*options):
    return call("run", "near.rules", "near.facts", "--stream", *options)


class TestStreams:
    @pytest.mark.parametrize("format_", ["parquet", "json", "csv", "facts"])
    def test_answers_lie_in_a_folder_a_batch(self, format_):
        outcome = stream("--output", "out", "--format", format_)
        assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
        assert files_below(Path("out")) == [
            *(f"Near/batch={number:06}/part-0.{format_}" for number in range(3)),
            *("_thalweg.json", "_thalweg/progress.jsonl", "_thalweg/run.json"),
        ]
        found = [row for _, table in RunFolder("out").answers("Near") for row in table.to_pylist()]
        name = "arg1" if format_ == "facts" else "n"
        brackets = {True: "[]", False: "()"}
        texts = [
            f"Near({row[name]})@{brackets[row['start_closed']][0]}{row['start']},{row['end']}{brackets[row['end_closed']][1]}"
            for row in found
        ]
        assert texts == stream().lines == LINES

    def test_parquet_is_the_default_and_every_batch_has_the_same_columns(self):
        import pyarrow.dataset

        assert stream("--output", "out").code == 0
        schemas = {str(pyarrow.dataset.dataset(path).schema) for path in Path("out").glob("Near/*/*.parquet")}
        assert len(schemas) == 1
        assert "n: int64\nstart: string\nend: string" in schemas.pop()

    def test_the_record_says_what_ran_and_how_it_ended(self):
        assert stream("--output", "out", "--explain", "7").code == 0
        record = RunFolder("out").record
        assert (record.state, record.kind, record.answers, record.clock) == ("finished", "stream", "parquet", "text")
        assert (record.program.text, record.queries, record.explain) == (RULES, ("Near",), 7)
        assert record.facts == (str(Path("near.facts").absolute()),)
        progress = RunFolder("out").progress()
        assert [(each.batch, each.rows, each.answers, each.newest) for each in progress] == [
            (0, 1, 1, "1"),
            (1, 1, 2, "3"),
            (2, 1, 2, "6"),
        ]
        assert all(each.stored <= (each.bound or 0) for each in progress)

    def test_a_run_that_fails_says_why(self):
        Path("near.facts").write_text("P(1)@5\nP(2)@6\nP(3)@2\n")
        outcome = stream("--output", "out")
        record = RunFolder("out").record
        assert (outcome.code, record.state) == (1, "failed")
        assert outcome.err == f"{record.message}\n"
        assert "comes too late" in outcome.err

    def test_a_folder_with_something_in_it_is_left_alone(self):
        stream("--output", "out")
        before = files_below(Path("out"))
        outcome = stream("--output", "out")
        assert (outcome.code, files_below(Path("out"))) == (2, before)
        assert outcome.err.startswith("thalweg: out holds the answers of another run\n")
        Path("mine").mkdir()
        Path("mine/note").write_text("")
        assert stream("--output", "mine").err.startswith("thalweg: mine holds something else\n")

    @pytest.mark.parametrize(
        ("output", "message"),
        [
            ("near.facts", "near.facts is a file; a stream writes to a folder"),
            ("kafka://h:1/t", "kafka://h:1/t does not go with --in-process: name a folder on this machine"),
        ],
    )
    def test_what_is_no_folder_is_refused(self, output, message):
        outcome = stream("--output", output)
        assert (outcome.code, outcome.err.splitlines()[0]) == (2, f"thalweg: {message}")

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_a_run_that_is_stopped_says_so(self, number):
        Path("near.facts").write_text("".join(f"P({n})@{n}\n" for n in range(200_000)))
        command = [Path(sys.executable).with_name("thalweg"), "run", "near.rules", "near.facts"]
        with subprocess.Popen([*command, "--stream", "--in-process", "--output", "out"], stderr=subprocess.PIPE) as run:
            deadline = time.monotonic() + 60
            while not RunFolder("out").progress() and time.monotonic() < deadline:
                time.sleep(0.05)
            assert RunFolder("out").record.state == "running"
            run.send_signal(number)
            _, said = run.communicate(timeout=60)
        assert (run.returncode, said) == (130, b"thalweg: stopped\n")
        assert RunFolder("out").record.state == "stopped"

    def test_a_run_that_is_killed_is_lost(self):
        Path("near.facts").write_text("".join(f"P({n})@{n}\n" for n in range(200_000)))
        command = [Path(sys.executable).with_name("thalweg"), "run", "near.rules", "near.facts"]
        with subprocess.Popen([*command, "--stream", "--in-process", "--output", "out"]) as run:
            deadline = time.monotonic() + 60
            while not RunFolder("out").progress() and time.monotonic() < deadline:
                time.sleep(0.05)
            os.kill(run.pid, signal.SIGKILL)
            run.wait(60)
        assert RunFolder("out").record.state == "lost"
        assert RunFolder("out").answers("Near")


class TestExplain:
    def test_every_answer_has_an_id_that_its_text_decides(self):
        expected = [f"{line}  % {fact_id(line)}" for line in LINES]
        told = "thalweg: without --output DIR no facts are kept: answers get ids, but cannot be explained\n"
        outcome = stream("--explain")
        assert (outcome.lines, outcome.err) == (expected, told)
        assert [json.loads(line)["id"] for line in stream("--explain", "--format", "json").lines] == [
            fact_id(line) for line in LINES
        ]
        assert stream("--explain", "--output", "out").code == 0
        ids = [name for _, table in RunFolder("out").answers("Near") for name in table.column("id").to_pylist()]
        assert ids == [fact_id(line) for line in LINES]

    def test_the_facts_are_kept_each_once(self):
        stream("--explain", "--output", "out")
        kept = [line for line in RunFolder("out").evidence().splitlines() if not line.startswith("%")]
        assert kept == ["P(1)@[1,1]", "P(2)@[2.5,2.5]", "P(1)@[6,6]"]

    def test_no_more_than_asked_for_are_kept(self):
        stream("--explain", "2", "--output", "out")
        assert "P(1)@[1,1]" not in RunFolder("out").evidence()
        assert RunFolder("out").kept.horizon == 1

    def test_without_it_answers_have_no_id_and_nothing_is_kept(self):
        stream("--output", "out")
        assert not Path("out/_thalweg/evidence").exists()
        assert all("id" not in table.column_names for _, table in RunFolder("out").answers("Near"))

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("--explain",), "--explain goes with --stream"),
            (("--explain", "--stream", "--hypotheses"), "--explain does not go with --hypotheses"),
            (("--explain", "--stream", "--answers", "all"), "--explain does not go with --answers"),
        ],
    )
    def test_what_it_does_not_go_with(self, words, message):
        outcome = call("run", "near.rules", "near.facts", *words)
        assert (outcome.code, outcome.err.startswith(f"thalweg: {message}")) == (2, True)


class TestBatches:
    def run(self, *options):
        return call("run", "near.rules", "near.facts", "--format", "csv", *options)

    def test_a_folder_gets_a_record(self):
        Path("out").mkdir()
        assert self.run("--output", "out").code == 0
        record = RunFolder("out").record
        assert (record.kind, record.state, record.answers, record.clock) == ("batch", "finished", "csv", "number")
        ((number, table),) = RunFolder("out").answers("Near")
        assert (number, table.column("start").to_pylist()) == (0, ["1", "6", "2.5"])

    def test_a_file_gets_none(self):
        assert self.run("--output", "near.csv").code == 0
        assert files_below(Path(".")) == ["near.csv", "near.facts", "near.rules"]

    def test_a_run_that_fails_leaves_nothing_new_but_says_so_where_one_was_before(self):
        Path("near.rules").write_text(RULES + "bottom :- P(2).\n")
        Path("out").mkdir()
        assert self.run("--output", "out").code == 1
        assert files_below(Path("out")) == []
        Path("near.rules").write_text(RULES)
        self.run("--output", "out")
        Path("near.rules").write_text(RULES + "bottom :- P(2).\n")
        assert self.run("--output", "out").code == 1
        assert RunFolder("out").record.state == "failed"

    def test_the_record_of_a_stream_is_left_alone(self):
        stream("--output", "out")
        assert self.run("--output", "out").code == 0
        assert RunFolder("out").record.kind == "stream"
