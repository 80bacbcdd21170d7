from __future__ import annotations

import pytest
from checking import check, checked, codes

from thalweg.analysis.queries import check_queries
from thalweg.errors import ProgramError
from thalweg.model.normal_form import normalise

# safety


@pytest.mark.parametrize(
    "rule",
    [
        "P(X) :- boxminus[0,1] diamondplus[0,1] Q(X).",
        "P(X) :- A(Y) since[0,1] Q(X), B(Y).",
        "P(X) :- A(X, Y) until(0,2] Q(X).",
        "P(X) :- diamondminus[0,1] (A(X, Y) until(0,2] Q(X)).",
        "P(Y) :- Q(X), Y = X + 1.",
        "P(Z) :- Q(X), Z = Y * 2, X = Y.",
        "P(Y) :- diamondminus[0,1] (Q(X), Y = X + 1).",
        "P(X) :- Q(X), not R(X, _).",
        "P(X) :- Q(X), not (A(_) since[0,1] B(X)).",
        "P :- not Q.",
        "⊥ :- Q(X), R(Y), X != Y.",
        "P(X) :- ((A(Y), Y > 3) since[0,1] Q(X)).",
    ],
)
def test_a_safe_rule_passes(rule: str) -> None:
    normalise(checked(rule))


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("P(X) :- Q(Y).", "E202"),
        ("P(_) :- Q(Y).", "E202"),
        ("P(X + 1) :- Q(Y).", "E202"),
        ("P(X) :- Q(Y), X = Z + Y.", "E202"),
        ("P(X) :- (A(X) since[0,1] B) since[0,1] C(Y), D(Y).", "E203"),
        ("P(X) :- (A(Y) since[0,1] B(Z)) since[0,1] C(X).", "E203"),
        ("P(X) :- Q(X), A(Y) since[0,1] B(X), Y > 3.", "E203"),
        ("P(X) :- Q(X), not boxminus[0,1] (A(_) since[0,1] B(X)).", "E203"),
        ("P(X) :- Q(X), Y > 3.", "E204"),
        ("P(X) :- Q(X), R(Y + 1, X).", "E204"),
        ("P(X) :- Q(X), not R(Y).", "E205"),
        ("P(X) :- Q(X), diamondminus[0,1] (X > 3).", "E206"),
    ],
)
def test_an_unsafe_rule_is_refused(rule: str, code: str) -> None:
    assert code in codes(rule)


def test_a_variable_is_reported_once_for_each_rule() -> None:
    assert codes("P(X, X) :- Q(Y), X > 3, not R(X).") == ["E202"]


# types


def test_numbers_and_integers_agree() -> None:
    checked("input A(x: integer). input B(x: number). P(X) :- A(X), B(X), X + 1 < 3.")


def test_times_are_numbers() -> None:
    checked("input A(t: time). P(T) :- A(T), T > 5min.")


def test_equal_variables_have_one_type() -> None:
    assert codes("input A(x: string). input B(x). P(X) :- A(X), B(Y), X = Y, Y < 3.") == ["E207"]


def test_an_equation_gives_a_type() -> None:
    assert codes('P(X) :- A(X), X = "a", X < 3.') == ["E207"]


def test_a_boolean_is_true_or_false() -> None:
    checked("input On(lamp: string, state: boolean). P(X) :- On(X, true), not On(X, false).")
    assert codes("input On(lamp: string, state: boolean). P(X) :- On(X, maybe).") == ["E207"]


def test_undeclared_arguments_may_mix_types() -> None:
    checked("P(X) :- A(X). A(1)@1. A(a)@1.")


def test_a_type_clash_names_both_places() -> None:
    _, found = check("input A(x: string).\nP(X) :-\n A(X),\n X < 3.")
    assert found[0].span is not None
    assert found[0].span.place == "test.rules:4:2"
    assert "test.rules:3:4" in (found[0].hint or "")


# predicates


def test_without_declared_input_whatever_is_not_derived_is_input() -> None:
    checked("P(X) :- Q(X).")


def test_facts_and_declarations_define_a_predicate() -> None:
    checked("input A(x). predicate C(x). P(X) :- A(X), B(X), C(X). B(a).")


def test_a_background_predicate_cannot_be_derived() -> None:
    assert "E208" in codes("background Road(x). input A(x). Road(X) :- A(X).")


def test_a_rule_that_was_left_out_defines_its_head_all_the_same() -> None:
    assert codes("input A(x). output R(x). some P(X) :- A(X). R(X) :- P(X).") == ["E211"]


