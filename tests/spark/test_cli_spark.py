"""``thalweg run`` on Spark: the same bytes as in one process, and mistakes explained."""

import os
import shlex
import signal
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from cli.calling import call_as_it_is, files_below

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CASES = (
    "comparisons_and_arithmetic",
    "integer_recursion_and_negation",
    "negation_in_three_strata",
    "static_background",
    "thirds_and_decimals_are_exact",
    "time_in_the_last_argument",
)
ERRORS = (
    "arity_clash_with_facts",
    "contradiction",
    "endless_recursion",
    "last_argument_not_a_time",
    "several_bad_fact_lines",
    "time_off_the_tick",
)

RULES = "input P(x).\nQ(X) :- diamondminus[0,2] P(X).\nR(X) :- Q(X), not P(X).\n"


@pytest.fixture(autouse=True)
def _in_folder(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.rules").write_text(RULES)
    Path("p.facts").write_text("P(a)@1\nP(b)@[2,3.5)\nPP(z)@1\n")


def same(*words):
    """The outcome on Spark, which must be that of this process to the byte."""
    on_spark = call_as_it_is("run", *words)
    assert on_spark == call_as_it_is("run", *words, "--in-process")
    return on_spark


class TestSameBytes:
    @pytest.mark.parametrize("name", CASES)
    def test_golden_case(self, name):
        rules = GOLDEN / "cases" / f"{name}.rules"
        first, last = rules.read_text().splitlines()[0].removeprefix("% bounds ").split()
        outcome = same(rules, rules.with_suffix(".facts"), f"--from={first}", f"--to={last}", "--format", "json")
        assert outcome.code == 0
        assert outcome.out

    @pytest.mark.parametrize("name", ERRORS)
    def test_golden_error(self, name, monkeypatch):
        monkeypatch.chdir(GOLDEN / "errors" / "run")
        outcome = same(f"{name}.rules", f"{name}.facts", *shlex.split(Path(f"{name}.args").read_text()))
        assert (outcome.code, outcome.out) == (1, "")

    def test_all_kinds_of_files_together_two_queries_and_facts_that_play_no_part(self):
        Path("P.csv").write_text("x,time\nc,1\n")
        Path("more").mkdir()
        pyarrow.parquet.write_table(pa.table({"x": ["d"], "start": [1], "end": [2]}), "more/P.parquet")
        pyarrow.parquet.write_table(pa.table({"x": ["d"], "time": [1]}), "Other.parquet")
        Path("m.json").write_text(
            '{"P": [{"e": {"left_value": 1, "right_value": 2, "left_open": true, "right_open": false}}]}'
        )
        files = ("p.facts", "P.csv", "more/P.parquet", "Other.parquet", "m.json")
        outcome = same("p.rules", *files, "--query", "R", "--query", "P")
        assert outcome.lines[-1] == "P(e)@(1,2]"
        assert outcome.err == "warning[W401]: no rule mentions PP, Other: facts of these play no part\n"

    def test_times_of_a_parquet_table_keep_as_many_decimals_as_they_need(self):
        moments = pa.array([1_500_000, 4_000_000], pa.timestamp("us"))
        pyarrow.parquet.write_table(pa.table({"x": ["a", "b"], "time": moments}), "P.parquet")
        outcome = same("p.rules", "P.parquet", "--query", "Q", "--format", "csv")
        assert outcome.lines[1:] == ['"a",1.5,3.5,true,true', '"b",4.0,6.0,true,true']

    def test_bad_facts_are_reported_counted_and_left_out(self):
        Path("bad.facts").write_text("P(a)@1\nP(b)@\nP(c@3\nP(d)@4\n")
        Path("P.csv").write_text("x,time\n,1\nf,2\n")
        outcome = same("p.rules", "P.csv", "bad.facts", "--skip-bad", "--query", "P")
        assert outcome.lines == ["P(a)@[1,1]", "P(d)@[4,4]", "P(f)@[2,2]"]
        assert outcome.err.endswith("thalweg: 3 bad facts skipped\n")

    def test_no_facts_at_all(self):
        assert same("p.rules").code == 0


class TestTablesOfTheWrongShape:
    """Everything is explained, nothing is written, and no stack is traced."""

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"x": ["a"], "tmie": [1]}, "table P: error[E460]: there is no column time to say when a row holds"),
            ({"y": ["a"], "time": [1]}, "table P: error[E460]: P has 2 arguments, but the table has 1 columns"),
            ({"x": [[1]], "n": [2], "time": [1]}, "table P: error[E441]: column x has type array<bigint>"),
            ({"x": ["a"], "n": ["b"], "time": [1]}, "table P: error[E434]: column n has type string"),
            ({"x": ["a", None], "n": [1, 2], "time": [1, 2]}, "table P: error[E442]: there is no value in column x"),
            ({"x": ["a"], "n": [1], "time": ["now"]}, "table P: error[E441]: column time has type string"),
        ],
    )
    def test_the_column_is_named(self, columns, message, tmp_path):
        Path("p.rules").write_text("input P(x, n: number).\nQ(X) :- P(X, N), N > 1.\n")
        pyarrow.parquet.write_table(pa.table(columns), "P.parquet")
        before = files_below(tmp_path)
        outcome = call_as_it_is("run", "p.rules", "P.parquet", "--output", "out.facts")
        assert (outcome.code, outcome.out) == (1, "")
        assert message in outcome.err
        assert "hint: " in outcome.err
        assert "Traceback" not in outcome.err
        assert "java" not in outcome.err
        assert files_below(tmp_path) == before

    def test_rows_without_a_value_can_be_skipped(self):
        pyarrow.parquet.write_table(pa.table({"x": ["a", None], "time": [1, 2]}), "P.parquet")
        outcome = call_as_it_is("run", "p.rules", "P.parquet", "--query", "P", "--skip-bad")
        assert (outcome.code, outcome.lines) == (0, ["P(a)@[1,1]"])
        assert outcome.err.startswith("table P: error[E442]: there is no value in column x (in the row x=None, time=2)")
        assert outcome.err.endswith("thalweg: 1 bad fact skipped\n")


