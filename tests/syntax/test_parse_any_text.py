"""Whatever the text: statements and diagnostics, never an exception, and in good time."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st
from reading import SHARED_DATA, needs_shared_data, read

from amount import amount
from thalweg.source import Source
from thalweg.syntax import ast
from thalweg.syntax.parser import parse_program
from thalweg.syntax.printer import format_program
from thalweg.syntax.tokens import (
    AGGREGATE_WORDS,
    DECLARATION_WORDS,
    OPERATOR_WORDS,
    RESERVED_WORDS,
    SYMBOLS,
    WINDOW_WORDS,
)

_pieces = st.sampled_from(
    [
        *SYMBOLS, *OPERATOR_WORDS, *RESERVED_WORDS, *WINDOW_WORDS, *DECLARATION_WORDS, "exists", "at", "window",
        "P", "X", "a1:b", "1", "2.5", "3/2", "5s", "1e5", '"t"', '"', "'", ";", "%", " ", " ", "\n", "[0,1]",
        "P(X)", "P(X) :-", "integer", "from", "to", "=>", *AGGREGATE_WORDS, "count { X :", "N = sum{X:P(X)}",
    ]
)  # fmt: skip


@settings(max_examples=amount(320), deadline=None)
@given(
    st.text(max_size=60) | st.lists(_pieces, max_size=20).map(" ".join) | st.lists(_pieces, max_size=20).map("".join)
)
def test_any_text_gives_statements_or_diagnostics(text: str) -> None:
    program, found = parse_program(Source("test", text))
    assert all(each.span and each.hint and each.render() for each in found)
    if not found:
        assert parse_program(Source("printed", format_program(program)))[0] == program


@settings(max_examples=amount(60), deadline=None)
@given(st.lists(_pieces, max_size=12).map(" ".join))
def test_a_good_statement_survives_its_neighbours(text: str) -> None:
    # The full stop has a line of its own, where a comment in the text cannot swallow it.
    joined = f"{text.replace(chr(10), ' ')}\n.\n\nGood(X) :- Fine(X).\n"
    program, _ = parse_program(Source("test", joined))
    good = read("Good(X) :- Fine(X).")[0]
    assert good in program.statements


def test_ten_thousand_rules_take_seconds() -> None:
    text = "".join(f"a1:Jam{i}(X):-Boxminus[0,5]a1:Slow(X),a1:On(X,Y)\n" for i in range(10_000))
    start = time.process_time()
    program, found = parse_program(Source("test", text))
    assert (len(program.statements), found) == (10_000, ())
    assert time.process_time() - start < 20


@needs_shared_data
def test_meteor_programs_are_read_unchanged() -> None:
    sizes = {}
    for path in sorted((SHARED_DATA / "programs").glob("*.txt")):
        statements = read(path.read_text(encoding="utf-8"))
        assert all(isinstance(statement, ast.Rule) for statement in statements)
        sizes[path.stem] = len(statements)
    assert sizes["meteor-aaai22-p"] == 85
    assert sizes["short_stop"] == 5


@needs_shared_data
def test_a_diamond_in_a_head_is_left_to_later_passes() -> None:
    first, *_ = read((SHARED_DATA / "programs" / "meteor-aaai22-w.txt").read_text(encoding="utf-8"))
    assert isinstance(first, ast.Rule)
    assert isinstance(first.head.formulas[0], ast.DiamondMinus)
