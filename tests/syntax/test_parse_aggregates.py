"""Aggregates in rule bodies."""

from fractions import Fraction

import pytest
from reading import codes, read, read_body, read_formula, read_one

from thalweg.source import Source
from thalweg.syntax import ast
from thalweg.syntax.ast import AggregateKind, Atom, ComparisonOperator, Number, Text, Variable
from thalweg.syntax.parser import parse_program
from thalweg.syntax.printer import format_formula, format_statement

N, R, T, V = Variable("N"), Variable("R"), Variable("T"), Variable("V")
ON = Atom("On", (V,))
COUNT = ast.Aggregate(ComparisonOperator.EQUAL, N, AggregateKind.COUNT, (V,), (ON,))


def test_a_count_over_a_window() -> None:
    window = ast.TimeWindow(Number(Fraction(10)))
    body = ast.Windowed(window, ast.At(Atom("On", (V, R)), T))
    assert read_formula("N = count { V, T : window[last 10] (On(V, R) at T) }") == ast.Aggregate(
        ComparisonOperator.EQUAL, N, AggregateKind.COUNT, (V, T), (body,)
    )


@pytest.mark.parametrize("kind", AggregateKind)
def test_each_kind_has_its_word(kind: AggregateKind) -> None:
    aggregate = read_formula(f"N = {kind.value} {{ V : On(V) }}")
    assert isinstance(aggregate, ast.Aggregate)
    assert aggregate.kind is kind


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("count{V:On(V)} = N", "N = count { V : On(V) }"),
        ("count{V:On(V)} != N", "N != count { V : On(V) }"),
        ("count{V:On(V)} > N", "N < count { V : On(V) }"),
        ("count{V:On(V)} >= N", "N <= count { V : On(V) }"),
        ("count{V:On(V)} < N", "N > count { V : On(V) }"),
        ("count{V:On(V)} ≤ (N + 1)", "N + 1 >= count { V : On(V) }"),
    ],
)
def test_an_aggregate_on_the_left_is_one_on_the_right_with_the_operator_turned(left: str, right: str) -> None:
    assert read_formula(left) == read_formula(right)
    assert format_formula(read_formula(left)) == right


@pytest.mark.parametrize(
    "text",
    ["N = count{V:On(V)}", "N = count {V: On(V)}", "N = count{V :On(V)}", "N=count\n{\n  V :\n  On(V)\n}"],
)
def test_blanks_do_not_matter(text: str) -> None:
    assert read_formula(text) == COUNT


def test_names_with_a_prefix_stand_on_both_sides_of_the_colon() -> None:
    aggregate = read_formula("N = sum{1, a1:b, V:a1:On(V), a2:P}")
    assert isinstance(aggregate, ast.Aggregate)
    assert aggregate.elements == (Number(Fraction(1)), Text("a1:b"), V)
    assert aggregate.body == (Atom("a1:On", (V,)), Atom("a2:P"))


def test_names_after_an_aggregate_keep_their_prefix() -> None:
    *_, last = read_body("N = count{V:On(V)}, Q(V), V:P(R)")
    assert last == Atom("V:P", (R,))


def test_the_condition_is_like_a_body() -> None:
    text = "not On(V), (P(V) or Q(V)) and V < 3, Box[0,2] P(V), P(V) since[0,1] Q(V)"
    aggregate = read_formula(f"N = max {{ V : {text} }}")
    assert isinstance(aggregate, ast.Aggregate)
    assert aggregate.body == read_body(text)


def test_an_aggregate_stands_where_a_comparison_may() -> None:
    assert read_formula("not N = count { V : On(V) }") == ast.Not(COUNT)
    assert read_formula("(N = count { V : On(V) } or On(V))") == ast.Or((COUNT, ON))
    assert read_formula("window[5] (N = count { V : On(V) }) at T") == ast.Windowed(
        ast.TimeWindow(Number(Fraction(5))), ast.At(COUNT, T)
    )


def test_the_words_are_names_where_no_brace_follows() -> None:
    read("count(X) :- sum(X, max), min = X, avg.\ninput count(sum: number).\nconst max = 5.\navg(min)@3.")
    assert read_formula("count = count { count : count(count) }") == ast.Aggregate(
        ComparisonOperator.EQUAL,
        Text("count"),
        AggregateKind.COUNT,
        (Text("count"),),
        (Atom("count", (Text("count"),)),),
    )


def test_the_span_covers_both_sides() -> None:
    rule = read_one("H(N) :- P(N), count { V : On(V) } > N.")
    assert isinstance(rule, ast.Rule)
    span = rule.body[1].span
    assert span is not None
    assert span.text == "count { V : On(V) } > N"


def test_a_brace_that_is_never_closed_costs_only_its_statement() -> None:
    program, found = parse_program(Source("test", "A(N) :- N = count { V\na1:B(X) :- a1:C(X)\nD :- E."))
    assert [format_statement(statement) for statement in program.statements] == ["a1:B(X) :- a1:C(X).", "D :- E."]
    assert [each.code for each in found] == ["E106"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("1 < count { V : On(V) } < 5", "E122"),
        ("N = count { V : On(V) or P(V) }", "E129"),
        ("N = count { V : On(V) } P(N)", "E111"),
        ("P(N) count { V : On(V) } > N", "E111"),
        ("P(N) at count { V : On(V) }", "E145"),
        ("N = (count { V : On(V) })", "E145"),
        ("count { V : count { W : P(V, W) } > 1 } > 3", "E143"),
        ("count { V : not (On(V), 1 = sum { W : P(V, W) }) } > 3", "E143"),
        ("N = count [ V : On(V) ]", "E120"),
        ("N = count ( V : On(V) )", "E127"),
    ],
)
def test_mistakes(body: str, code: str) -> None:
    assert codes(f"H(N) :- {body}.") == [code]


@pytest.mark.parametrize("text", ["N = count { V : On(V) }.", "count { V : On(V) } > 3.", "H(count { V : On(V) })."])
def test_an_aggregate_is_no_fact(text: str) -> None:
    assert codes(text) in (["E126"], ["E145"])


@pytest.mark.parametrize("brackets", ["{" * 20_000, "(" * 20_000 + "}" * 20_000, "count{" * 5_000])
def test_many_braces_take_no_time(brackets: str) -> None:
    assert codes(f"H :- {brackets}")
