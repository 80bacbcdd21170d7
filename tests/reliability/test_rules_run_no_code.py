"""Rules and data cannot read files or run code: what looks like an order in them is a name or a text."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thalweg
from amount import amount
from thalweg.cli.main import run_command
from thalweg.errors import ProgramError
from thalweg.syntax.facts import format_value

TESTS = Path(__file__).resolve().parents[1]

HOSTILE = [
    "/etc/passwd",
    "../../etc/passwd",
    "file:///etc/passwd",
    '#include "/etc/passwd".',
    "#script(python) import os; os._exit(7) #end.",
    "@os.system(1)",
    "a). #script(python) import os; os._exit(7) #end. b(",
    "__import__('os')._exit(7)",
    "{{7*7}}${7*7}`id`$(id)",
    "'; DROP TABLE x; --",
    "` OR 1=1 --",
    '"; exit(7); "',
    "\\",
    "a`b``c",
    "%s%n{0}{x}",
    "a\x00b",
    "\ud7ff\U0010ffff",
]

NOT_RULES = [
    '#include "/etc/passwd".',
    "#script(python) import os; os._exit(7) #end.",
    "P(X) :- @system(X).",
    "P(@os.getcwd()).",
    'P(X) :- read_csv("/etc/passwd", X).',
    'P(X) :- Q(X), open("/etc/passwd").',
    "import os.",
    "load 'x.so'.",
    ".input P('/etc/passwd')",
    '.include "x"',
    ":- initialization(halt).",
    "P(X) :- Q(X), shell('id').",
    "P(X) :- X = `id`.",
    "P($(id)).",
]


@pytest.fixture
def _with_a_secret(tmp_path, monkeypatch):
    (tmp_path / "secret").write_text("the secret")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("text", NOT_RULES)
def test_no_rule_is_an_order(text):
    """Where such a text is a program at all (a comment, say), it derives nothing but what its atoms say."""
    try:
        program = thalweg.parse(text)
    except ProgramError:
        return
    assert {*program.predicates} <= {"P", "Q", "read_csv", "open", "shell", "system"}
    assert thalweg.materialise(program, "").to_text() in ("", "P(x)")


@pytest.mark.parametrize("value", HOSTILE)
def test_a_text_stays_a_text_in_process_and_with_clingo(value):
    # Nobody may be both in and out: two answers, found by clingo.
    text = "timeline integer from 0 to 9. In(X) :- P(X), not Out(X). Out(X) :- P(X), not In(X)."
    program = thalweg.parse(text, stratified=False)
    shown = format_value(value)
    found = thalweg.answers(program, f"P({shown})@0", queries=["In", "Out"], at=0)
    assert sorted(answer.to_text() for answer in found) == [f"In({shown})@[0,0]", f"Out({shown})@[0,0]"]


@settings(max_examples=amount(60))
@given(st.text(max_size=40), st.text(alphabet="`'\";$%\\(){}<>-#/.\x1b\n\t ", max_size=20))
def test_any_text_comes_out_as_it_went_in(one, other):
    program = thalweg.parse("Q(X, Y) :- P(X, Y).")
    found = thalweg.materialise(program, f"P({format_value(one)},{format_value(other)})@1")
    (row,) = found.table("Q").to_pylist()
    assert (row["arg1"], row["arg2"]) == (one, other)


CQL = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "COPY P TO '/tmp/x'",
    "SELECT load_extension('x') FROM P [NOW]",
    "ATTACH 'x.db'",
    "INSTALL httpfs",
    "CREATE TABLE x AS SELECT * FROM P [NOW]",
    "DROP TABLE P",
    "INSERT INTO P VALUES (1)",
    "SELECT * FROM '/etc/passwd'",
    'SELECT * FROM "/etc/passwd" [NOW]',
    "SELECT getenv('HOME') FROM P [NOW]",
    "SELECT a FROM P [NOW]; DROP TABLE P",
    "PRAGMA database_list",
    "SET x = 1",
    "SELECT a FROM P [NOW] WHERE a = (SELECT pg_read_file('/etc/passwd'))",
]


@pytest.mark.parametrize("text", CQL)
def test_cql_reads_streams_and_nothing_else(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("q.cql").write_text(text)
    code = run_command(["translate", "q.cql"])
    assert code in (1, 2)
    assert "error[" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["q.cql"]


def test_reading_rules_data_and_state_opens_no_file_and_runs_nothing():
    """By the audit events of Python itself, in a process in which everything has been loaded before."""
    done = subprocess.run(
        [sys.executable, "-m", "reliability.audited"],
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "nothing\n", "")


def test_the_audit_sees_what_it_looks_for():
    done = subprocess.run(
        [sys.executable, "-m", "reliability.audited", "open"],
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "open" in done.stdout


@pytest.mark.usefixtures("_with_a_secret")
@pytest.mark.parametrize("name", ["secret", "./secret", "file:secret"])
def test_a_text_that_is_a_path_is_not_opened(name):
    program = thalweg.parse(f"Q({format_value(name)}). R(X) :- Q(X).")
    assert "the secret" not in thalweg.materialise(program, "").to_text()


@pytest.mark.parametrize("value", HOSTILE)
def test_spark_takes_values_and_names_as_they_are(spark, value):
    program = thalweg.parse("input P(x: string, y: string). output Q(x: string, y: string). Q(X, Y) :- P(X, Y), X = Y.")
    rows = spark.createDataFrame([(value, value, 1), (value, "other", 2)], "`x` string, `y` string, `t` int")
    found = thalweg.spark.reason(program, {"P": rows}, "Q", time="t").collect()
    assert [(row.x, row.y, row.start) for row in found] == [(value, value, 1)]


@pytest.mark.parametrize("name", ["a`b", "a b", "x'; DROP TABLE y; --", "a.b", "count(*)", "${x}", '"', "1+1", "*"])
def test_spark_takes_names_of_columns_as_they_are(spark, name):
    program = thalweg.parse("output Q(x: string). Q(X) :- P(X).")
    quoted = name.replace("`", "``")
    rows = spark.createDataFrame([("v", 1)], f"`{quoted}` string, `t` int")
    found = thalweg.spark.reason(program, {"P": rows}, "Q", time="t").collect()
    assert [row.x for row in found] == ["v"]
