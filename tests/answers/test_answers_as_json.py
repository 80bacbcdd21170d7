"""Answers as objects, text and JSON."""

import json
from fractions import Fraction

import pytest
from answering import answers

import thalweg

RULES = "A(X, N) :- P(X, N), not B(X).\nB(X) :- P(X, _), not A(X, _).\n"
FACTS = 'P("a b", 1.5)@[1,2]'


def test_holds():
    answer = answers(RULES + "bottom :- B(_).", FACTS)[0]
    assert answer.holds("A", "a b", 1.5, at=2)
    assert answer.holds("A", "a b", Fraction(3, 2), at=Fraction(1))
    assert not answer.holds("A", "a b", 1.5, at=3)
    assert not answer.holds("B", "a b", at=1)


def test_holds_of_a_predicate_that_is_not_asked_for():
    answer = answers(RULES, FACTS, mode="one", queries="A")[0]
    with pytest.raises(thalweg.UsageError, match="there are no answers for B"):
        answer.holds("B", "a b", at=1)


def test_text_has_a_block_for_every_answer():
    text = answers(RULES, FACTS, at=1, queries=[*"AB"]).to_text()
    assert sorted(text.splitlines()) == ['A("a b",1.5)@[1,1]', "Answer 1:", "Answer 2:", 'B("a b")@[1,1]']
    assert text.startswith("Answer 1:\n")


def test_consequences_have_no_number():
    assert answers(RULES, FACTS, mode="brave", at=1, queries="B").to_text() == 'B("a b")@[1,1]'


def test_json():
    found = answers(RULES + "bottom :- B(_).", FACTS, at=1, queries="A")
    fact = {
        "predicate": "A",
        "arguments": {"arg1": "a b", "arg2": "1.5"},
        "start": 1,
        "end": 1,
        "start_closed": True,
        "end_closed": True,
    }
    assert json.loads(json.dumps(found.to_json())) == {"mode": "all", "count": 1, "answers": [[fact]]}


def test_json_without_an_answer():
    assert answers("A :- not A.").to_json() == {"mode": "all", "count": 0, "answers": []}


def test_tables():
    answer = answers(RULES + "bottom :- B(_).", FACTS, queries="A")[0]
    assert answer.table("A").num_rows == answer.count("A") == 1
