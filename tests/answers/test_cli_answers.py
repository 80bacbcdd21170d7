"""``thalweg run --answers``, ``--at`` and ``--reading``; ``thalweg check`` of programs that are not stratified."""

import json
from pathlib import Path

import pytest

from cli.calling import call_as_it_is as call

CHOICE = """timeline integer from 0 to 4.
input P.
output A. output B. output C.
A :- P, not B.
B :- P, not A.
C :- window[last 1] some A.
"""
STRATIFIED = "timeline integer from 0 to 4.\nQ :- window[last 1] some P.\nR :- diamondminus[1,1] Q.\n"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.rules").write_text(CHOICE)
    Path("s.rules").write_text(STRATIFIED)
    Path("none.rules").write_text("timeline integer from 0 to 4.\nA :- P, not A.\n")
    Path("p.facts").write_text("P@1\n")


class TestAnswers:
    def test_all(self):
        outcome = call("run", "c.rules", "p.facts", "--answers", "all")
        assert (outcome.code, outcome.err) == (0, "")
        assert sorted(outcome.lines) == ["A@[1,1]", "Answer 1:", "Answer 2:", "B@[1,1]", "C@[1,2]"]
        assert outcome.lines[0] == "Answer 1:"

    def test_one(self):
        outcome = call("run", "c.rules", "p.facts", "--answers", "one")
        assert outcome.lines[0] == "Answer 1:"
        assert "Answer 2:" not in outcome.lines

    def test_limit(self):
        assert "Answer 2:" not in call("run", "c.rules", "p.facts", "--answers", "all", "--limit", "1").lines

    def test_cautious_and_brave(self):
        assert call("run", "c.rules", "p.facts", "--answers", "cautious").out == ""
        assert call("run", "c.rules", "p.facts", "--answers", "brave").lines == ["A@[1,1]", "B@[1,1]", "C@[1,2]"]

    @pytest.mark.parametrize("mode", ["all", "one", "cautious", "brave"])
    def test_no_answer_is_no_error(self, mode):
        outcome = call("run", "none.rules", "p.facts", "--answers", mode)
        assert (outcome.code, outcome.out, outcome.err) == (0, "No answer.\n", "")

    def test_at_a_time(self):
        outcome = call("run", "c.rules", "p.facts", "--answers", "brave", "--at", "2")
        assert outcome.lines == ["C@[2,2]"]

    def test_at_the_evaluation_time(self):
        words = ("--reading", "evaluation-time", "--at", "1", "--query", "C")
        assert call("run", "c.rules", "p.facts", "--answers", "brave", *words).lines == ["C@[1,1]"]

    def test_between_two_times(self):
        outcome = call("run", "c.rules", "p.facts", "--answers", "brave", "--from", "2", "--to", "3")
        assert outcome.lines == []

    def test_as_json(self):
        outcome = call("run", "c.rules", "p.facts", "--answers", "all", "--format", "json", "--query", "A")
        found = [json.loads(line) for line in outcome.lines]
        assert [each["answer"] for each in found] == [1, 2]
        assert sorted(len(each["facts"]) for each in found) == [0, 1]

    def test_consequences_as_json(self):
        outcome = call("run", "c.rules", "p.facts", "--answers", "brave", "--format", "json", "--query", "A")
        time = {"start": 1, "end": 1, "start_closed": True, "end_closed": True}
        assert json.loads(outcome.out) == {"brave": True, "facts": [{"predicate": "A", "arguments": {}, **time}]}

    def test_no_answer_as_json(self):
        outcome = call("run", "none.rules", "p.facts", "--answers", "all", "--format", "json")
        assert outcome.out == '{"answers": 0}\n'

    def test_into_a_file(self):
        outcome = call("run", "c.rules", "p.facts", "--answers", "brave", "--output", "answers.facts")
        assert (outcome.code, outcome.out) == (0, "")
        assert Path("answers.facts").read_text() == "A@[1,1]\nB@[1,1]\nC@[1,2]\n"

    def test_bad_facts_are_skipped(self):
        Path("bad.facts").write_text("P@1\nP@\n")
        assert call("run", "c.rules", "bad.facts", "--answers", "brave").code == 1
        outcome = call("run", "c.rules", "bad.facts", "--answers", "brave", "--skip-bad")
        assert outcome.lines == ["A@[1,1]", "B@[1,1]", "C@[1,2]"]
        assert outcome.err.endswith("thalweg: 1 bad fact skipped\n")


