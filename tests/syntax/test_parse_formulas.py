"""Formulas and terms."""

from fractions import Fraction

import pytest
from reading import codes, read_body, read_formula, read_one

from thalweg.syntax import ast
from thalweg.syntax.ast import Atom, IntervalText, Number, Text, Variable

X, Y, T = Variable("X"), Variable("Y"), Variable("T")
P, Q, R = Atom("P", (X,)), Atom("Q", (X,)), Atom("R", (X,))


def number(value: int | str, unit: str | None = None) -> Number:
    return Number(Fraction(value), unit)


def interval(start: int, end: int, start_closed: bool = True, end_closed: bool = True) -> IntervalText:
    return IntervalText(number(start), number(end), start_closed, end_closed)


def test_terms_are_variables_texts_and_numbers() -> None:
    atom = read_formula('P(X, _, _y, veh21, "Main street", a1:b, 5, -1.5, 3/2, 10min)')
    assert atom == Atom(
        "P",
        (
            X, Variable("_"), Variable("_y"), Text("veh21"), Text("Main street"), Text("a1:b"),
            number(5), number("-1.5"), number("3/2"), number(10, "min"),
        ),
    )  # fmt: skip


def test_escapes_in_strings() -> None:
    assert read_formula(r'P("a\"b\\c\n\t")') == Atom("P", (Text('a"b\\c\n\t'),))


def test_an_atom_without_arguments_may_have_brackets() -> None:
    assert read_body("Alarm, Alarm(), alarm") == (Atom("Alarm"), Atom("Alarm"), Atom("alarm"))


def test_letters_of_any_script_make_names() -> None:
    assert read_formula("Übung(Äpfel, straße)") == Atom("Übung", (Variable("Äpfel"), Text("straße")))


@pytest.mark.parametrize(
    ("spellings", "node"),
    [
        (("boxminus", "Boxminus", "box", "Box", "⊟", "□⁻", "[-]"), ast.BoxMinus),
        (("boxplus", "Boxplus", "⊞", "□⁺", "[+]"), ast.BoxPlus),
        (("diamondminus", "Diamondminus", "diamond", "Diamond", "◇⁻", "<->"), ast.DiamondMinus),
        (("diamondplus", "Diamondplus", "◇⁺", "<+>"), ast.DiamondPlus),
    ],
)
def test_words_and_symbols_of_prefix_operators_say_the_same(spellings: tuple[str, ...], node: type) -> None:
    for spelling in spellings:
        assert read_formula(f"{spelling}[0,2]P(X)") == node(interval(0, 2), P)
        assert read_formula(f"{spelling} (0,2) P(X)") == node(interval(0, 2, False, False), P)


@pytest.mark.parametrize(
    ("spellings", "node"),
    [(("since", "Since", "𝒮"), ast.Since), (("until", "Until", "𝒰"), ast.Until)],
)
def test_words_and_symbols_of_infix_operators_say_the_same(spellings: tuple[str, ...], node: type) -> None:
    for spelling in spellings:
        assert read_formula(f"P(X){spelling}(0,2]Q(X)") == node(interval(0, 2, False), P, Q)
        assert read_formula(f"A{' ' * spelling.isascii()}{spelling}[1]B") == node(interval(1, 1), Atom("A"), Atom("B"))


@pytest.mark.parametrize(
    ("words", "symbols"),
    [
        ("P(X) and Q(X)", "P(X) ∧ Q(X)"),
        ("P(X), Q(X)", "P(X) ∧ Q(X)"),
        ("(P(X) or Q(X))", "(P(X) ∨ Q(X))"),
        ("(P(X) implies Q(X))", "(P(X) → Q(X))"),
        ("not P(X)", "¬P(X)"),
        ("top, bottom", "⊤, ⊥"),
        ("Top, Bottom", "⊤, ⊥"),
        ("window[10] some P(X)", "⊡[10] ◇P(X)"),
        ("window[10] all P(X)", "⊡[10] □ P(X)"),
        ("P(X) at T", "P(X)@T"),
        ("boxminus[0,inf) P(X)", "boxminus[0,+∞) P(X)"),
        ("X != 1, X <= 2, X >= 3", "X ≠ 1, X ≤ 2, X ≥ 3"),
        ("X != 1, X <= 2, X = 3", "X <> 1, X =< 2, X == 3"),
        ("X - 1 < Y * 2 / 3", "X − 1 < Y × 2 ÷ 3"),
    ],
)
def test_words_and_symbols_say_the_same(words: str, symbols: str) -> None:
    assert read_body(words) == read_body(symbols)


def test_the_arrow_and_exists_have_symbols() -> None:
    assert read_one("exists Y: P(X, Y) :- Q(X)") == read_one("∃Y:P(X,Y)←Q(X)")


def test_an_operator_word_without_an_interval_is_a_name() -> None:
    body = read_body("Box(X), since(X, Y), Box(0, 2), Until(1, 2), window(X), at(X), diamond")
    assert [atom.predicate for atom in body if isinstance(atom, Atom)] == [
        "Box", "since", "Box", "Until", "window", "at", "diamond"
    ]  # fmt: skip


def test_words_are_names_among_arguments() -> None:
    atom = read_formula("P(not, and, all, top, since, at, window, exists)")
    assert isinstance(atom, Atom)
    assert atom.arguments == tuple(map(Text, ["not", "and", "all", "top", "since", "at", "window", "exists"]))


def test_prefix_operators_nest_to_the_right() -> None:
    assert read_formula("boxminus[0,4] not diamondminus[0,2] P(X)") == ast.BoxMinus(
        interval(0, 4), ast.Not(ast.DiamondMinus(interval(0, 2), P))
    )


