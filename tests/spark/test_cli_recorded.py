"""What runs on Spark write beside their answers, and explanations from it."""

import datetime
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import thalweg
from cli.calling import call_as_it_is
from thalweg.engine.read import read_facts_of
from thalweg.explain.of_run import explain_answer, program_of
from thalweg.record.evidence_writer import kept_facts
from thalweg.record.fact_id import fact_id
from thalweg.record.folder import RunFolder, find_runs
from thalweg.testing.proofs import check_proof

# Two stages (Busy counts over all vehicles), a predicate that goes to all shards (Works), negation, and a delay.
RULES = """
input Slow(vehicle: string).
input Works(road: string).
background On(vehicle: string, road: string).
output Stopped(vehicle: string).
output Jam(road: string).
output Free(road: string).
Stopped(V) :- boxminus[0,2] diamondminus[0,1] Slow(V).
Jam(R) :- Stopped(V), On(V, R), Stopped(W), On(W, R), V != W, not diamondminus[0,3] Works(R).
Free(R) :- Works(R), not diamondminus[0,5] Jam(R).
On(a, ring). On(b, ring). On(c, "Old Road").
"""
FILES = [
    "Slow(a)@0\nSlow(b)@0.5\nSlow(c)@1\n",
    'Slow(a)@1\nSlow(b)@1.5\nWorks("Old Road")@[2,3)\nSlow(a)@2\n',
    "Slow(b)@2.5\nSlow(a)@3\nSlow(b)@3.5\nSlow(c)@2\nZ(q)@3\n",
    "Slow(a)@4\nSlow(c)@[4,6]\nSlow(late)@0.25\nWorks(ring)@9\n",
]
ONCE = ("--stream", "--trigger", "available-now", "--max-files", "1", "--delay", "1")
FINAL = (*ONCE, "--final")
FORMATS = ("parquet", "json", "csv", "facts")


