"""The Python interface of explanations."""

import pytest

import thalweg
from explain.reading import facts_of
from thalweg.engine.limits import Limits
from thalweg.engine.read import read_facts_of
from thalweg.testing.proofs import check_proof


def explainer(rules, facts, **options):
    program = thalweg.parse(rules)
    batches, _ = read_facts_of(program, facts)
    return thalweg.Explainer(program, batches, **options)


def test_one_explainer_answers_many_questions():
    explain = explainer("Q(X) :- P(X). R(X) :- Q(X), not S(X).", "P(a)@[0,9]\nS(a)@5")
    assert explain.why("R(a)@3").holds
    assert not explain.why("R(a)@5").holds
    assert explain.why_not("R(a)@5").obstacles[0].place == 1
    assert explain.why("Q(a)").holds


def test_a_proof_is_true_when_all_that_was_asked_holds():
    program, facts = thalweg.parse("Q(X) :- P(X)."), "P(a)@[0,9]"
    assert thalweg.why(program, facts, "Q(a)@[0,9]")
    assert not thalweg.why(program, facts, "Q(a)@[0,10]")
    assert thalweg.why_not(program, facts, "Q(a)@[0,10]")
    assert not thalweg.why_not(program, facts, "Q(a)@[0,9]")


def test_a_fact_that_occurs_again_is_referred_to():
    rules = "A(X) :- P(X), C(X). B(X) :- A(X), diamondminus[0,0] A(X). Q(X) :- B(X), A(X)."
    proof = thalweg.why(thalweg.parse(rules), "P(a)@1\nC(a)@1", "Q(a)@1")
    data = proof.to_json()
    again = data["pieces"][0]["premises"][1]
    assert again["fact"]["text"] == "A(a)@[1,1]"
    assert again["see"] == data["pieces"][0]["premises"][0]["pieces"][0]["premises"][0]["number"]
    assert sum("as (1)" in line for line in proof.to_text().splitlines()) == 1
    assert sum("(1) A(a)@[1,1]" in line for line in proof.to_text().splitlines()) == 1


def test_no_fact_rests_on_itself():
    rules = "Reach(X, Y) :- Edge(X, Y). Reach(X, Z) :- Reach(X, Y), Reach(Y, Z)."
    facts = "Edge(a,b)@[0,9]\nEdge(b,a)@[0,9]"
    program = thalweg.parse(rules)
    for fact in ("Reach(a,a)@5", "Reach(a,b)@5", "Reach(b,b)@[0,9]"):
        check_proof(program, facts_of(program, facts), thalweg.why(program, facts, fact, depth=None).to_json())


def test_a_time_between_two_ticks_is_explained_as_it_is():
    proof = thalweg.why(thalweg.parse("Q(X) :- P(X)."), "P(a)@(0,2)", "Q(a)@[1/3,0.7]")
    assert proof.to_json()["pieces"][0]["premises"][0]["fact"]["text"] == "P(a)@[1/3,0.7]"


def test_facts_in_the_program_have_their_place_there():
    proof = thalweg.why(thalweg.parse("Q(X) :- P(X).\nP(a)@[0,9].", name="p.rules"), "", "Q(a)@3")
    assert proof.to_json()["pieces"][0]["premises"][0]["pieces"][0]["source"] == "p.rules:2"


def test_facts_of_tables_have_their_row():
    proof = thalweg.why(thalweg.parse("Q(X) :- P(X)."), {"P": {"x": ["b", "a"], "time": [1, 2]}}, "Q(a)@2")
    source = proof.to_json()["pieces"][0]["premises"][0]["pieces"][0]["source"]
    assert source.endswith(":2")


def test_infinite_intervals_are_proved():
    rules = "Q(X) :- diamondminus[0,inf) P(X). R(X) :- boxplus[0,inf) Q(X)."
    program = thalweg.parse(rules)
    proof = thalweg.why(program, "P(a)@3", "R(a)")
    assert [str(root.interval) for root in proof.roots] == ["[3,inf)"]
    check_proof(program, facts_of(program, "P(a)@3"), proof.to_json())


def test_long_chains_are_cut_and_can_be_followed_to_the_end():
    rules = "P(X) :- Start(X). P(X) :- diamondminus[1,1] P(X), On(X)."
    explain = explainer(rules, "Start(a)@0\nOn(a)@[0,300]")
    assert "…" in explain.why("P(a)@300").to_text()
    assert "…" not in explain.why("P(a)@300", depth=None).to_text()


def test_the_restricted_chase_is_not_explained():
    with pytest.raises(thalweg.UsageError, match="restricted chase"):
        explainer("Q(X) :- P(X).", "P(a)@1", limits=Limits(restricted=True))


def test_what_contradicts_the_program_is_reported_as_in_a_run():
    with pytest.raises(thalweg.InconsistencyError):
        explainer("Q(X) :- P(X). bottom :- Q(X), R(X).", "P(a)@1\nR(a)@1")


def test_a_question_about_the_time_in_the_last_argument():
    rules = "timeline integer. time in last argument. Q(X, T) :- P(X, T)."
    assert thalweg.why(thalweg.parse(rules), "P(a,3)", "Q(a,3)").holds


def test_quoted_values_are_read_and_printed_as_in_facts():
    proof = thalweg.why(thalweg.parse("Q(X) :- P(X)."), 'P("A, b@2")@3', 'Q("A, b@2")@3')
    assert proof.to_text().splitlines()[0] == 'Q("A, b@2")@[3,3]'