class TestStream:
    def test_every_time_point(self):
        outcome = call("run", "c.rules", "p.facts", "--answers", "brave", "--stream", "--to", "3")
        assert outcome.lines == ["At 1:", "A@[1,1]", "B@[1,1]", "C@[1,1]", "At 2:", "C@[2,2]", "At 3:"]

    def test_as_json(self):
        outcome = call("run", "none.rules", "p.facts", "--answers", "all", "--stream", "--to", "2", "--format", "json")
        assert [json.loads(line) for line in outcome.lines] == [
            {"time": 1, "answers": 0},
            {"time": 2, "answer": 1, "facts": []},
        ]

    def test_a_window(self):
        Path("back.rules").write_text("timeline integer.\nA :- P, not diamondminus[1,1] A.\n")
        refused = call("run", "back.rules", "p.facts", "--answers", "all", "--stream")
        assert refused.code == 2
        assert refused.err.startswith("thalweg: the rules reach back without a bound")
        outcome = call("run", "back.rules", "p.facts", "--answers", "all", "--stream", "--window", "3")
        assert outcome.lines == ["At 1:", "Answer 1:", "A@[1,1]"]


class TestStratified:
    def test_at_a_time(self):
        assert call("run", "s.rules", "p.facts", "--at", "2").lines == ["Q@[2,2]", "R@[2,2]"]

    def test_at_the_evaluation_time(self):
        assert call("run", "s.rules", "p.facts", "--at", "2", "--reading", "evaluation-time").lines == ["Q@[2,2]"]

    def test_at_every_time_point_of_a_stream(self):
        words = ("--stream", "--reading", "evaluation-time", "--query", "Q", "--to", "3")
        assert call("run", "s.rules", "p.facts", *words).lines == ["At 1:", "Q@[1,1]", "At 2:", "Q@[2,2]", "At 3:"]

    def test_a_contradiction_is_an_error(self):
        Path("s.rules").write_text(STRATIFIED + "bottom :- R.\n")
        outcome = call("run", "s.rules", "p.facts", "--at", "2")
        assert (outcome.code, outcome.out) == (1, "")
        assert "E501" in outcome.err

    def test_others_are_refused(self):
        outcome = call("run", "c.rules", "p.facts", "--at", "2")
        assert outcome.code == 1
        assert "E310" in outcome.err
        assert "thalweg run --answers all" in outcome.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--limit", "2"), "--limit goes with --answers"),
        (("--window", "2"), "--window goes with --answers"),
        (("--answers", "all", "--window", "2"), "--window goes with --stream"),
        (("--answers", "one", "--limit", "2"), "--limit goes with --answers all"),
        (("--answers", "all", "--format", "csv"), "--format csv does not go with --answers"),
        (("--answers", "all", "--shards", "2"), "--shards does not go with --answers, --at or --reading"),
        (("--answers", "all", "--stream", "--at", "2"), "--at does not go with --answers --stream"),
        (("--answers", "all", "--reading", "evaluation-time"), "the reading evaluation-time needs the time"),
        (("--answers", "all", "--at", "soon"), "--at soon: write a number"),
        (("--answers", "all", "--at", "9"), "the time 9 is not on the timeline"),
    ],
)
def test_what_does_not_go_together(words, message):
    outcome = call("run", "c.rules", "p.facts", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"thalweg: {message}")


class TestCheck:
    def test_a_program_that_is_not_stratified_is_correct(self):
        outcome = call("check", "c.rules")
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.lines[-1].startswith("answers      not stratified: A depends on its own absence (A reads not B")
        assert outcome.lines[-1].endswith(": thalweg run --answers all")

    def test_as_json(self):
        outcome = call("check", "c.rules", "--json")
        document = json.loads(outcome.out)
        assert (outcome.code, document["ok"], document["stratified"]) == (0, True, False)
        assert document["cycles"] == [
            "not stratified: A depends on its own absence (A reads not B in rule 1, B reads not A in rule 2)"
        ]

    def test_a_stratified_program_has_no_cycles(self):
        document = json.loads(call("check", "s.rules", "--json").out)
        assert document["cycles"] == []
        assert "stream" in document