def test_prefix_operators_bind_tighter_than_since() -> None:
    assert read_formula("not P(X) since[0,1] Q(X)") == ast.Since(interval(0, 1), ast.Not(P), Q)


def test_at_binds_tightest() -> None:
    assert read_formula("not P(X) at T-2") == ast.Not(
        ast.At(P, ast.Arithmetic(ast.ArithmeticOperator.SUBTRACT, T, number(2)))
    )
    assert read_formula("(P(X), Q(X)) at T") == ast.At(ast.And((P, Q)), T)


def test_implies_or_and_bind_in_that_order() -> None:
    assert read_formula("(P(X), Q(X) or R(X) implies Q(X))") == ast.Implies(ast.Or((ast.And((P, Q)), R)), Q)


def test_one_formula_in_parentheses_is_that_formula() -> None:
    assert read_formula("((P(X)))") == P
    assert read_formula("boxminus[0,2] (P(X))") == ast.BoxMinus(interval(0, 2), P)
    assert read_formula("boxminus[0,2](P(X), Q(X))") == ast.BoxMinus(interval(0, 2), ast.And((P, Q)))


def test_a_name_before_a_comparison_is_a_term_and_alone_an_atom() -> None:
    less = ast.ComparisonOperator.LESS
    assert read_body("S < 5, S") == (ast.Comparison(less, Variable("S"), number(5)), Atom("S"))


def test_parentheses_around_terms_are_told_from_those_around_formulas() -> None:
    less, add = ast.ComparisonOperator.LESS, ast.ArithmeticOperator.ADD
    total = ast.Arithmetic(add, X, number(1))
    assert read_formula("((X)) < (5)") == ast.Comparison(less, X, number(5))
    assert read_formula("not (X + 1) < 5") == ast.Not(ast.Comparison(less, total, number(5)))
    assert read_formula("(X + 1 < 5, P(X))") == ast.And((ast.Comparison(less, total, number(5)), P))


def test_arithmetic_binds_as_in_school() -> None:
    operators = ast.ArithmeticOperator
    product = ast.Arithmetic(operators.MULTIPLY, number(-2), Y)
    expected = ast.Arithmetic(operators.SUBTRACT, ast.Arithmetic(operators.ADD, X, product), ast.Negative(T))
    assert read_formula("X + -2 * Y - -T = 0") == ast.Comparison(ast.ComparisonOperator.EQUAL, expected, number(0))


def test_digits_slash_digits_is_a_number_but_not_after_a_division() -> None:
    divide = ast.ArithmeticOperator.DIVIDE
    equal = ast.ComparisonOperator.EQUAL
    assert read_formula("X = 3/2") == ast.Comparison(equal, X, number("3/2"))
    assert read_formula("X = 3 / 2") == ast.Comparison(equal, X, ast.Arithmetic(divide, number(3), number(2)))
    twice = ast.Arithmetic(divide, ast.Arithmetic(divide, Y, number(3)), number(2))
    assert read_formula("X = Y/3/2") == ast.Comparison(equal, X, twice)


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("10", ast.TimeWindow(number(10))),
        ("last 10", ast.TimeWindow(number(10))),
        ("last inf", ast.TimeWindow(ast.Infinity())),
        ("last 10s, next 5s, slide 2s", ast.TimeWindow(number(10, "s"), number(5, "s"), number(2, "s"))),
        ("last 3 tuples, next 1 tuples", ast.TupleWindow(number(3), number(1))),
        ("last 1 tuple", ast.TupleWindow(number(1))),
        ("last 3 tuples per 1, 2", ast.PartitionWindow(number(3), (number(1), number(2)))),
        ("last 3 tuples per 1, 2, of stream", ast.PartitionWindow(number(3), (number(1), number(2)), None, True)),
        ("last 3 tuples, next 1 tuples per 2", ast.PartitionWindow(number(3), (number(2),), number(1))),
        ("10, of stream", ast.TimeWindow(number(10), of_stream=True)),
        ("next 5", ast.TimeWindow(number(0), number(5))),
        ("next 5s, slide 2s, of stream", ast.TimeWindow(number(0), number(5, "s"), number(2, "s"), True)),
        ("next 2 tuples", ast.TupleWindow(number(0), number(2))),
        ("next 2 tuples per 1, 3", ast.PartitionWindow(number(0), (number(1), number(3)), number(2))),
    ],
)
def test_windows(text: str, window: ast.Window) -> None:
    assert read_formula(f"window[{text}] some P(X)") == ast.Windowed(window, ast.Some(P))


def test_infinite_ends_are_open_whatever_the_bracket() -> None:
    assert read_formula("boxminus[0,inf] P(X)") == read_formula("boxminus[0,+inf) P(X)")


def test_spans_cover_what_was_written() -> None:
    rule = read_one("H(X) :- boxminus[0,2] (P(X), Q(X)), X < 5.")
    assert isinstance(rule, ast.Rule)
    box, less = rule.body
    assert [part.span.text for part in (rule, rule.head, box, less) if part.span] == [
        "H(X) :- boxminus[0,2] (P(X), Q(X)), X < 5", "H(X)", "boxminus[0,2] (P(X), Q(X))", "X < 5"
    ]  # fmt: skip


@pytest.mark.parametrize(("depth", "expected"), [(40, []), (200, ["E136"]), (20_000, ["E136"])])
def test_deep_nesting_is_a_diagnostic(depth: int, expected: list[str]) -> None:
    assert codes("H :- " + "(A, " * depth + "B" + ")" * depth) == expected
    assert codes("H :- " + "not " * 2 * depth + "B") == expected
    assert codes("H :- X = 1" + " + 1" * 2 * depth) == expected
