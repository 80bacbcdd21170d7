"""Where statements end, what they are, and how reading goes on after a mistake."""

from fractions import Fraction

import pytest
from reading import codes, read, read_one

from thalweg.source import Source
from thalweg.syntax import ast
from thalweg.syntax.ast import Atom, Number, Parameter, Role, Text, TypeName, Variable
from thalweg.syntax.parser import parse_program

X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")


def number(value: int | str, unit: str | None = None) -> Number:
    return Number(Fraction(value), unit)


def test_an_empty_text_is_a_program() -> None:
    assert read("") == read("  \n % nothing\n # here\n // at all") == ()


def test_statements_end_with_a_full_stop_or_a_line() -> None:
    assert read("A :- B. C :- D.\nE :- F\nG :- H") == read("A :- B.\nC :- D.\nE :- F.\nG :- H.")


def test_a_full_stop_after_a_number_ends_the_statement() -> None:
    assert len(read("A(X) :- X < 5. B(X) :- X < 1.5.\nC(X) :- X < 2.")) == 3


@pytest.mark.parametrize(
    "text",
    [
        "A(X) :-\n B(X),\n C(X)",
        "A(X)\n :- B(X)\n , C(X)",
        "A(X) :- B(X) and\n C(X)",
        "A(X) :- B(X)\n ∧ C(X)",
        "A(X) :- (\n B(X), C(X)\n)",
    ],
)
def test_a_line_that_obviously_goes_on_does_not_end_the_statement(text: str) -> None:
    head = ast.Head((Atom("A", (X,)),))
    both = (Atom("B", (X,)), Atom("C", (X,)))
    assert read_one(text) in (ast.Rule(head, both), ast.Rule(head, (ast.And(both),)))


@pytest.mark.parametrize(
    "text",
    [
        "A :- boxminus\n[0,1]\nB",
        "A :- B\nsince[0,1]\nC",
        "A :- not\nB",
        "A :- window[10]\nsome B",
        "A :- X <\n5",
        "A :- X\n+ 1 < 5",
        "exists Y:\nA(Y) :- B",
        "A :- P\nat T",
    ],
)
def test_operators_join_lines(text: str) -> None:
    read_one(text)


def test_two_formulas_on_a_line_are_one_statement_with_a_comma_missing() -> None:
    assert codes("A(X):-B(X) C(X)") == ["E111"]


def test_a_mistake_does_not_hide_the_next_nor_drop_the_good() -> None:
    text = "A(X) :- B(X\nC(X) :- D(X)\nE(X) :- F(X) G(X).\nH(X) :- I(X, 'x').\nJ(X) :- K(X).\nL(X) :- (M(X),\nN(X)."
    program, found = parse_program(Source("test", text))
    assert [rule.head.formulas[0].predicate for rule in program.statements] == ["C", "J"]
    assert [each.code for each in found] == ["E106", "E111", "E101", "E106"]


def test_many_unclosed_brackets_are_found_one_by_one() -> None:
    assert codes("P(a\n" * 3000) == ["E106"] * 3000


def test_heads_may_have_operators_times_several_atoms_and_existentials() -> None:
    read("Boxminus[0,1]A(X):-B(X)\nA(X)@T :- B(X)@T\nA(X), C(X) :- B(X)\ndiamondminus[0,1] A :- B\nbottom :- A, B")
    assert read_one("exists Y, Z per X: A(X, Y), B(Y, Z) :- C(X)") == ast.Rule(
        ast.Head((Atom("A", (X, Y)), Atom("B", (Y, Z))), (Y, Z), (X,)), (Atom("C", (X,)),)
    )


def test_names_with_a_prefix_after_exists() -> None:
    head = ast.Head((Atom("a1:P", (Y,)),), (Y,))
    assert read_one("exists Y:a1:P(Y) :- Q") == ast.Rule(head, (Atom("Q"),))


