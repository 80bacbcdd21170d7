"""``thalweg check``."""

import json
from pathlib import Path

import pytest
from calling import call

RIGHT = "input P(x: number).\noutput Q(x: number).\nQ(X) :- boxminus[0,5] P(X), not R(X).\nR(X) :- P(X), X > 3.\n"
WRONG = "Q(X) :- P(Y).\nR(X) :- boxminus P(X).\nS(X) :- P(X).\n"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("right.rules").write_text(RIGHT)
    Path("wrong.rules").write_text(WRONG)


def test_a_right_program():
    outcome = call("check", "right.rules")
    assert (outcome.code, outcome.err) == (0, "")
    assert "dialect      forward-propagating DatalogMTL with stratified negation and comparisons" in outcome.lines
    assert "rules        2" in outcome.lines
    assert "  P(x: number)  input" in outcome.lines
    assert "  1  P, R" in outcome.lines
    assert "window       5" in outcome.lines
    assert "  1  R and Q by the x of P" in outcome.lines


def test_a_wrong_program_reports_to_standard_error():
    outcome = call("check", "wrong.rules")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == (
        "wrong.rules:2:9: error[E116]: boxminus has no interval\n"
        "    R(X) :- boxminus P(X).\n"
        "            ^^^^^^^^\n"
        "    hint: say how far: boxminus[0,5], boxminus(0,5] or boxminus[5]\n"
    )


def test_warnings_do_not_change_the_exit_code():
    Path("both.rules").write_text("P(X) :- diamondminus[1,1] P(X), G(X).\nP(X) :- diamondplus[1,1] P(X), G(X).\n")
    outcome = call("check", "both.rules")
    assert outcome.code == 0
    assert outcome.err.startswith("both.rules:1:1: warning[W301]: the recursion of P goes both ways through time\n")
    assert "recursion" in outcome.out


def test_json_of_a_right_program():
    outcome = call("check", "right.rules", "--json")
    report = json.loads(outcome.out)
    assert (outcome.code, outcome.err) == (0, "")
    assert (report["ok"], report["diagnostics"]) == (True, [])
    assert report["strata"] == [["P", "R"], ["Q"]]
    assert report["predicates"][0] == {
        "name": "P",
        "arity": 1,
        "role": "input",
        "arguments": [{"name": "x", "type": "number"}],
    }
    assert (report["window"], report["granularity"], report["timeline"]) == ("5", "5", "rational")
    assert report["shards"]["stages"][0]["keys"]["P"] == {"argument": 0, "name": "x"}


def test_json_of_a_wrong_program():
    outcome = call("check", "wrong.rules", "--json")
    report = json.loads(outcome.out)
    assert (outcome.code, outcome.err) == (1, "")
    assert report == {
        "ok": False,
        "diagnostics": [
            {
                "code": "E116",
                "message": "boxminus has no interval",
                "hint": "say how far: boxminus[0,5], boxminus(0,5] or boxminus[5]",
                "place": {"file": "wrong.rules", "line": 2, "column": 9},
            }
        ],
    }


def test_json_tells_of_warnings():
    Path("unused.rules").write_text("input Z(x).\ninput P(x).\nQ(X) :- P(X).\n")
    report = json.loads(call("check", "unused.rules", "--json").out)
    assert report["ok"]
    assert [each["code"] for each in report["diagnostics"]] == ["W201"]


def test_a_missing_program():
    outcome = call("check", "nowhere.rules")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "thalweg: there is no file nowhere.rules\n"


def test_a_bound_on_memory():
    Path("stop.rules").write_text("Q(X) :- boxminus[0,5] P(X).\n")
    outcome = call("check", "stop.rules", "--domain", "10")
    assert outcome.code == 0
    assert "(Theorem 12)" in outcome.out
    assert "Theorem" not in call("check", "stop.rules").out


def test_an_empty_program():
    Path("empty.rules").write_text("% nothing\n")
    assert call("check", "empty.rules").code == 0
