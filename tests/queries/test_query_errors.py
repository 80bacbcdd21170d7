"""What is wrong with the meaning of a query, shown in its text."""

import pytest
from asking import DATA, EXAMPLE_1, ask, mistakes

import thalweg


def test_an_unknown_predicate():
    assert mistakes("exists X: window 5 all wran(X)") == "\n".join(
        [
            "query:1:24: error[E261]: neither the program nor the facts mention wran",
            "    exists X: window 5 all wran(X)",
            "                           ^^^^^^^",
            "    hint: did you mean warn?",
        ]
    )


def test_an_unknown_predicate_that_is_like_no_other():
    shown = mistakes("pressure(X)")
    assert "hint: the predicates are belt, beltOperator, beltTmp, high, warn" in shown


def test_an_unknown_predicate_where_inputs_are_declared():
    shown = mistakes("Sped(X, Y)", "input Speed(v, s). Fast(V) :- Speed(V, S), S > 9.", "")
    assert shown.count("error[") == 1
    assert "did you mean Speed?" in shown


def test_facts_count_where_inputs_are_declared():
    assert ask("Other(X)", "input Speed(v). Fast(V) :- Speed(V).", "Other(a)@1") == ["answer(a)@[1,1]"]


@pytest.mark.parametrize(
    ("query", "place", "hint"),
    [
        ("not warn(X)", 10, "bind X in an atom that must hold; not and comparisons give no value"),
        ("belt(X), Y < 5", 10, "bind Y in an atom that must hold; not and comparisons give no value"),
        ("belt(X), (warn(X) or beltTmp(X, Y))", 33, "bind Y in an atom that must hold, or begin with exists Y:"),
        ("belt(Belt), not warn(Bolt)", 22, "did you mean Belt?"),
    ],
)
def test_a_variable_without_a_value(query, place, hint):
    lines = mistakes(query).splitlines()
    assert lines[0].startswith(f"query:1:{place}: error[E262]: ")
    assert lines[-1] == f"    hint: {hint}"


def test_a_variable_that_is_not_asked_for_needs_a_value_too():
    assert "error[E205]" in mistakes("exists Y: belt(X), not warn(Y)")
    assert "error[E204]" in mistakes("exists Y: belt(X), Y < 5")
    assert ask("belt(X), not beltTmp(X, _)") == []


def test_a_value_for_some_alternatives_will_do_where_it_is_not_asked_for():
    assert ask("exists Y: belt(X), (warn(X) or beltTmp(X, Y))") == ["answer(b1)@[0,9]"]


def test_a_variable_of_a_left_operand_only():
    rules = "Q(X) :- P(X)."
    shown = mistakes("(Q(X) since[0,1] R(Y))", rules, "R(a)@1")
    assert shown.startswith("query:1:4: error[E203]: variable X that is asked for is bound only in the left operand")
    assert shown.count("error[") == 1


def test_a_variable_after_exists_that_there_is_not():
    lines = mistakes("exists Z: warn(X)").splitlines()
    assert lines[0].startswith("query:1:8: error[E260]: Z stands after exists, but the query does not have it")
    assert "did you mean Belt?" in mistakes("exists Bolt: warn(Belt)")


def test_the_variables_of_an_aggregate_are_its_own():
    assert "error[E260]" in mistakes("exists X: N = count { X : warn(X) }")
    assert ask("exists X: belt(X), N = count { Y : beltTmp(X, Y) }") == ["answer(1)@[0,9]"]


def test_another_number_of_arguments():
    assert "error[E201]: warn has 2 arguments here, but should have 1" in mistakes("warn(X, Y)")
    assert "error[E201]: extra has 1 argument here, but should have 2" in mistakes("extra(X)", facts="extra(a,b)@1")


def test_types():
    rules = "input Temp(belt: string, degrees: number). Hot(B) :- Temp(B, D), D > 80."
    assert "error[E207]: B must be a number" in mistakes("Temp(B, D), B > 3", rules, "")


def test_a_window_where_time_is_dense():
    shown = mistakes("window 5 some Hot(X)", "Hot(X) :- Temp(X).", "")
    assert "a window speaks of single time points, which only the integer timeline has (the query)" in shown
    assert "rule" not in shown


def test_several_mistakes_come_together():
    shown = mistakes("exists Z: wran(X), belt(X, Y), not warn(V)")
    assert [line.split(":")[2] for line in shown.splitlines() if line.startswith("query:")] == ["8", "11", "20", "41"]


def test_a_mistake_in_the_program_is_its_own():
    with pytest.raises(thalweg.ProgramError, match=r"program:1:1: error\[E202\]|program:1:3: error\[E202\]"):
        ask("p(X)", "p(X) :- q(Y).", "")


def test_dividing_by_zero_is_counted_for_the_query():
    found = thalweg.query(thalweg.parse(EXAMPLE_1), DATA, "beltTmp(X, Y), Z = 1 / (Y - 90)")
    assert found.to_text() == "answer(b1,70,-0.05)@[5,9]"
    assert found.divisions_by_zero == {3: 1}


def test_calculating_with_a_text():
    with pytest.raises(thalweg.ReasoningError, match=r"in the query"):
        ask("belt(X), Y = X + 1")


def test_too_long_a_wait():
    rules = "timeline integer. exists Y: op(X, Y) :- belt(X)."
    with pytest.raises(thalweg.ReasoningError, match="the body of rule 1 holds for ever"):
        ask("exists Y: op(X, Y)", rules, "belt(b1)@[0,inf)")
    assert ask("exists Y: op(X, Y)", rules, "belt(b1)@[0,inf)", at=7) == ["answer(b1)@[7,7]"]


def test_a_number_that_is_too_large():
    assert "error[E235]" in mistakes("belt(X), X = 99999999999999999999999")
    with pytest.raises(thalweg.ReasoningError, match=r"E503.*\(in the query\)"):
        ask("window 999999999999999999999 some belt(X)")
