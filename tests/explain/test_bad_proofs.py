"""The checker finds what is wrong with a proof: every kind of damage, in proofs by hand and in generated ones."""

import copy

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import thalweg
from explain.proving import derived_facts, explainer_of
from explain.reading import facts_of
from thalweg.testing.proofs import BadProof, check_proof
from thalweg.testing.strategies import integer_cases, lars_cases, rational_cases

RULES = """
Hot(P) :- Temp(P, C), C > 90.
Over(P) :- boxminus[0,2] diamondminus[0,1] Hot(P).
Alarm(P) :- Over(P), not Off(P).
Alarm(P) :- diamondminus[1,1] Alarm(P), Temp(P, C).
"""
FACTS = """
Temp(p,95)@[0,3]
Temp(p,20)@[5,6]
Off(p)@[4,9]
"""


@pytest.fixture(scope="module")
def program():
    return thalweg.parse(RULES)


@pytest.fixture
def proof(program):
    return thalweg.why(program, FACTS, "Alarm(p)@[2,3]").to_json()


def check(program, proof):
    check_proof(program, facts_of(program, FACTS), proof)


def node(proof, predicate):
    """The first node of a predicate."""
    waiting = [proof]
    while waiting:
        each = waiting.pop(0)
        if each["fact"]["predicate"] == predicate and "pieces" in each:
            return each
        waiting += [premise for piece in each.get("pieces", ()) for premise in piece.get("premises", ())]
    raise AssertionError(predicate)


def retime(fact, interval):
    fact["interval"] = interval
    fact["text"] = fact["text"].split("@")[0] + f"@{interval}"


def test_the_proof_itself_is_good(program, proof):
    check(program, proof)


def test_a_premise_is_missing(program, proof):
    node(proof, "Alarm")["pieces"][0]["premises"].clear()
    with pytest.raises(BadProof, match="body of rule 3 does not hold"):
        check(program, proof)


def test_a_premise_is_too_short(program, proof):
    retime(node(proof, "Over")["fact"], "[2,2.5]")
    with pytest.raises(BadProof, match="body of rule 3 does not hold"):
        check(program, proof)


def test_a_fact_was_not_given_for_so_long(program, proof):
    given = node(proof, "Temp")
    retime(given["fact"], "[0,4]")
    given["pieces"][0]["interval"] = "[0,4]"
    with pytest.raises(BadProof, match="was not given"):
        check(program, proof)


def test_a_value_is_another_one(program, proof):
    node(proof, "Hot")["pieces"][0]["instance"]["C"] = "96"
    with pytest.raises(BadProof, match="body of rule 1 does not hold"):
        check(program, proof)


def test_a_condition_is_false(program, proof):
    node(proof, "Hot")["pieces"][0]["conditions"] = ["95 > 96"]
    with pytest.raises(BadProof, match="95 > 96 is false"):
        check(program, proof)


def test_another_rule_is_named(program, proof):
    node(proof, "Alarm")["pieces"][0]["rule"]["number"] = 4
    with pytest.raises(BadProof, match="body of rule 4 does not hold"):
        check(program, proof)


def test_there_is_no_such_rule(program, proof):
    node(proof, "Alarm")["pieces"][0]["rule"]["number"] = 9
    with pytest.raises(BadProof, match="there is no such rule"):
        check(program, proof)


def test_the_rule_derives_another_predicate(program, proof):
    node(proof, "Alarm")["pieces"][0]["rule"]["number"] = 2
    with pytest.raises(BadProof, match="derives another predicate"):
        check(program, proof)


def test_the_body_holds_at_other_times(program, proof):
    node(proof, "Alarm")["pieces"][0]["body"] = "[2,2]"
    with pytest.raises(BadProof, match="head of rule 3 does not give it"):
        check(program, proof)


def test_pieces_do_not_cover_the_fact(program, proof):
    piece = node(proof, "Alarm")["pieces"][0]
    piece["interval"] = piece["body"] = "[2,3)"
    with pytest.raises(BadProof, match="not covered by its pieces"):
        check(program, proof)