@pytest.fixture(autouse=True)
def _in_folder(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("jam.rules").write_text(RULES)
    Path("in").mkdir()
    for number, text in enumerate(FILES):
        feed(number, text)


def feed(number, text):
    path = Path("in") / f"{number}.facts"
    path.write_text(text)
    os.utime(path, (1_700_000_000 + number,) * 2)


def run(*words):
    outcome = call_as_it_is("run", "jam.rules", *words)
    assert outcome.code == 0, outcome.err
    return outcome


def kept(folder):
    return sorted(line for line in RunFolder(folder).evidence().split("\n") if line and not line.startswith("%"))


def answers(folder):
    """The answers by query, with times but without batches and ids."""
    found = RunFolder(folder)
    rows = (
        (query, *(value for name, value in row.items() if name != "id"))
        for query in found.record.queries
        for _, table in found.answers(query)
        for row in table.to_pylist()
    )
    return sorted(rows, key=str)


class TestRecords:
    def test_all_formats_are_read_back_as_the_same(self):
        once = ("in", "--stream", "--trigger", "available-now", "--final")
        for format_ in FORMATS:
            run(*once, "--checkpoint", f"ck-{format_}", "--output", f"out/{format_}", "--format", format_)
            assert RunFolder(f"out/{format_}").record.answers == format_
            assert answers(f"out/{format_}") == answers("out/parquet")
        assert len(answers("out/parquet")) > 5
        assert [str(found.path) for found in find_runs(".")] == [f"out/{format_}" for format_ in sorted(FORMATS)]

    def test_the_record_and_the_progress_of_a_stream(self):
        run("in", *ONCE, "--checkpoint", "ck", "--output", "out", "--shards", "2")
        record = RunFolder("out").record
        assert (record.state, record.kind, record.answers, record.clock) == ("finished", "stream", "parquet", "text")
        assert (record.queries, record.shards, record.delay) == (("Stopped", "Jam", "Free"), 2, "1")
        assert (record.program.text, record.facts) == (RULES, (str(Path("in").absolute()),))
        progress = RunFolder("out").progress()
        assert [(each.batch, each.rows, each.newest, each.answered_before) for each in progress] == [
            (0, 3, "1", "0"),
            (1, 4, "2", "1"),
            (2, 5, "3.5", "2.5"),
            (3, 4, "9", "8"),
        ]
        assert [(each.late, each.set_aside) for each in progress] == [(0, 0)] * 3 + [(1, 1)]
        assert sum(each.answers for each in progress) == len(answers("out"))
        assert progress[0].lag == "1"
        ((number, table),) = RunFolder("out").quarantine()
        assert (number, table.column("reason").to_pylist()) == (3, ["it came too late"])
        began = record.started
        run("in", *FINAL, "--checkpoint", "ck", "--output", "out", "--shards", "2")
        assert RunFolder("out").record.started == began
        assert RunFolder("out").progress()[-1].answered_before == "inf"
        assert [each.batch for each in RunFolder("out").progress()] == [0, 1, 2, 3, 4]

    def test_a_run_that_fails_says_why(self):
        feed(4, "Slow(a@9\n")
        outcome = call_as_it_is("run", "jam.rules", "in", *ONCE, "--checkpoint", "ck", "--output", "out")
        assert outcome.code == 1
        record = RunFolder("out").record
        assert record.state == "failed"
        assert "this ( is never closed" in record.message

    def test_a_batch_that_writes_to_a_folder(self):
        run(*(f"in/{number}.facts" for number in range(4)), "--format", "parquet", "--output", "out")
        record = RunFolder("out").record
        assert (record.kind, record.state, record.clock) == ("batch", "finished", "number")
        ((number, table),) = RunFolder("out").answers("Jam")
        assert (number, table.column("road").to_pylist()) == (0, ["ring"])
        proof = explain_answer(RunFolder("out"), f"Jam(ring)@{table.column('start')[0].as_py()}")
        assert proof.holds

    def test_hypotheses(self):
        Path("jam.rules").write_text(
            "timeline integer. input P(name: string). output Twice(name: string). delay P(_) = 1.\n"
            "Twice(X) at T :- P(X) at T-1, P(X) at T.\n"
        )
        feed(0, "P(a)@0\n")
        feed(1, "P(a)@1\nP(b)@1\n")
        for number in (2, 3):
            Path(f"in/{number}.facts").unlink()
        words = ("in", "--stream", "--trigger", "available-now", "--max-files", "1", "--hypotheses")
        tables = []
        for format_ in FORMATS:
            run(*words, "--checkpoint", f"ck-{format_}", "--output", format_, "--format", format_)
            found = RunFolder(format_)
            assert found.record.kind == "hypotheses"
            assert [(each.batch, each.rows) for each in found.progress()] == [(0, 1), (1, 2)]
            assert found.progress()[-1].open > 0
            rows = [row for _, table in found.answers("Twice") for row in table.to_pylist()]
            tables.append(sorted([*map(str, list(row.values())[1:])] for row in rows))
        assert tables[0] == tables[1] == tables[2] == tables[3]
        assert any("confirmed" in row for row in tables[0])


class TestExplanations:
    def explained(self, folder, text):
        """Every answer of a run has an id by which it is explained; the proofs are checked against all facts."""
        found = RunFolder(folder)
        program = program_of(found.record)
        facts = thalweg.parse(RULES + "".join(f"{line}.\n" for line in text.splitlines())).facts
        count = 0
        for query in found.record.queries:
            for _, table in found.answers(query):
                for name in table.column("id").to_pylist():
                    proof = explain_answer(found, name)
                    assert proof.holds
                    assert fact_id(proof.text) == name
                    check_proof(program, facts, proof.to_json())
                    count += 1
        return count

    USED = "".join(line for text in FILES for line in text.splitlines(True) if "late" not in line and "Z" not in line)

    @pytest.mark.parametrize("shards", ["1", "3"])
    def test_every_answer_is_explained_and_every_proof_passes_the_checker(self, spark, shards):
        run("in", *FINAL, "--checkpoint", "ck", "--output", "out", "--explain", "--shards", shards)
        assert self.explained("out", self.USED) == len(answers("out")) > 5
        jam = spark.read.parquet(str(Path("out/Jam").absolute()))
        assert jam.columns == ["road", "start", "end", "start_closed", "end_closed", "id", "batch"]

    def test_facts_are_kept_once_each_and_late_ones_not_at_all(self):
        run("in", *FINAL, "--checkpoint", "ck", "--output", "out", "--explain", "--shards", "3")
        batches, _ = read_facts_of(thalweg.parse(RULES), self.USED)
        assert kept("out") == sorted(kept_facts(batches, thalweg.parse(RULES)).lines)

    def test_with_a_bound_what_is_not_certain_any_more_is_refused(self):
        run("in", *FINAL, "--checkpoint", "ck", "--output", "out", "--explain", "6")
        assert len(kept("out")) <= 6
        outcomes = {}
        for query in ("Stopped", "Jam", "Free"):
            for _, table in RunFolder("out").answers(query):
                for name in table.column("id").to_pylist():
                    outcome = call_as_it_is("why", "out", name)
                    outcomes[name] = outcome.code
                    if outcome.code:
                        assert "the evidence for this answer is no longer kept: raise --explain N" in outcome.err
        assert set(outcomes.values()) == {0, 2}

    def test_the_same_ids_on_the_terminal_as_in_the_folder(self):
        lines = run("in", *FINAL, "--explain").lines
        assert all(name == fact_id(fact) for fact, _, name in (line.partition("  % ") for line in lines))
        rows = [json.loads(line) for line in run("in", *FINAL, "--explain", "--format", "json").lines]
        assert sorted(row["id"] for row in rows) == sorted(line.partition("  % ")[2] for line in lines)
        assert len(lines) > 5

    def test_a_stream_that_goes_on_explains_what_it_answered_before(self):
        (Path("in") / "3.facts").rename("later")
        words = ("--checkpoint", "ck", "--output", "out", "--explain")
        run("in", *ONCE, *words)
        Path("later").rename("in/3.facts")
        run("in", *FINAL, *words)
        assert self.explained("out", self.USED) == len(answers("out"))

    def test_a_stream_that_kept_nothing_at_first_does_not_pretend(self):
        (Path("in") / "3.facts").rename("later")
        words = ("--checkpoint", "ck", "--output", "out")
        run("in", *ONCE, *words)
        Path("later").rename("in/3.facts")
        outcome = run("in", *FINAL, *words, "--explain")
        assert "thalweg: the facts of earlier batches were not kept" in outcome.err
        free = RunFolder("out").answers("Free")[-1][1].to_pylist()[-1]
        assert (free["road"], free["start"]) == ("ring", "9")
        refused = call_as_it_is("why", "out", free["id"])
        assert (refused.code, refused.err.splitlines()[0][-8:]) == (2, "explain N"[-8:])
        stopped = RunFolder("out").answers("Stopped")[-1][1].to_pylist()[-1]
        assert (stopped["vehicle"], call_as_it_is("why", "out", stopped["id"]).code) == ("c", 0)


class TestTimestamps:
    NOON = datetime.datetime(2024, 3, 1, 12, 0, 0, 250_001)
    TABLES = '[Slow]\nformat = "parquet"\npath = "slow"\ntime = "ts"\n\n[On]\nformat = "csv"\npath = "on.csv"\n'

    @pytest.fixture(autouse=True)
    def _tables(self, _in_folder):
        Path("jam.rules").write_text(RULES.split("On(a, ring)")[0])
        Path("tables.toml").write_text(self.TABLES)
        Path("on.csv").write_text("vehicle,road\na,ring\nb,ring\n")
        Path("slow").mkdir()
        times = [self.NOON + datetime.timedelta(milliseconds=500 * step) for step in range(8)]
        cars = ["a", "b"] * 4
        table = pa.table({"vehicle": cars, "ts": pa.array(times, pa.timestamp("us", "UTC"))})
        pyarrow.parquet.write_table(table, "slow/0.parquet")

    @pytest.mark.parametrize("format_", FORMATS)
    def test_times_are_exact_and_answers_are_explained(self, format_):
        words = ("--stream", "--trigger", "available-now", "--final", "--tables", "tables.toml", "--explain")
        run(*words, "--checkpoint", "ck", "--output", "out", "--format", format_)
        found = RunFolder("out")
        assert found.record.clock == "timestamp"
        ((_, table),) = found.answers("Jam")
        (row,) = table.to_pylist()
        assert (row["start"], found.shown(row["start"])) == ("1709294402.750001", "2024-03-01 12:00:02.750001")
        assert "On(a,ring)@(-inf,inf)" in kept("out")
        proof = explain_answer(found, row["id"])
        assert proof.holds
        facts = thalweg.parse(Path("jam.rules").read_text() + "".join(f"{line}.\n" for line in kept("out"))).facts
        check_proof(program_of(found.record), facts, proof.to_json())
        assert found.progress()[-1].lag_seconds is None
