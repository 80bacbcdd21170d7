"""The checker finds what is wrong with an answer to why-not."""

import pytest

import thalweg
from explain.reading import facts_of
from thalweg.testing.proofs import BadProof, check_why_not

RULES = """
Hot(P) :- Temp(P, C), C > 90.
Alarm(P) :- Hot(P), boxminus[0,2] On(P), not Off(P).
Alarm(P) :- Button(P).
"""
FACTS = """
Temp(p,95)@[0,9]
On(p)@[0,4]
Off(p)@3
"""


@pytest.fixture(scope="module")
def program():
    return thalweg.parse(RULES)


@pytest.fixture
def answer(program):
    return thalweg.why_not(program, FACTS, "Alarm(p)@[2,5]").to_json()


def check(program, answer):
    check_why_not(program, facts_of(program, FACTS), answer)


def test_the_answer_itself_is_good(program, answer):
    check(program, answer)
    assert [(each["literal"]["number"], each["time"]) for each in answer["rules"]] == [(2, "(4,5]"), (1, "[3,3]")]


def test_a_literal_is_named_that_can_be_satisfied(program, answer):
    answer["rules"][0]["literal"]["number"], answer["rules"][0]["after"] = 1, []
    with pytest.raises(BadProof, match="literal 1 can be satisfied"):
        check(program, answer)


def test_a_later_literal_is_named(program, answer):
    answer["rules"][0]["literal"]["number"], answer["rules"][0]["after"] = 3, [1, 2]
    with pytest.raises(BadProof, match=r"literals \[1, 2\] fail as well"):
        check(program, answer)


def test_a_time_is_named_at_which_the_literal_holds(program, answer):
    answer["rules"][0]["time"] = "[3,3]"
    with pytest.raises(BadProof, match="literal 2 can be satisfied"):
        check(program, answer)


def test_a_time_is_named_at_which_the_fact_holds(program, answer):
    answer["rules"][1]["time"] = "[2,2]"
    with pytest.raises(BadProof, match="not among the missing times"):
        check(program, answer)


def test_a_rule_is_left_out(program, answer):
    del answer["rules"][1]
    with pytest.raises(BadProof, match="are named"):
        check(program, answer)


def test_it_is_said_to_hold_where_it_does_not(program, answer):
    answer["holds"] = ["[2,3]"]
    with pytest.raises(BadProof, match="does not hold throughout"):
        check(program, answer)


def test_it_is_said_to_be_missing_where_it_holds(program, answer):
    answer["missing"] = ["[2,3]"]
    with pytest.raises(BadProof, match="holds at some time"):
        check(program, answer)
