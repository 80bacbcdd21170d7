"""``thalweg translate --to existential-rules`` and ``--to rls``."""

import pytest

from cli.calling import call
from existential.rls_reader import read_rls

RULES = """\
timeline integer.
input belt(id).
input temperature(id, degrees).
background high(degrees).
exists Y: operator(X, Y) :- belt(X).
exists Z: incident(Z, X) :- window[last 3] all temperature(X, Y), high(Y).
"""
FACTS = """\
belt(b1)@[0,2]
temperature(b1,90)@[0,1]
high(90)
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "belts.rules").write_text(RULES)
    (tmp_path / "belts.facts").write_text(FACTS)
    return tmp_path


def test_rules_for_people(files):
    outcome = call("translate", files / "belts.rules", "--to", "existential-rules")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.lines[:5] == [
        "% rule 1",
        "exists Y: box_operator(X, Y, 0, C) :- box_belt(X, 0, C).",
        "% rule 2",
        "exists Z: box_incident(Z, X, 0, C) :- box_temperature(X, Y, 3, C), box_high(Y, 0, C).",
        "box_top(0, C) :- 0 <= C.",
    ]
    assert len([line for line in outcome.lines if line[0] != "%"]) == 2 + 1 + 5 * 6


def test_rules_for_people_with_facts(files):
    outcome = call(
        "translate", files / "belts.rules", files / "belts.facts", "--to", "existential-rules", "--timeline", "0..2"
    )
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.lines[outcome.lines.index("% facts") :] == [
        "% facts",
        "box_belt(b1, 0, 0).",
        "box_belt(b1, 0, 1).",
        "box_belt(b1, 0, 2).",
        "box_temperature(b1, 90, 0, 0).",
        "box_temperature(b1, 90, 0, 1).",
        "box_high(90, 0, 0).",
        "box_high(90, 0, 1).",
        "box_high(90, 0, 2).",
        "% the timeline 0..2",
    ]


def test_a_whole_file_for_an_engine(files):
    outcome = call(
        "translate",
        files / "belts.rules",
        files / "belts.facts",
        "--to",
        "rls",
        "--timeline",
        "0..2",
        "-o",
        files / "o",
    )
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    statements = read_rls((files / "o").read_text())
    facts = [head for head, body in statements if body is None]
    assert len(statements) - len(facts) == 2 + 1 + 5 * 6
    assert ("box_belt", [("string", "b1"), ("integer", 0), ("integer", 2)]) in facts
    assert ("leq", [("integer", 0), ("integer", 2)]) in facts
    assert ("plus", [("integer", 2), ("integer", 1), ("integer", 1)]) in facts
    assert ("box_temperature", [("universal", "X"), ("universal", "Y"), ("integer", 2), ("universal", "C")]) in [
        atom for _, body in statements for atom in body or ()
    ]


def test_the_program_may_declare_the_timeline_and_have_the_facts(files):
    (files / "belts.rules").write_text(RULES.replace("integer.", "integer from 0 to 1.") + "belt(b2)@1. high(80).")
    outcome = call("translate", files / "belts.rules", "--to", "rls")
    assert outcome.code == 0
    start = outcome.lines.index("% facts")
    assert outcome.lines[start : start + 5] == [
        "% facts",
        'box_belt("b2", 0, 1) .',
        "box_high(80, 0, 0) .",
        "box_high(80, 0, 1) .",
        "% the timeline 0..1",
    ]
    assert call("translate", files / "belts.rules", "--to", "rls", "--timeline", "0..1").out == outcome.out


def test_facts_of_the_program_are_not_forgotten_in_silence(files):
    (files / "belts.rules").write_text(f"{RULES}belt(b2)@1.")
    outcome = call("translate", files / "belts.rules", "--to", "rls")
    assert outcome.lines[-1] == "% the facts of the program are written with --timeline"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("belts.facts", "--to", "rls"), "facts are written for the time points of a finite timeline: add --timeline"),
        (("--to", "rls", "--timeline", "9"), "--timeline 9 is not a timeline: write its first and last time point"),
        (("--to", "rls", "--timeline", "2..9"), "--timeline 2..9 does not begin at 0"),
        (("--timeline", "0..9"), "--timeline goes with --to existential-rules and --to rls"),
        (("belts.facts",), "FACTS go with --to existential-rules and --to rls"),
        (("nowhere.facts", "--to", "rls", "--timeline", "0..9"), "there is no file"),
        (("--to", "prolog"), "invalid choice"),
    ],
)
def test_a_wrong_call_is_refused(words, message, files):
    words = [files / word if word.endswith(".facts") else word for word in words]
    outcome = call("translate", files / "belts.rules", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_a_timeline_that_the_program_does_not_have_is_refused(files):
    (files / "belts.rules").write_text(RULES.replace("integer.", "integer to 5."))
    outcome = call("translate", files / "belts.rules", "--to", "rls", "--timeline", "0..9")
    assert (outcome.code, outcome.out) == (2, "")
    assert "--timeline 0..9 is not the timeline of the program, which ends at 5" in outcome.err


def test_a_program_that_is_not_in_lars_plus_is_refused(files):
    (files / "belts.rules").write_text(f"{RULES}idle(X) :- belt(X), not operator(X, _).\nlate(X) :- some belt(X).\n")
    outcome = call("translate", files / "belts.rules", "--to", "rls", "-o", files / "belts.rls")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.count("error[E340]: the rewriting is for LARS+, which does not have ") == 2
    assert not (files / "belts.rls").exists()


def test_a_program_with_mistakes_is_refused(files):
    (files / "belts.rules").write_text(f"{RULES}idle(X) :- belt(Y).")
    outcome = call("translate", files / "belts.rules", "--to", "rls")
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[E202]" in outcome.err


@pytest.mark.parametrize(
    ("line", "code"),
    {"belt(b1)@9": "E437", "belt(b1,b2)@1": "E430", "belt(b1)@": "E4"}.items(),
)
def test_facts_that_do_not_fit_are_refused(line, code, files):
    (files / "belts.facts").write_text(f"{FACTS}{line}\n")
    outcome = call("translate", files / "belts.rules", files / "belts.facts", "--to", "rls", "--timeline", "0..2")
    assert (outcome.code, outcome.out) == (1, "")
    assert f"error[{code}" in outcome.err


def test_facts_outside_the_timeline_are_refused_where_no_rule_has_a_window(files):
    (files / "belts.rules").write_text("timeline integer. idle(X) :- belt(X).")
    (files / "belts.facts").write_text("belt(b1)@[-3,1]")
    outcome = call("translate", files / "belts.rules", files / "belts.facts", "--to", "rls", "--timeline", "0..2")
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[E437]: a fact of belt holds at [-3,1], outside the timeline [0,2]" in outcome.err


def test_facts_that_play_no_part_are_reported(files):
    (files / "belts.facts").write_text("belts(b1)@1")
    outcome = call("translate", files / "belts.rules", files / "belts.facts", "--to", "rls", "--timeline", "0..2")
    assert outcome.code == 0
    assert "warning[W401]" in outcome.err


def test_queries_in_cql_can_be_existential_rules(tmp_path):
    (tmp_path / "q.cql").write_text("CREATE STREAM tram (id TEXT, x TEXT);\nSELECT id FROM tram [RANGE 10];\n")
    outcome = call("translate", tmp_path / "q.cql", "--to", "existential-rules")
    assert outcome.lines[1] == "box_answer(ID, 0, C) :- at_tram(ID, X, 10, T, C)."
