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


ONCE = "timeline integer.\nexists Y: Q(X, Y) :- window[last 3] some P(X).\n"
LATER = "timeline integer.\nexists Y: Q(X, Y) :- P(X).\nP(Y) at T + 1 :- Q(X, Y) at T.\n"
ENDLESS = "timeline integer.\nexists Y: Q(X, Y) :- P(X).\nP(Y) :- window[last 2] some Q(X, Y).\n"
CYCLE = "P.1 -*-> Q.2 (rule 1), Q.2 -> P.1 (rule 2)"


def chase_of(text, *options):
    """The lines on the chase."""
    Path("exists.rules").write_text(text)
    outcome = call("check", "exists.rules", *options)
    assert outcome.code == 0
    first = next(number for number, line in enumerate(outcome.lines) if line.startswith("chase "))
    rest = outcome.lines[first + 1 :]
    last = next(number for number, line in enumerate(rest) if not line.startswith("  "))
    return [outcome.lines[first], *rest[:last]]


def test_a_chase_that_ends_on_every_input():
    assert chase_of(ONCE) == ["chase        ends on every input (LWA: weakly acyclic, whatever the times)"]


def test_a_chase_that_ends_on_bounded_timelines():
    assert chase_of(LATER) == [
        "chase        ends on every stream over a bounded timeline (TLWA)",
        f"  without times it would not: {CYCLE}",
    ]
    assert chase_of(LATER, "--timeline", "0..20")[0].endswith("over the timeline [0,20] (TLWA)")
    assert chase_of(LATER.replace("integer.", "integer from 0 to 9."))[0].endswith("over the timeline [0,9] (TLWA)")


def test_a_chase_that_may_not_end():
    assert chase_of(ENDLESS) == [
        "chase        may not end, so a run needs --max-nulls or --max-depth: nulls are made from nulls along",
        f"  {CYCLE}",
        "  P@0.1 -*-> Q@0.2 (rule 1), Q@0.2 -> P@0.1 (rule 2), over the timeline [0,2]",
    ]


def test_a_chase_that_was_not_decided():
    text = (
        "timeline integer.\nexists Y: Q(X, Y) at U :- P(X) at T, U = 2 * T.\n"
        "P(Y) at U :- Q(X, Y) at T, top at U, T = U + U + 1.\n"
    )
    assert "  on a longer timeline it may not end: --timeline A..B asks about another one" in chase_of(text)
    assert chase_of(text, "--timeline", "0..90000")[0].startswith("chase        not decided over the timeline")


def test_arithmetic_is_another_matter():
    text = "timeline integer.\nexists Y: Q(N, Y) :- P(N).\nP(M) :- Q(N, Y), M = N + 1.\n"
    assert "  this is said of nulls only: recursion can make new numbers without end (W302)" in chase_of(text)


def test_programs_without_exists_have_no_chase():
    assert "chase" not in call("check", "right.rules").out
    assert json.loads(call("check", "right.rules", "--json").out)["chase"] is None


def test_the_dialect_of_programs_with_exists():
    Path("exists.rules").write_text(ONCE)
    assert "dialect      LARS+" in call("check", "exists.rules").lines
    Path("exists.rules").write_text("exists Y per X: Q(X, Y) :- diamondminus[0,1] P(X).\n")
    expected = "dialect      forward-propagating DatalogMTL with existential rules"
    assert expected in call("check", "exists.rules").lines


def test_json_of_a_chase():
    Path("exists.rules").write_text(ENDLESS)
    chase = json.loads(call("check", "exists.rules", "--json").out)["chase"]
    assert (chase["verdict"], chase["ends"], chase["timeline"]) == ("neither", False, [0, 2])
    assert chase["cycle"][0] == {"from": "P.1", "to": "Q.2", "special": True, "rule": 1}
    assert chase["timed_cycle"][1] == {"from": "Q@0.2", "to": "P@0.1", "special": False, "rule": 2}


@pytest.mark.parametrize("wrong", ["5..4", "0-9", "0..", "..9", "0..1.5"])
def test_a_timeline_that_is_none(wrong):
    outcome = call("check", "right.rules", "--timeline", wrong)
    assert outcome.code == 2
    assert "is no timeline" in outcome.err
