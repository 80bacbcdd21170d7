"""The text of queries: read, printed, and what is wrong with it."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thalweg.source import Source
from thalweg.syntax.ast import All, Atom, Number, Some, TimeWindow, Variable, Windowed
from thalweg.syntax.codes import QUERY_CODES
from thalweg.syntax.parser import parse_program
from thalweg.syntax.printer import format_program, format_query
from thalweg.syntax.query import parse_query
from thalweg.syntax.tokens import OPERATOR_WORDS, RESERVED_WORDS, SYMBOLS, WINDOW_WORDS

PIECES = st.sampled_from(
    [
        *SYMBOLS, *OPERATOR_WORDS, *RESERVED_WORDS, *WINDOW_WORDS, "exists", "exists X:", "at", "window", "window 5",
        "P", "X", "_", "a1:b", "1", "2.5", "5s", '"t"', '"', "%", " ", "\n", "[0,1]", "P(X)", "N = count { X :", "from",
    ]
)  # fmt: skip

ROOT = Path(__file__).resolve().parents[2]


def read(text):
    query, found = parse_query(Source("query", text))
    assert found == ()
    return query


def printed(text):
    return format_query(read(text))


def message(text):
    query, found = parse_query(Source("query", text))
    assert query is None
    return "\n".join(each.render() for each in found)


def test_the_query_of_the_paper():
    query = read("exists X: window 5 all warn(X)")
    assert query.existential == (Variable("X"),)
    assert query.body == (Windowed(TimeWindow(Number(5)), All(Atom("warn", (Variable("X"),)))),)
    assert query.span.text == "exists X: window 5 all warn(X)"


@pytest.mark.parametrize(
    "text",
    [
        "∃X:⊡ 5 □ warn(X)",
        "exists X:warn(X)",
        "exists X, Y: p(X), q(X, Y)",
        "p(X), q(Y).",
        "window 3 (p(X) at T), S = T + 1, S <= 4",
        "p(X)@4",
        "window inf some p(X)",
        "window 5s some p(X), not q(X), N = count { Y : r(X, Y) }",
        "(p(X) or q(X))",
        "top",
        "exists",
        "window(X), window",
        "p(X) % and a comment",
    ],
)
def test_what_is_printed_reads_back(text):
    assert read(printed(text)) == read(text)


@pytest.mark.parametrize("text", ["exists X:\n  p(X)\n  ,\n  q(X)\n", "exists X\n:\np(X)\n,q(X)", "p(\nX), q(\nX)"])
def test_a_query_goes_on_over_lines(text):
    assert printed(text).endswith("p(X), q(X)")


class TestShortWindows:
    @pytest.mark.parametrize(
        ("short", "long"),
        [
            ("window 5 all p(X)", "window[last 5] all p(X)"),
            ("window 0 some p(X)", "window[0] some p(X)"),
            ("window 10s p(X)", "window[last 10s] p(X)"),
            ("window inf some p(X)", "window[inf] some p(X)"),
            ("⊡ ∞ ◇ p(X)", "window[inf] some p(X)"),
            ("window 3 (p(X) at T)", "window[last 3] (p(X) at T)"),
            ("window 3 p(X) at T", "window[last 3] (p(X) at T)"),
            ("window 5 window 2 all p(X)", "window[last 5] window[last 2] all p(X)"),
            ("not window 5 some p(X)", "not window[last 5] some p(X)"),
            ("window 5 (p(X) since[0,2] q(X))", "window[last 5] (p(X) since[0,2] q(X))"),
        ],
    )
    def test_it_says_the_same_as_with_brackets(self, short, long):
        assert read(short) == read(long)

    def test_in_rules(self):
        program, found = parse_program(Source("rules", "warn(X) :- window 3 all hot(X), not window 2 some calm(X)."))
        assert found == ()
        assert format_program(program) == "warn(X) :- window[last 3] all hot(X), not window[last 2] some calm(X).\n"

    def test_window_is_still_a_name(self):
        text = "window(X) :- opens(window, X).\nP :- window.\nQ :- window, 5 < 6.\nconst window = 5.\n"
        program, found = parse_program(Source("rules", text))
        assert found == ()
        assert len(program.statements) == 4

    def test_a_window_over_a_bound_quantifier(self):
        (window,) = read("window 5 some p(X)").body
        assert isinstance(window.operand, Some)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("E180", "", "^")),
        ("   \n % nothing", ("E180", "", "^")),
        ("warn(X) :- p(X)", ("E181", "warn(X) :- p(X)", "        ^^")),
        ("warn(X). p(X)", ("E182", "warn(X). p(X)", "         ^")),
        ("warn(X", ("E106", "warn(X", "    ^")),
        ("warn(X))", ("E107", "warn(X))", "       ^")),
        ("warn(X) high(X)", ("E111", "warn(X) high(X)", "        ^^^^")),
        ("warn(X),", ("E139", "warn(X),", "       ^")),
        ("warn(X) or p(X)", ("E129", "warn(X) or p(X)", "        ^^")),
        ("warn(X)@[1,2]", ("E124", "warn(X)@[1,2]", "        ^")),
        ("exists X warn(X)", ("E138", "exists X warn(X)", "         ^^^^")),
        ("exist X: warn(X)", ("E120", "exist X: warn(X)", "^^^^^")),
        ("exists X: exists Y: p(X, Y)", ("E138", "exists X: exists Y: p(X, Y)", "          ^^^^^^")),
        ("p(X), exists Y: q(X, Y)", ("E138", "p(X), exists Y: q(X, Y)", "      ^^^^^^")),
        ("exists X: ", ("E139", "exists X: ", "        ^")),
        ("exists x: p(x)", ("E138", "exists x: p(x)", "       ^")),
        ("5", ("E128", "5", "^")),
        ("X < 5 < Y", ("E122", "X < 5 < Y", "      ^")),
        ("window 5", ("E139", "window 5", "       ^")),
        ("⊡ -5 □ p(X)", ("E131", "⊡ -5 □ p(X)", "  ^^")),
        ("warn(X) & p(X)", ("E101", "warn(X) & p(X)", "        ^")),
        ('warn("b1)', ("E102", 'warn("b1)', "     ^^^^")),
    ],
)
def test_a_mistake_is_shown_where_it_is(text, expected):
    code, line, caret = expected
    shown = message(text).splitlines()
    assert f"error[{code}]" in shown[0]
    assert shown[0].startswith("query:1:")
    if line:
        assert shown[1] == f"    {line}"
    assert shown[2] == f"    {caret}"
    assert shown[3].startswith("    hint: ")


def test_a_message_in_full():
    assert message("exists X: window 5 all warn(X) high(X)") == "\n".join(
        [
            "query:1:32: error[E111]: a comma is missing before high",
            "    exists X: window 5 all warn(X) high(X)",
            "                                   ^^^^",
            "    hint: write a comma",
        ]
    )


def test_the_codes_of_queries_are_documented():
    document = (ROOT / "docs" / "errors.md").read_text()
    rows = dict(re.findall(r"^\| (E\d{3}) \| (.+) \|$", document, flags=re.MULTILINE))
    assert {code: rows[code] for code in QUERY_CODES} == dict(QUERY_CODES)


@settings(max_examples=300)
@given(st.text(max_size=60) | st.lists(PIECES, max_size=14).map(" ".join) | st.lists(PIECES, max_size=14).map("".join))
def test_any_text_gives_a_query_or_diagnostics(text):
    query, found = parse_query(Source("query", text))
    assert (query is None) == bool(found)
    assert all(each.span and each.hint and each.render() for each in found)
    if query:
        assert read(format_query(query)) == query
