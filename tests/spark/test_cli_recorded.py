"""What runs on Spark write beside their answers, and explanations from it."""

import contextlib
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
from thalweg.explain.of_run import RunExplainer, explain_answer
from thalweg.record.evidence_writer import kept_facts
from thalweg.record.fact_id import fact_id
from thalweg.record.folder import RunFolder
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
    "Slow(a)@4\nSlow(c)@[4,6]\nSlow(late)@0.25\nWorks(ring)@20\n",
]
ONCE = ("--stream", "--trigger", "available-now", "--max-files", "1", "--delay", "1")
FINAL = (*ONCE, "--final")
USED = "".join(line for text in FILES for line in text.splitlines(True) if "late" not in line and "Z" not in line)


@pytest.fixture(autouse=True)
def _in_folder(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepare()


def prepare():
    Path("jam.rules").write_text(RULES)
    Path("in").mkdir()
    for number, text in enumerate(FILES):
        feed(number, text)


@pytest.fixture(scope="module")
def recorded(spark, tmp_path_factory):
    """A run that was stopped after three files, went on, and ended; with everything explained."""
    folder = tmp_path_factory.mktemp("recorded")
    with contextlib.chdir(folder):
        prepare()
        last = Path("in/3.facts").rename("later")
        words = ("--checkpoint", "ck", "--output", "out", "--shards", "3", "--explain")
        run("in", *ONCE, *words)
        before = RunFolder("out").record
        last.rename("in/3.facts")
        run("in", *FINAL, *words)
    return RunFolder(folder / "out"), before


def feed(number, text):
    path = Path("in") / f"{number}.facts"
    path.write_text(text)
    os.utime(path, (1_700_000_000 + number,) * 2)


def run(*words):
    outcome = call_as_it_is("run", "jam.rules", *words)
    assert outcome.code == 0, outcome.err
    return outcome


def kept(folder):
    return sorted(line for line in folder.evidence().split("\n") if line and not line.startswith("%"))


def answers(found):
    """The answers by query, with times but without batches and ids."""
    rows = (
        (query, *(value for name, value in row.items() if name != "id"))
        for query in found.record.queries
        for _, table in found.answers(query)
        for row in table.to_pylist()
    )
    return sorted(rows, key=str)


def facts_of(rules, lines):
    """Facts as the checker takes them, with those in the program."""
    return thalweg.parse(rules + "".join(f"{line}.\n" for line in lines)).facts


class TestStreams:
    def test_the_record_says_what_ran_also_when_it_went_on(self, recorded):
        found, before = recorded
        record = found.record
        assert (record.state, record.kind, record.answers, record.clock) == ("finished", "stream", "parquet", "text")
        assert (record.queries, record.shards, record.delay) == (("Stopped", "Jam", "Free"), 3, "1")
        assert (record.program.text, record.explain) == (RULES, 1_000_000)
        assert [Path(path).name for path in record.facts] == ["in"]
        assert (before.state, before.started) == ("finished", record.started)
        assert before.ended < record.ended

    def test_the_progress_of_every_batch_is_there(self, recorded):
        found, _ = recorded
        progress = found.progress()
        assert [(each.batch, each.rows, each.newest, each.answered_before) for each in progress] == [
            (0, 3, "1", "0"),
            (1, 4, "2", "1"),
            (2, 5, "3.5", "2.5"),
            (3, 4, "20", "19"),
            (4, 0, "20", "inf"),
        ]
        assert [(each.late, each.set_aside) for each in progress] == [(0, 0)] * 3 + [(1, 1), (0, 0)]
        assert sum(each.answers for each in progress) == len(answers(found))
        assert (progress[0].lag, progress[4].lag) == ("1", None)
        assert all(each.stored <= each.bound for each in progress)

    def test_what_was_set_aside_can_be_read(self, recorded):
        ((number, table),) = recorded[0].quarantine()
        assert (number, table.column("reason").to_pylist()) == (3, ["it came too late"])

    def test_spark_reads_the_answers_as_before_and_their_ids(self, spark, recorded):
        jam = spark.read.parquet(str(recorded[0].path / "Jam"))
        assert jam.columns == ["road", "start", "end", "start_closed", "end_closed", "id", "batch"]

    def test_facts_are_kept_once_each_and_late_ones_not_at_all(self, recorded):
        batches, _ = read_facts_of(thalweg.parse(RULES), USED)
        assert kept(recorded[0]) == sorted(kept_facts(batches, thalweg.parse(RULES)).lines)

    def test_every_answer_is_explained_by_its_id_and_every_proof_passes_the_checker(self, recorded):
        found, _ = recorded
        explainer, count = RunExplainer(found), 0
        for query in found.record.queries:
            for _, table in found.answers(query):
                for name in table.column("id").to_pylist():
                    proof = explainer.why(name)
                    assert proof.holds
                    assert fact_id(proof.text) == name
                    check_proof(explainer.program, facts_of(RULES, USED.splitlines()), proof.to_json())
                    count += 1
        assert count == len(answers(found)) > 5
        assert {query for query, *_ in answers(found)} == {"Stopped", "Jam", "Free"}

    def test_a_run_that_fails_says_why(self):
        Path("in/0.facts").write_text("Slow(a@9\n")
        outcome = call_as_it_is("run", "jam.rules", "in", *ONCE, "--checkpoint", "ck", "--output", "out")
        assert outcome.code == 1
        record = RunFolder("out").record
        assert record.state == "failed"
        assert "this ( is never closed" in record.message


class TestExplain:
    def test_with_a_bound_what_is_not_certain_any_more_is_refused(self):
        run("in", *FINAL, "--checkpoint", "ck", "--output", "out", "--explain", "6")
        found = RunFolder("out")
        assert len(kept(found)) <= 6
        codes = set()
        for query in ("Stopped", "Jam", "Free"):
            for _, table in found.answers(query):
                for name in table.column("id").to_pylist():
                    outcome = call_as_it_is("why", "out", name, "--json")
                    codes.add(outcome.code)
                    if outcome.code:
                        assert "the evidence for this answer is no longer kept: raise --explain N" in outcome.err
                    else:
                        facts = facts_of(RULES, USED.splitlines())
                        check_proof(thalweg.parse(RULES), facts, json.loads(outcome.out))
        assert codes == {0, 2}

    def test_a_stream_that_kept_nothing_at_first_does_not_pretend(self):
        last = Path("in/3.facts").rename("later")
        words = ("--checkpoint", "ck", "--output", "out")
        run("in", *ONCE, *words)
        last.rename("in/3.facts")
        outcome = run("in", *FINAL, *words, "--explain")
        assert "thalweg: the facts of earlier batches were not kept" in outcome.err
        ring = [row for _, table in RunFolder("out").answers("Free") for row in table.to_pylist()][-1]
        assert (ring["road"], ring["start"]) == ("ring", "20")
        refused = call_as_it_is("why", "out", ring["id"])
        assert (refused.code, "no longer kept" in refused.err) == (2, True)

    def test_on_the_terminal_the_id_is_a_comment(self):
        lines = run("in/0.facts", "in/1.facts", "--stream", "--trigger", "available-now", "--final", "--explain").lines
        assert all(name == fact_id(fact) for fact, _, name in (line.partition("  % ") for line in lines))
        assert lines


def test_a_batch_that_writes_to_a_folder_is_explained_from_its_files():
    run(*(f"in/{number}.facts" for number in range(3)), "--format", "parquet", "--output", "out")
    record = RunFolder("out").record
    assert (record.kind, record.state, record.clock) == ("batch", "finished", "number")
    ((number, table),) = RunFolder("out").answers("Jam")
    assert (number, {*table.column("road").to_pylist()}) == (0, {"ring"})
    proof = explain_answer(RunFolder("out"), f"Jam(ring)@{table.column('start')[0].as_py()}")
    assert proof.holds
    check_proof(thalweg.parse(RULES), facts_of(RULES, "".join(FILES[:3]).splitlines()), proof.to_json())


def test_hypotheses_are_recorded():
    Path("jam.rules").write_text(
        "timeline integer. input P(name: string). output Twice(name: string). delay P(_) = 1.\n"
        "Twice(X) at T :- P(X) at T-1, P(X) at T.\n"
    )
    Path("in/0.facts").write_text("P(a)@0\nP(a)@1\nP(b)@1\n")
    words = ("in/0.facts", "--stream", "--trigger", "available-now", "--hypotheses")
    tables = []
    for format_ in ("parquet", "facts"):
        run(*words, "--checkpoint", f"ck-{format_}", "--output", format_, "--format", format_)
        found = RunFolder(format_)
        assert found.record.kind == "hypotheses"
        assert [(each.batch, each.rows, each.open > 0) for each in found.progress()] == [(0, 3, True)]
        rows = [row for _, table in found.answers("Twice") for row in table.to_pylist()]
        tables.append(sorted([*map(str, list(row.values())[1:])] for row in rows))
    assert tables[0] == tables[1]
    assert any("confirmed" in row for row in tables[0])
    assert "they say themselves what they rest on" in call_as_it_is("why", "facts", "Twice(a)@1").err


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
        table = pa.table({"vehicle": ["a", "b"] * 4, "ts": pa.array(times, pa.timestamp("us", "UTC"))})
        pyarrow.parquet.write_table(table, "slow/0.parquet")

    @pytest.mark.parametrize("format_", ["parquet", "json", "csv", "facts"])
    def test_times_are_exact_in_every_format_and_answers_are_explained(self, format_):
        words = ("--stream", "--trigger", "available-now", "--tables", "tables.toml", "--explain")
        run(*words, "--checkpoint", "ck", "--output", "out", "--format", format_)
        found = RunFolder("out")
        assert (found.record.clock, found.record.answers) == ("timestamp", format_)
        ((_, table),) = found.answers("Jam")
        (row,) = table.to_pylist()
        assert (row["start"], found.shown(row["start"])) == ("1709294402.750001", "2024-03-01 12:00:02.750001")
        assert "On(a,ring)@(-inf,inf)" in kept(found)
        proof = explain_answer(found, row["id"])  # too many microseconds for the checker, which looks at each
        assert proof.holds
        assert proof.text.startswith("Jam(ring)@[1709294402.750001,")
        assert found.progress()[0].lag_seconds > 0
