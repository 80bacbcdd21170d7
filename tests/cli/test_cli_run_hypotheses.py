"""``thalweg run --hypotheses --in-process``, and ``thalweg check`` of what queries wait for."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from calling import call

RULES = """timeline integer.
input Temp(device, level).
background Turbine(device).
delay Temp = 1.
Malf(X) at T :- Temp(X, high) at T, Temp(X, high) at T + 1, Turbine(X).
"""
FACTS = "Temp(a,high)@0\nTemp(b,high)@0\nTemp(a,high)@2\nTemp(a,high)@1\nTurbine(a)\nTemp(b,high)@0\n"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.rules").write_text(RULES)
    Path("p.facts").write_text(FACTS)


def run(*words):
    return call("run", "p.rules", "p.facts", "--hypotheses", *words)


def test_a_stream_prints_changes_and_tells_of_late_facts():
    outcome = run("--stream")
    assert outcome.code == 0
    assert [line.split("; ")[0] for line in outcome.lines] == [
        "opened    Malf(a)@0",
        "confirmed Malf(a)@0",
        "confirmed Malf(a)@1",
        "opened    Malf(a)@2",
    ]
    assert outcome.err == "thalweg: late: Temp(b,high)@0\nthalweg: 1 open, 1 late, 0 dropped\n"


def test_the_input_may_be_final():
    outcome = run("--stream", "--final")
    assert outcome.lines[-1].startswith("refuted   Malf(a)@2; has Temp(a, high)@2, Turbine(a); lacks Temp(a, high)@3")
    assert outcome.err.endswith("thalweg: 0 open, 1 late, 0 dropped\n")


def test_without_a_stream_all_facts_have_come_together():
    outcome = run()
    assert (outcome.code, outcome.err) == (0, "")
    assert [line.split("; ")[0] for line in outcome.lines] == [
        "confirmed Malf(a)@0",
        "confirmed Malf(a)@1",
        "open      Malf(a)@2",
    ]
    assert outcome.lines[-1].endswith("awaits Temp(a, high)@3 until 4; decided by 4")


def test_json_lines():
    first, *_, last = (json.loads(line) for line in run("--format", "json").lines)
    assert (first["predicate"], first["arguments"], first["time"], first["status"]) == (
        "Malf",
        {"arg1": "a"},
        0,
        "confirmed",
    )
    assert last["status"] == "open"
    assert last["hypotheses"] == [
        {"predicate": "Temp", "arguments": ["a", "high"], "time": 3, "until": 4, "negated": False}
    ]
    assert (last["deadline"], last["confidence"]) == (4, None)


def test_a_step_is_a_number_of_lines():
    assert run("--stream", "--step", "100").err == "thalweg: 1 open, 0 late, 0 dropped\n"
    assert run("--stream", "--step", "1/2").err == "thalweg: --step 1/2: with --hypotheses it is a number of lines\n"


def test_many_late_facts_are_counted():
    Path("p.facts").write_text("Turbine(a)\nTemp(a,high)@9\n" + "".join(f"Temp(a,high)@{t}\n" for t in range(7)))
    told = run("--stream").err.splitlines()
    assert told[:2] == ["thalweg: late: Temp(a,high)@0", "thalweg: late: Temp(a,high)@1"]
    assert told[5:] == ["thalweg: and 2 more late facts", "thalweg: 2 open, 7 late, 0 dropped"]


def test_tables_are_facts_too():
    Path("Temp.csv").write_text("device,level,time\na,high,0\na,high,1\n")
    table = pa.table({"device": ["a"], "level": ["high"], "time": [2]})
    pyarrow.parquet.write_table(table, "Temp.parquet")
    Path("p.facts").write_text("Turbine(a)\n")
    outcome = call("run", "p.rules", "Temp.csv", "Temp.parquet", "p.facts", "--hypotheses")
    assert [line.split("; ")[0] for line in outcome.lines][:2] == ["confirmed Malf(a)@0", "confirmed Malf(a)@1"]


def test_a_delay_for_predicates_that_declare_none():
    Path("p.rules").write_text(RULES.replace("delay Temp = 1.\n", ""))
    Path("p.facts").write_text("Turbine(a)\nTemp(a,high)@1\nTemp(a,high)@0\n")
    assert run("--stream").err.startswith("thalweg: late: Temp(a,high)@0\n")
    outcome = run("--stream", "--delay", "2")
    assert any(line.startswith("confirmed Malf(a)@0") for line in outcome.lines)
    assert run("--stream", "--delay", "1/2").code == 2


def test_bad_facts_are_skipped_when_asked():
    Path("p.facts").write_text(f"{FACTS}Temp(a\n")
    assert run().code == 1
    outcome = run("--skip-bad")
    assert outcome.code == 0
    assert outcome.err.endswith("thalweg: 1 bad fact skipped\n")


def test_other_formats_and_outputs_are_refused():
    assert run("--format", "csv").err == "thalweg: --hypotheses prints lines of text, or --format json\n"
    assert run("--stream", "--output", "x").code == 2
    assert run("--output", "open.txt").out == ""
    assert Path("open.txt").read_text().startswith("confirmed Malf(a)@0")


def test_check_says_what_is_waited_for():
    shown = call("check", "p.rules").lines
    at = shown.index("hypotheses")
    assert shown[at + 1] == "  Malf(X) at T waits for: Temp(X, high) at T, Temp(X, high) at T + 1; given Turbine(X)"
    report = json.loads(call("check", "p.rules", "--json").out)
    assert [(each["query"], each["delay"]) for each in report["hypotheses"]] == [("Malf", 2)]


def test_check_of_other_programs_says_nothing_of_hypotheses_unless_asked():
    Path("p.rules").write_text("timeline integer.\nQ(X) :- boxminus[0,1] P(X).\nR(X) :- Q(X), not S(X).\n")
    assert "hypotheses" not in call("check", "p.rules").out
    assert "hypotheses" not in json.loads(call("check", "p.rules", "--json").out)
    assert "  Q(X) at T waits for: P(X) at T - 1, P(X) at T" in call("check", "p.rules", "--hypotheses").lines
    narrowed = call("check", "p.rules", "--query", "R").out
    assert "R(X) at T waits for: " in narrowed
    assert "\n  Q(X) at T waits for" not in narrowed
    assert call("check", "p.rules", "--query", "Z").code == 1
