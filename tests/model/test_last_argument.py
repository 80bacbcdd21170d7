"""Temporal Datalog: programs whose atoms have their time as last argument mean what ``at`` says."""

from __future__ import annotations

from fractions import Fraction

import pytest

from thalweg.errors import Diagnostic
from thalweg.model.formula import Atom, Constant, Variable
from thalweg.model.last_argument import take_times_apart
from thalweg.model.lower import lower
from thalweg.model.program import Program
from thalweg.model.query import lower_query
from thalweg.model.settings import read_settings
from thalweg.source import Source
from thalweg.syntax import ast
from thalweg.syntax.parser import parse_program
from thalweg.syntax.printer import format_program
from thalweg.syntax.query import parse_query
from thalweg.time.interval import ALWAYS, Interval, point
from thalweg.time.timeline import Timeline

EXAMPLE_1 = """
Temp(X, high, T) → Flag(X, T)
Flag(X, T) ∧ Flag(X, T+1) → Cool(X, T+1)
Cool(X, T) ∧ Flag(X, T+1) → Shdn(X, T+1)
Shdn(X, T) → Malf(X, T-2)
"""
EXAMPLE_1_WITH_AT = """
timeline integer.
Flag(X) at T :- Temp(X, high) at T.
Cool(X) at T+1 :- Flag(X) at T, Flag(X) at T+1.
Shdn(X) at T+1 :- Cool(X) at T, Flag(X) at T+1.
Malf(X) at T-2 :- Shdn(X) at T.
"""


def lowered(text: str) -> tuple[Program, tuple[Diagnostic, ...]]:
    tree, unreadable = parse_program(Source("test.rules", text))
    assert not [each.render() for each in unreadable]
    return lower(tree)


def program(text: str) -> Program:
    result, found = lowered(text)
    assert not [each.render() for each in found]
    return result


def timed(text: str) -> Program:
    return program(f"time in last argument.\n{text}")


def codes(text: str) -> list[str]:
    return [each.code for each in lowered(f"time in last argument.\n{text}")[1]]


def test_example_1_of_the_paper_means_the_same_in_both_forms() -> None:
    one, other = timed(EXAMPLE_1), program(EXAMPLE_1_WITH_AT)
    assert one.rules == other.rules
    assert one.predicates == ("Flag", "Temp", "Cool", "Shdn", "Malf")
    assert {name: each.arity for name, each in one.signatures.items()} == {
        name: each.arity for name, each in other.signatures.items()
    }
    assert (one.time_is_last, other.time_is_last) == (True, False)


SAME = """
Flag(X, T+1) :- Temp(X, high, T), not Flag(X, T).
Flag(X) at T+1 :- Temp(X, high) at T, not Flag(X) at T.

Defective(X, 0) :- Malf(X, T).
Defective(X) at 0 :- Malf(X) at T.

On(T), Off(T) :- Flag(X, T - 3), T > 5.
On at T, Off at T :- Flag(X) at T - 3, T > 5.

bottom :- (On(T) or Off(T)).
bottom :- (On at T or Off at T).

On(T) :- Flag(X, T), (Off(T) implies On(S)).
On at T :- Flag(X) at T, (Off at T implies On at S).

Many(N, T) :- On(T), N = count { X : Temp(X, _, T) }.
Many(N) at T :- On at T, N = count { X : Temp(X, _) at T }.

exists Y: Owner(X, Y, T) :- Flag(X, T).
exists Y: Owner(X, Y) at T :- Flag(X) at T.

background Near(x, y). Flag(X, T) :- Near(X, Y), Flag(Y, T).
background Near(x, y). Flag(X) at T :- Near(X, Y), Flag(Y) at T.

const noon = 12. Flag(X, T) :- Temp(X, noon), Temp(X, T - noon).
const noon = 12. Flag(X) at T :- Temp(X) at noon, Temp(X) at T - noon.

unit 1min. Flag(X, T + 2h) :- Temp(X, T).
unit 1min. Flag(X) at T + 2h :- Temp(X) at T.
"""


@pytest.mark.parametrize("pair", SAME.strip().split("\n\n"))
def test_a_rule_means_what_at_says(pair: str) -> None:
    last, apart = pair.splitlines()
    assert timed(last).rules == program(f"timeline integer.\n{apart}").rules != ()


def test_times_apart_are_printed_and_read_as_at() -> None:
    tree, _ = parse_program(Source("test", f"{EXAMPLE_1}Temp(wt2, high, 0).\ntime in last argument."))
    apart = take_times_apart(tree.statements, read_settings(tree.statements, []), [])
    rules = tuple(each for each in apart.statements if not isinstance(each, ast.LastArgumentDeclaration))
    again, found = parse_program(Source("printed", format_program(ast.ProgramText(rules))))
    assert not found
    assert again.statements == rules
    assert not apart.broken


def test_the_declaration_may_stand_at_the_end() -> None:
    assert program(f"{EXAMPLE_1}time in last argument.").rules == timed(EXAMPLE_1).rules