def test_facts() -> None:
    three = number(3)
    assert read("P(a, 1)@3.\nP(a)@[1,2)\nP@(-inf,inf)\nP(a).\nP(a) at -1s") == (
        ast.Fact(Atom("P", (Text("a"), number(1))), ast.IntervalText(three, three)),
        ast.Fact(Atom("P", (Text("a"),)), ast.IntervalText(number(1), number(2), True, False)),
        ast.Fact(Atom("P"), ast.IntervalText(ast.Infinity(True), ast.Infinity(), False, False)),
        ast.Fact(Atom("P", (Text("a"),)), None),
        ast.Fact(Atom("P", (Text("a"),)), ast.IntervalText(number(-1, "s"), number(-1, "s"))),
    )


def test_predicate_declarations() -> None:
    assert read("input P(vehicle: string, kmh:number, _: time, other)\noutput P\noutput Q().") == (
        ast.PredicateDeclaration(
            Role.INPUT,
            "P",
            (
                Parameter("vehicle", TypeName.STRING),
                Parameter("kmh", TypeName.NUMBER),
                Parameter(None, TypeName.TIME),
                Parameter("other"),
            ),
        ),
        ast.PredicateDeclaration(Role.OUTPUT, "P", None),
        ast.PredicateDeclaration(Role.OUTPUT, "Q", ()),
    )


def test_types_have_short_names() -> None:
    assert read("predicate P(a: int, b: bool)") == read("predicate P(a: integer, b: boolean)")


def test_other_declarations() -> None:
    text = "timeline rational. timeline integer from 0. unit ms. unit 5s. tick 1/2. tick 10ms. delay T = 10s."
    assert read(text + "delay T(X, _) = 2. const limit = 50. const low = -1.5. const road = main.") == (
        ast.TimelineDeclaration("rational"),
        ast.TimelineDeclaration("integer", number(0)),
        ast.UnitDeclaration(number(1, "ms")),
        ast.UnitDeclaration(number(5, "s")),
        ast.TickDeclaration(number("1/2")),
        ast.TickDeclaration(number(10, "ms")),
        ast.DelayDeclaration("T", None, number(10, "s")),
        ast.DelayDeclaration("T", (X, Variable("_")), number(2)),
        ast.ConstantDeclaration("limit", number(50)),
        ast.ConstantDeclaration("low", number("-1.5")),
        ast.ConstantDeclaration("road", Text("main")),
    )


def test_declarations_of_probabilities() -> None:
    text = "delay T(X, _) = 2 with 0.6, 3/10, 0. delay T = 0 with 1. probability T(_, high) = 0.1. probability T = 1/3."
    assert read(text + " time in last argument.") == (
        ast.DelayDeclaration("T", (X, Variable("_")), number(2), (number("0.6"), number("3/10"), number(0))),
        ast.DelayDeclaration("T", None, number(0), (number(1),)),
        ast.ProbabilityDeclaration("T", (Variable("_"), Text("high")), number("0.1")),
        ast.ProbabilityDeclaration("T", None, number("1/3")),
        ast.LastArgumentDeclaration(),
    )


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("from 0 to 50", number(0), number(50)),
        ("to 50", None, number(50)),
        ("from -5s to 1min", number(-5, "s"), number(1, "min")),
        ("from 0 to inf", number(0), None),
        ("to inf", None, None),
    ],
)
def test_a_timeline_may_have_a_start_and_an_end(text: str, start: Number | None, end: Number | None) -> None:
    assert read_one(f"timeline integer {text}.") == ast.TimelineDeclaration("integer", start, end)


def test_to_and_from_are_names_elsewhere() -> None:
    read("to(X) :- from(X), to(to, from).\ninput to(from: string, to: string).\nto at 3.\nto :- from")


def test_words_of_declarations_are_names_elsewhere() -> None:
    read("input(X) :- delay(X), tick, unit(X).\noutput(a)@3.\nconst :- timeline.\ntick at T :- unit at T.")
    read("input at(x).\ndelay at = 5.\nat(X) :- const(X)\nat(X) :- unit(X)")
    read("time(X) :- in(last, X), argument(X), with, probability.\ntime at T :- probability(time) at T.\ntime@3.")
    read("probability probability = 1.\nprobability at = 1.\ndelay with(with) = 2 with 0.5.\ndelay time = 2.\ntime.")
