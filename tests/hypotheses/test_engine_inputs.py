"""What comes in: values that are times, facts of derived predicates, background, facts of the program."""

import pytest

from hypotheses.reading import read
from thalweg.engine.hypotheses.stream import HypothesisStream


def said(text, query, *batches):
    """Status and line of all that is said, batch by batch."""
    stream = HypothesisStream(read(f"timeline integer. {text}"), query)
    return [[row.split("; ")[0] for row in stream.advance(facts, to).lines()] for to, facts in enumerate(batches)]


def test_a_value_that_is_no_time_point_is_the_time_of_nothing():
    rules = "delay N = 2. delay B = 2. P(X) at T :- N(X, T) at S, B(X) at T."
    facts = "N(a, foo)@0\nN(a, 1)@0\nN(a, 0.5)@0\nN(a, -3)@0"
    assert said(rules, "P", facts, "B(a)@1", " ", " ") == [["opened    P(a)@1"], ["confirmed P(a)@1"], [], []]


def test_a_head_whose_time_is_a_value_needs_a_time_point():
    facts = "N(a, foo)@0\nN(a, 1)@0\nN(a, 0.5)@0\nN(a, 0)@0"
    assert said("P(X) at T - 1 :- N(X, T) at S.", "P", facts) == [["confirmed P(a)@0"]]


def test_facts_of_a_derived_predicate_that_is_input_too_count_beside_its_rules():
    rules = "input Q(x: string). delay Q = 1. delay A = 2. Q(X) at T :- A(X) at T. P(X) at T :- Q(X) at T, C(X) at T."
    assert said(rules, "P", "Q(a)@0\nC(a)@0\nC(b)@0", " ", "A(b)@0") == [
        ["confirmed P(a)@0", "opened    P(b)@0", "extended  P(b)@0"],
        [],
        ["confirmed P(b)@0"],
    ]


def test_a_late_fact_is_late_though_rules_could_still_derive_it():
    rules = (
        "input Q(x: string). delay Q = 1. delay A = 3. Q(X) at T :- A(X) at T. P(X) at T :- C(X) at T, not Q(X) at T."
    )
    stream = HypothesisStream(read(f"timeline integer. {rules}"), "P")
    stream.advance("C(a)@0", to=1)
    assert stream.advance("Q(a)@0", to=2).late == ("Q(a)@0",)
    assert [row["status"] for row in stream.advance(" ", to=3).table().to_pylist()] == ["confirmed"]


@pytest.mark.parametrize(
    ("literal", "expected"),
    [("Bg(X) at T", ["opened    P(a)@0"]), ("not Bg(X) at T", ["opened    P(b)@0"])],
)
def test_background_is_known_from_the_start(literal, expected):
    rules = f"background Bg(x: string). Bg(a). P(X) at T :- A(X) at T, {literal}, C at T + 1."
    assert said(rules, "P", "A(a)@0\nA(b)@0") == [expected]


def test_facts_of_the_program_come_with_the_first_batch():
    rules = "A(a)@0. A(b)@3. P(X) at T :- A(X) at T, B(X) at T + 1."
    found = said(rules, "P", " ", "B(a)@1", " ", " ", "B(b)@4")
    assert found == [["opened    P(a)@0", "opened    P(b)@3"], ["confirmed P(a)@0"], [], [], ["confirmed P(b)@3"]]
