"""Rules written body → head, in programs whose atoms have their time as last argument."""

import pytest
from reading import codes, read

from thalweg.syntax import ast

LAST = "time in last argument.\n"
USUAL = "Cool(X, T+1) :- Flag(X, T), Flag(X, T+1)."


@pytest.mark.parametrize(
    "text",
    [
        "Flag(X, T) ∧ Flag(X, T+1) → Cool(X, T+1).",
        "Flag(X, T), Flag(X, T+1) -> Cool(X, T+1)",
        "Flag(X,T) and Flag(X,T+1)->Cool(X,T+1).",
        "Flag(X, T) ∧\n  Flag(X, T+1)\n→\n  Cool(X, T+1)",
        "Cool(X, T+1) ← Flag(X, T) ∧ Flag(X, T+1)",
    ],
)
def test_the_arrow_may_point_from_body_to_head(text: str) -> None:
    assert read(LAST + text) == read(LAST + USUAL)


def test_the_declaration_may_stand_anywhere() -> None:
    assert read(f"A(T) -> B(T)\nB(T) → C(T)\n{LAST}") == (*read("B(T) :- A(T). C(T) :- B(T)."), *read(LAST))


def test_an_implication_in_parentheses_stays_one() -> None:
    _, rule = read(LAST + "P(X, T), not (Q(X, T) -> R(X, T)) -> S(X, T)")
    assert isinstance(rule, ast.Rule)
    assert rule == read(LAST + "S(X, T) :- P(X, T), not (Q(X, T) implies R(X, T))")[1]


def test_heads_may_have_several_atoms_and_existentials() -> None:
    assert read(LAST + "A(X, T) -> B(X, T), C(X, T)") == read(LAST + "B(X, T), C(X, T) :- A(X, T)")
    assert read(LAST + "A(X, T) -> exists Y: B(X, Y, T)") == read(LAST + "exists Y: B(X, Y, T) :- A(X, T)")


def test_without_the_declaration_neither_arrow_is_one_of_rules() -> None:
    assert codes("A(T) -> B(T).") == ["E101"]
    assert codes("A(T) → B(T).") == ["E129"]
    assert codes("(A(T) -> B(T)) :- C.") == ["E101"]


def test_a_comment_declares_nothing() -> None:
    assert codes("% time in last argument.\nA(T) -> B(T).") == ["E101"]
    assert codes('P("time in last argument").\nA(T) -> B(T).') == ["E101"]


def test_a_statement_that_cannot_be_read_costs_no_other() -> None:
    assert codes(LAST + "A(T) -> ? B(T).\nA(T) -> B(T).\nA(T -> B(T).\nA(T) → B(T)") == ["E101", "E106"]