def test_an_output_may_be_given_by_facts() -> None:
    checked("output P(x). P(a)@3.")


# stratification


def test_negation_of_an_earlier_stratum_is_fine() -> None:
    checked("P(X) :- A(X), not Q(X). Q(X) :- B(X). Q(X) :- diamondminus[1,1] Q(X).")


def test_a_long_negative_cycle_is_shortened() -> None:
    chain = "".join(f"P{i}(X) :- P{i + 1}(X).\n" for i in range(30))
    _, found = check(f"{chain}P30(X) :- A(X), not P0(X).")
    assert [each.code for each in found] == ["E310"]
    assert found[0].message.count("reads") == 8


# recursion


def test_recursion_both_ways_is_warned_of() -> None:
    _, found = check("P(X) :- diamondminus[1,1] P(X).\nP(X) :- diamondplus[1,1] P(X).")
    assert [each.code for each in found] == ["W301"]
    assert found[0].message == "the recursion of P goes both ways through time"


def test_recursion_that_makes_values_is_warned_of() -> None:
    assert codes("Count(N + 1) :- Count(N). Count(0)@0.") == ["W302"]
    assert codes("Count(M) :- Count(N), K = N, M = K * 2. Count(1)@0.") == ["W302"]


def test_a_comparison_that_limits_the_values_silences_the_warning() -> None:
    assert codes("Count(N + 1) :- Count(N), N < 100. Count(0)@0.") == []


def test_an_endless_look_towards_endless_recursion_is_warned_of() -> None:
    # P goes on for ever; Q and R ask about all of it, S only about its past.
    text = """
    P(X) :- diamondminus[1,1] P(X).
    Copy(X) :- P(X).
    Q(X) :- boxplus[0,inf) P(X).
    R(X) :- A(X) until[0,inf) Copy(X).
    S(X) :- diamondminus[0,inf) P(X).
    """
    _, found = check(text)
    assert [each.code for each in found] == ["W303", "W303"]
    assert all("is then run to its end" in (each.hint or "") for each in found)
    assert found[0].message == "Q looks without end into the future of P, which may not end there"
    assert codes("P(X) :- diamondplus[1,1] P(X). Q(X) :- boxminus[0,inf) P(X).") == ["W303"]


# warnings of lowering


def test_a_declaration_that_is_never_used_is_warned_of() -> None:
    assert codes("input A(x). input B(x). P(X) :- A(X).") == ["W201"]
    assert codes("P(X) :- A(X). delay B = 3.") == ["W202"]


def test_arithmetic_is_equal_to_numbers_and_never_to_texts() -> None:
    checked("P(X) :- Q(X), X + 1 = 2.")
    checked("P(X) :- Q(X, Y), Y = X + 1.")
    assert codes('P(X) :- Q(X), X + 1 = "a".') == ["E207"]
    assert codes('P(X) :- Q(X), "a" = X + 1.') == ["E207"]


def test_comparisons_beside_an_alternative_or_under_not_may_use_what_the_rule_binds() -> None:
    checked("P(X) :- Q(X), (R(X) or X > 3).")
    checked("P(X) :- Q(X), not (R(X), X > 3).")
    assert codes("P(X) :- Q(X), diamondminus[0,1] (R(Y), X > 3).") == ["E206"]


def test_warnings_of_recursion_name_the_rule_and_say_what_happens_then() -> None:
    text = "A(X) :- B(X).\nP(X) :- diamondminus[0,1] diamondplus[0,1] P(X).\nN(Y) :- N(X), Y = X + 1."
    found = [(each.code, each.span.line if each.span else None, (each.hint or "")[:14]) for each in check(text)[1]]
    assert found == [("W301", 2, "it is run to i"), ("W302", 3, "bound the valu")]


def test_what_stands_after_an_aggregate_is_checked_too() -> None:
    assert codes("P(X, N) :- N = count { Y : A(X, Y) }, Q(X), Z > 3.") == ["E204"]


# queries


def test_all_queries_that_the_program_does_not_mention_are_refused_at_once() -> None:
    with pytest.raises(ProgramError) as refused:
        check_queries(checked("Q(X) :- P(X)."), ["R", "Q", "S"])
    assert [each.code for each in refused.value.diagnostics] == ["E250", "E250"]
    assert [each.message.split(",")[0] for each in refused.value.diagnostics] == [
        "the query asks for R",
        "the query asks for S",
    ]