def test_the_timeline_is_that_of_the_integers() -> None:
    assert timed(EXAMPLE_1).timeline is Timeline.INTEGER
    assert timed("timeline integer from 0 to 9. A(T) :- B(T).").timeline_end == 9
    assert codes("timeline rational. A(T) :- B(T).") == ["E270"]


def test_facts_have_their_time_as_last_argument_or_after_at() -> None:
    facts = timed("Temp(wt2, high, 0). Alarm(3). Temp(wt2, high)@[1,2]. Near(a, 3). background Near(x, y).").facts
    assert [(fact.atom.predicate, len(fact.atom.arguments), fact.interval) for fact in facts] == [
        ("Temp", 2, point(Fraction(0))),
        ("Alarm", 0, point(Fraction(3))),
        ("Temp", 2, Interval(Fraction(1), Fraction(2))),
        ("Near", 2, ALWAYS),
    ]


def test_a_declaration_includes_the_time_and_the_signature_does_not() -> None:
    text = (
        "input Temp(device, level, time). background Near(x, y). output Flag. Flag(X, T) :- Temp(X, l, T), Near(X, Y)."
    )
    signatures = timed(text).signatures
    assert [parameter.name for parameter in signatures["Temp"].parameters] == ["device", "level"]
    assert {name: each.arity for name, each in signatures.items()} == {"Temp": 2, "Near": 2, "Flag": 1}


def test_patterns_may_leave_the_time_out() -> None:
    text = "input Temp(device, level, time). Flag(X, T) :- Temp(X, high, T). "
    wanted = Atom("Temp", (Constant("wt4"), Variable("_#1")))
    for pattern in ("Temp(wt4, _)", "Temp(wt4, _, _)", "Temp(wt4, _, T)"):
        result = timed(f"{text}delay {pattern} = 2. probability {pattern} = 0.5.")
        assert [each.arguments for each in (*result.delays, *result.probabilities)] == [wanted.arguments] * 2
    assert codes(f"{text}delay Temp(wt4, _, 3) = 2.") == ["E272"]
    assert codes(f"{text}delay Temp(_, _) = 2. delay Temp(_, _, _) = 3.") == ["E220"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("A(T) :- B.", "E271"),
        ("A :- B(T).", "E271"),
        ("A.", "E271"),
        ("input B(). A(T) :- B(T).", "E271"),
        ("A(T) :- B(X, 2 * T).", "E272"),
        ("A(T) :- B(T, -T).", "E272"),
        ("A(T) :- B(T + S).", "E272"),
        ("A(T) :- B(T + 1/2).", "E272"),
        ("A(T) :- B(T, 1.5).", "E272"),
        ("A(T) :- B(T, -1).", "E272"),
        ("A(T) :- B(T, high).", "E272"),
        ("A(high).", "E272"),
        ("A(1/2).", "E272"),
        ("A(-1).", "E272"),
        ("input B(x: string). A(T) :- B(T).", "E272"),
        ("A(T) :- B(T) at T.", "E273"),
        ("A at T :- B(T).", "E273"),
        ("A(T) :- boxminus[0,1] B(T).", "E273"),
        ("A(T) :- B(T) since[0,1] B(T).", "E273"),
        ("A(T) :- window[last 3] some B(T).", "E273"),
        ("A(T) :- some B(T).", "E273"),
        ("A(T) :- not all B(T).", "E273"),
    ],
)
def test_what_is_no_time_is_refused_with_its_place(text: str, code: str) -> None:
    (found,) = lowered(f"time in last argument.\n{text}")[1]
    assert found.code == code
    assert found.span is not None
    assert found.hint


def test_times_may_begin_before_zero_where_the_timeline_does() -> None:
    (fact,) = timed("timeline integer from -5. A(-3). B(T) :- A(T), A(-4).").facts
    assert fact.interval == point(Fraction(-3))
    assert codes("timeline integer from 5. A(3).") == ["E272"]


def test_a_rule_that_is_not_right_hides_nothing_else() -> None:
    result, found = lowered("time in last argument. input B(x, t). A(X, T) :- B(X, T, high). A(X, T) :- B(X, T).")
    assert [each.code for each in found] == ["E272"]
    assert [rule.number for rule in result.rules] == [2]
    assert result.left_out == {"A"}
    assert result.signatures["B"].arity == 1


def test_a_query_has_its_times_as_last_arguments_too_or_says_at() -> None:
    asked = timed(EXAMPLE_1)
    answers = []
    for text in ("Malf(X, T), Flag(X, T + 1)", "Malf(X) at T, Flag(X) at T + 1"):
        tree, _ = parse_query(Source("query", text))
        assert tree is not None
        query, found = lower_query(tree, asked, None)
        assert query is not None
        assert not found
        answers.append((query.columns, query.rule.body))
    assert answers[0] == answers[1]
    tree, _ = parse_query(Source("query", "window[last 3] some Malf(X)"))
    assert tree is not None
    query, found = lower_query(tree, asked, None)
    assert query is None
    assert [each.code for each in found] == ["E273"]