def test_what_is_said_to_be_absent_is_there(program, proof):
    node(proof, "Alarm")["pieces"][0]["absent"][0]["interval"] = "[2,4]"
    with pytest.raises(BadProof, match=r"Off\(p\) is not absent"):
        check(program, proof)


def test_the_text_of_a_fact_says_something_else(program, proof):
    proof["fact"]["text"] = "Alarm(q)@[2,3]"
    with pytest.raises(BadProof, match="the text of the fact"):
        check(program, proof)


def test_a_proof_is_cut_off(program):
    proof = thalweg.why(program, FACTS, "Alarm(p)@[2,3]", depth=1).to_json()
    with pytest.raises(BadProof, match="has no proof"):
        check(program, proof)


def test_a_fact_rests_on_itself(program, proof):
    over = node(proof, "Alarm")["pieces"][0]["premises"]
    hot = node(proof, "Over")["pieces"][0]["premises"]
    hot.append({"fact": copy.deepcopy(over[0]["fact"]), "see": over[0]["number"]})
    with pytest.raises(BadProof, match="rests on itself"):
        check(program, proof)


def test_a_reference_leads_nowhere(program, proof):
    premises = node(proof, "Alarm")["pieces"][0]["premises"]
    premises.append({"fact": copy.deepcopy(premises[0]["fact"]), "see": 99})
    with pytest.raises(BadProof, match="does not come before it"):
        check(program, proof)


def test_a_reference_leads_to_another_fact(program, proof):
    premises = node(proof, "Alarm")["pieces"][0]["premises"]
    premises.append({"fact": copy.deepcopy(premises[0]["fact"]), "see": node(proof, "Hot")["number"]})
    with pytest.raises(BadProof, match="which is Hot"):
        check(program, proof)


def test_two_nodes_have_one_number(program, proof):
    node(proof, "Over")["number"] = 1
    with pytest.raises(BadProof, match="two nodes have the number 1"):
        check(program, proof)


def test_a_part_is_said_to_be_missing_that_holds(program):
    proof = thalweg.why(program, FACTS, "Alarm(p)@[2,5]").to_json()
    check(program, proof)
    proof["missing"] = ["(2,5]"]
    with pytest.raises(BadProof, match="holds where it is said to be missing"):
        check(program, proof)


def test_a_part_is_left_out(program):
    proof = thalweg.why(program, FACTS, "Alarm(p)@[2,5]").to_json()
    proof["missing"] = []
    with pytest.raises(BadProof, match="neither proved nor missing"):
        check(program, proof)


def test_the_proof_of_something_that_does_not_hold(program, proof):
    for each in (proof["fact"], node(proof, "Over")["fact"]):
        retime(each, "[2,4]")
    for piece in (node(proof, "Alarm")["pieces"][0], node(proof, "Over")["pieces"][0]):
        piece["interval"] = piece["body"] = "[2,4]"
    with pytest.raises(BadProof):
        check(program, proof)


@settings(max_examples=30, deadline=None)
@given(st.one_of(rational_cases(), integer_cases(), lars_cases()), st.data())
def test_proofs_without_any_of_what_a_rule_needs(case, data):
    """Positive literals need facts: a rule with some, and without its premises, proves nothing."""
    explainer = explainer_of(case)
    facts = derived_facts(explainer)
    assume(facts)
    proof = explainer.why(data.draw(st.sampled_from(facts)), depth=None).to_json()
    pieces = [piece for piece in proof["pieces"] if piece.get("premises")]
    assume(pieces and "proofs" not in proof)
    check_proof(case.program, case.facts, proof)
    pieces[0]["premises"] = []
    rule = next(rule for rule in case.program.rules if rule.number == pieces[0]["rule"]["number"])
    assume(not any(word in repr(rule.body) for word in ("Or(", "Top(", "TupleWindow(", "Aggregate(")))
    with pytest.raises(BadProof):
        check_proof(case.program, case.facts, proof)
