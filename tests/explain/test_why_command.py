"""``thalweg why`` and ``thalweg why-not``."""

import json

import pytest

from cli.calling import call

RULES = """\
unit 1min.
Hot(P) :- Temp(P, C), C > 90.
Alarm(P) :- boxminus[0,2] Hot(P).
"""
FACTS = """\
Temp(p1,95)@[0,5]
Temp(p2,80)@[0,5]
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.rules").write_text(RULES)
    (tmp_path / "p.facts").write_text(FACTS)
    return "p.rules", "p.facts"


def test_why_prints_a_tree_down_to_the_lines_of_the_facts(files):
    outcome = call("why", *files, "Alarm(p1)@3")
    assert outcome.code == 0
    assert outcome.lines == [
        "Alarm(p1)@[3,3]",
        "└─ rule 2 (p.rules:3): Alarm(P) :- boxminus[0,2] Hot(P).   P = p1",
        "   └─ Hot(p1)@[1,3]",
        "      └─ rule 1 (p.rules:2): Hot(P) :- Temp(P, C), C > 90.   P = p1, C = 95",
        "         ├─ Temp(p1,95)@[1,3]   given, p.facts:1",
        "         └─ 95 > 90",
    ]


def test_depth_cuts_the_tree(files):
    outcome = call("why", *files, "Alarm(p1)@3", "--depth", 1)
    assert outcome.lines[2:] == [
        "   └─ Hot(p1)@[1,3]   …",
        "… stands for proofs that go deeper: see them with a larger depth",
    ]


def test_times_may_have_units_and_intervals_any_brackets(files):
    assert call("why", *files, "Alarm(p1)@120s").lines[0] == "Alarm(p1)@[2,2]"
    assert call("why", *files, "Alarm(p1)@(2min, 1/20h]").lines[0] == "Alarm(p1)@(2,3]"


def test_times_may_be_timestamps(files):
    assert call("why", *files, "Alarm(p1)@1970-01-01T00:03:00").lines[0] == "Alarm(p1)@[3,3]"


def test_without_a_time_every_interval_is_explained(files):
    assert call("why", *files, "Alarm(p1)").lines[0] == "Alarm(p1)@[2,5]"


def test_why_of_what_holds_in_part_says_which_part(files):
    outcome = call("why", *files, "Alarm(p1)@[1,3]")
    assert outcome.code == 4
    assert outcome.lines[:3] == [
        "Alarm(p1) holds in [2,3], but not in [1,2)",
        "ask what is missing: thalweg why-not … 'Alarm(p1)@[1,2)'",
        "Alarm(p1)@[2,3]",
    ]


def test_why_of_what_does_not_hold_points_to_why_not(files):
    outcome = call("why", *files, "Alarm(p2)@3")
    assert outcome.code == 4
    assert outcome.lines == [
        "Alarm(p2)@[3,3] does not hold",
        "ask what is missing: thalweg why-not … 'Alarm(p2)@3'",
    ]


def test_why_of_what_never_holds(files):
    outcome = call("why", *files, "Alarm(p2)")
    assert (outcome.code, outcome.lines[0]) == (4, "Alarm(p2) never holds")


def test_why_not_names_the_literal_and_how_near_it_came(files):
    outcome = call("why-not", *files, "Hot(p2)@3")
    assert outcome.code == 0
    assert outcome.lines == [
        "Hot(p2)@[3,3] does not hold",
        "└─ rule 1 (p.rules:2): Hot(P) :- Temp(P, C), C > 90.   P = p2, C = 80",
        "   └─ C > 90 fails at 3: needs C > 90, but C = 80",
    ]


def test_why_not_of_what_holds_points_to_why(files):
    outcome = call("why-not", *files, "Alarm(p1)@3")
    assert outcome.code == 4
    assert outcome.lines == ["Alarm(p1)@[3,3] holds", "ask for its proof: thalweg why … 'Alarm(p1)@[3,3]'"]


def test_json_is_one_line_that_programs_read(files):
    proof = json.loads(call("why", *files, "Alarm(p1)@3", "--json").out)
    assert proof["fact"]["text"] == "Alarm(p1)@[3,3]"
    assert proof["pieces"][0]["rule"] == {
        "number": 2,
        "text": "Alarm(P) :- boxminus[0,2] Hot(P).",
        "place": "p.rules:3:1",
    }
    answer = json.loads(call("why-not", *files, "Hot(p2)@3", "--json").out)
    assert answer["rules"][0]["literal"] == {"number": 2, "text": "C > 90", "ground": "80 > 90"}
    assert (answer["rules"][0]["after"], answer["rules"][0]["time"]) == ([1], "[3,3]")


def test_bounds_bound_what_is_looked_at(files):
    assert call("why", *files, "Alarm(p1)@3", "--from", 4).code == 4
    outcome = call("why-not", *files, "Alarm(p1)@3", "--from", 4)
    assert outcome.lines[1] == "[3,3] lies outside [4,inf), the times that are looked at"


def test_an_input_predicate_is_what_was_given(files):
    assert call("why", *files, "Temp(p1,95)@2").lines == ["Temp(p1,95)@[2,2]   given, p.facts:1"]
    assert call("why-not", *files, "Temp(p1,95)@7").lines == [
        "Temp(p1,95)@[7,7] does not hold",
        "no rule derives Temp: it holds where it is given",
        "Temp(p1,95) is given in [0,5]",
    ]


def test_bad_facts_are_skipped_only_when_asked(files, tmp_path):
    (tmp_path / "p.facts").write_text(FACTS + "Temp(p1\n")
    assert call("why", *files, "Alarm(p1)@3").code == 1
    outcome = call("why", *files, "Alarm(p1)@3", "--skip-bad")
    assert outcome.code == 0
    assert "1 bad fact skipped" in outcome.err


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("Alrm(p1)@3", "the program does not mention Alrm; did you mean Alarm?"),
        ("Alarm(p1,p2)@3", "Alarm has 1 argument, not 2"),
        ("Alarm(p1)@", "nothing is not a time"),
        ("Alarm(p1)@soon", "soon is not a time"),
        ("Alarm(p1)@(3,3)", "(3,3) contains no time point"),
        ("Alarm(P)@3", "the fact has a variable, P"),
        ("Alarm(p1@3", "is not a fact"),
        ("Alarm(_:X.1(a))@3", "there is no new value _:X.1(a)"),
    ],
)
def test_a_question_that_makes_no_sense(files, fact, message):
    outcome = call("why", *files, fact)
    assert outcome.code == 2
    assert message in outcome.err


def test_the_restricted_chase_is_refused(files):
    outcome = call("why", *files, "Alarm(p1)@3", "--chase", "restricted")
    assert outcome.code == 2
    assert "the restricted chase is not explained" in outcome.err


def test_programs_that_are_not_stratified_are_refused(tmp_path):
    (tmp_path / "p.rules").write_text("timeline integer. input D. A :- D, not B. B :- D, not A.")
    outcome = call("why", tmp_path / "p.rules", "A@1")
    assert outcome.code == 1
    assert "E310" in outcome.err


def test_colours_only_where_they_are_wanted(files, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in call("why", *files, "Alarm(p1)@3").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in call("why", *files, "Alarm(p1)@3").out


@pytest.mark.parametrize("command", ["why", "why-not"])
def test_a_file_in_the_place_of_the_fact(files, command):
    outcome = call(command, *files)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "thalweg: p.facts is a file; the last of PROGRAM FACTS FACT is a fact: 'P(a)@3'\n"


@pytest.mark.parametrize("command", ["why", "why-not"])
def test_a_folder_that_is_no_run(files, tmp_path, command):
    outcome = call(command, tmp_path, "Alarm(p1)@3")
    assert outcome.code == 2
    assert "holds no record of a run" in outcome.err
