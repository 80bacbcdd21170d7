"""``thalweg run --hypotheses`` on Spark: as it comes and all at once, folders, checkpoints, the end of the input."""

import json
import os
from pathlib import Path

import pytest

import thalweg
from cli.calling import call_as_it_is, files_below

RULES = """
timeline integer.
input Temp(turbine: string, level: string).
output Malf(turbine: string).
delay Temp(_, _) = 1.
Flag(X) at T :- Temp(X, high) at T.
Cool(X) at T+1 :- Flag(X) at T, Flag(X) at T+1.
Malf(X) at T-2 :- Cool(X) at T-1, Flag(X) at T.
"""
FILES = [
    "Temp(wt2,high)@0\nTemp(wt4,high)@0\n",
    "Temp(wt2,high)@2\nTemp(wt4,low)@1\nZ(q)@99\n",
    "Temp(wt2,high)@1\nTemp(wt4,high)@3\n",
    "Temp(wt4,high)@0\nTemp(wt2,high)@4\n",
]
ONCE = ("--stream", "--trigger", "available-now", "--max-files", "1")
FINAL = (*ONCE, "--final")


@pytest.fixture(autouse=True)
def _in_folder(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("turbine.rules").write_text(RULES)
    Path("in").mkdir()
    for number, text in enumerate(FILES):
        feed(number, text)


def feed(number, text):
    path = Path("in") / f"{number}.facts"
    path.write_text(text)
    os.utime(path, (1_700_000_000 + number,) * 2)


def run(*words):
    return call_as_it_is("run", "turbine.rules", *words, "--hypotheses")


def expected(*, final=False):
    """What one stream in this process says, file by file; those of one file in any order."""
    stream = thalweg.HypothesisStream(thalweg.load("turbine.rules"), "Malf")
    batches = [sorted(stream.advance("".join(text.splitlines(True)[:2])).lines()) for text in FILES]
    return [line for batch in batches for line in batch] + (sorted(stream.advance((), 1000).lines()) if final else [])


def test_a_stream_says_what_changes_and_warns_of_late_facts():
    outcome = run("in", *FINAL, "--progress")
    assert (outcome.code, outcome.lines) == (0, expected(final=True))
    told = outcome.err.splitlines()
    assert "warning[W402]: set aside: Temp(wt4, high) @ 0: it came too late" in told
    assert "warning[W401]: no rule mentions Z: its facts play no part" in told
    assert told[1].startswith("batch 0: 2 rows in ")
    assert ", the newest fact at 0, 2 open, 0 remembered" in told[1]
    assert any("everything is decided, 0 open" in line for line in told)


def test_without_a_stream_all_that_has_come_is_judged_at_once():
    names = [f"in/{number}.facts" for number in range(3)]
    on_spark, here = run(*names, "--shards", "2"), run(*names, "--in-process")
    assert (on_spark.code, here.code) == (0, 0)
    assert on_spark.lines == sorted(here.lines)
    assert [line.split()[0] for line in on_spark.lines] == ["confirmed", "open", "open", "open", "open"]
    rows = [json.loads(line) for line in run(*names, "--format", "json").lines]
    assert {row["status"] for row in rows} == {"confirmed", "open"}
    assert rows[0]["arguments"].keys() == {"turbine"}


class TestFolders:
    def test_rows_have_typed_columns_and_a_restart_changes_nothing(self, spark):
        one = ("in", *FINAL, "--checkpoint", "one.ck", "--output", "one")
        assert run(*one).code == 0
        for number in (2, 3):
            Path(f"in/{number}.facts").rename(f"{number}.facts")
        several = ("in", "--checkpoint", "several.ck", "--output", "several")
        assert run(*several, *ONCE).code == 0
        for number in (2, 3):
            Path(f"{number}.facts").rename(f"in/{number}.facts")
        outcome = run(*several, *FINAL)
        assert (outcome.code, outcome.err) == (0, "thalweg: 1 fact set aside, in several/quarantine\n")
        whole, parts = (spark.read.parquet(str(Path(name, "Malf").absolute())) for name in ("one", "several"))
        assert whole.columns == [
            *("turbine", "time", "status", "evidence", "hypotheses", "deadline", "confidence", "batch")
        ]
        assert sorted(map(repr, whole.drop("batch").collect())) == sorted(map(repr, parts.drop("batch").collect()))
        assert run(*several, *FINAL).err == "thalweg: several.ck is finished: everything has been answered to the end\n"

    @pytest.mark.parametrize("format_", ["csv", "json", "facts"])
    def test_other_formats(self, format_):
        words = ("in", *ONCE, "--checkpoint", "ck", "--output", "out", "--format", format_)
        assert run(*words).code == 0
        lines = [line for path in sorted(Path("out/Malf").glob("*/part-*")) for line in path.read_text().splitlines()]
        assert any("opened" in line and "wt2" in line for line in lines)


def test_a_checkpoint_is_for_one_way_to_ask():
    assert run("in", *ONCE, "--checkpoint", "ck").code == 0
    before = files_below(Path("ck"))
    outcome = run("in", *ONCE, "--checkpoint", "ck", "--max-open", "5")
    assert (outcome.code, outcome.out) == (1, "")
    assert "answers were given as hypotheses, now hypotheses (max-open 5)" in outcome.err
    assert files_below(Path("ck")) == before


class TestRefusals:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("--emit", "changes", "--stream"), "--emit does not go with --hypotheses"),
            (("--to", "9"), "--to does not go with --hypotheses"),
            (("--query", "Malf", "--query", "Cool"), "--hypotheses is about one query, not 2 (Malf, Cool): name one"),
            (("--delay", "1500ms"), "time points are whole numbers"),
            (("--format", "parquet", "--output", "x.parquet"), "--hypotheses prints lines of text, or --format json"),
        ],
    )
    def test_what_does_not_go_together(self, words, message):
        outcome = run("in/0.facts", *words)
        assert outcome.code == 2
        assert message in outcome.err

    def test_options_that_go_with_hypotheses_only(self):
        for word in ("--depth", "--max-open", "--min-confidence"):
            outcome = call_as_it_is("run", "turbine.rules", "in/0.facts", word, "1")
            assert (outcome.code, outcome.err) == (2, f"thalweg: {word} goes with --hypotheses\n")