class TestWrongCalls:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("nowhere.facts",), "there is no file nowhere.facts"),
            (("p.facts", "--master", "local[3]"), "a Spark session runs already, with other values of spark.master"),
            (("p.facts", "--spark-conf", "nonsense"), "--spark-conf nonsense: write it as KEY=VALUE"),
            (("p.facts", "--in-process", "--shards", "2"), "--shards does not go with --in-process"),
            (("kafka://here:1/t", "--in-process"), "kafka://here:1/t does not go with --in-process"),
            (("p.facts", "--delay", "3"), "--delay goes with --stream"),
            (("p.facts", "--stream", "--step", "3"), "--step goes with --stream --in-process"),
            (("p.facts", "--stream", "--final"), "--final goes with --trigger available-now"),
            (("p.facts", "--stream", "--from", "3"), "--from does not go with --stream"),
            (("p.facts", "--stream", "--trigger", "soon"), "--trigger soon: write a duration such as 1s"),
            (("p.facts", "--stream", "--delay", "-1"), "--delay -1: write a length of time"),
            (("p.facts", "--stream", "--format", "csv"), "--format csv does not go to standard output on a stream"),
            (("p.facts", "--stream", "--output", "out"), "--output needs --checkpoint DIR"),
            (("--stream",), "there is nothing to follow"),
            (("P.csv", "--stream"), "P.csv cannot be followed as a stream: it is a table, and P is not background"),
            (("kafka://here", "--stream"), "kafka://here is not the address of a Kafka topic"),
        ],
    )
    def test_they_are_explained(self, words, message):
        Path("P.csv").write_text("x,time\na,1\n")
        outcome = call_as_it_is("run", "p.rules", *words)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith(f"thalweg: {message}")
        assert "Traceback" not in outcome.err


def test_ctrl_c_ends_a_batch(spark):
    Path("endless.rules").write_text("P(X) :- diamondminus[1,1] P(X).\n")
    over = threading.Event()
    threading.Thread(target=press_ctrl_c, args=(spark.sparkContext.statusTracker(), over)).start()
    outcome = call_as_it_is("run", "endless.rules", "p.facts", "--max-rounds", "10000")
    over.set()
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "thalweg: stopped\n")


def press_ctrl_c(tracker, over):
    """Interrupt this process once Spark is at work."""
    while not over.wait(0.1):
        if tracker.getActiveJobsIds():
            os.kill(os.getpid(), signal.SIGINT)
            return
