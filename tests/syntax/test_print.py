"""Texts that are printed as they were written."""

import pytest
from reading import read_one

from thalweg.syntax.printer import format_statement


@pytest.mark.parametrize(
    "text",
    [
        "H(X) :- window[last 10, next 5, slide 2] some P(X).",
        "H(X) :- window[last 3 tuples per 1, 2, of stream] all P(X) at T + 1.",
        "H(X) :- not window[last 5] some not P(X).",
        "H(X) :- (A(X) or not B(X)).",
        "H(X) :- (A implies B).",
        "Q(X) at T + 5 :- P(X) at T.",
        "(A(X), B(X)) at T :- P(X) at T.",
        "H(X) :- window[last 0, next 5] some P(X).",
        "H(N) :- N = count { V, T : window[last 10] On(V, R) at T }.",
        "H(N) :- P(N), N + 1 >= avg { V, a1:b, 2 : not On(V), a1:Q(V) }, Q(N).",
        "timeline integer from 0 to 50.",
        "timeline rational to 50.",
        "timeline integer.",
    ],
)
def test_a_text_in_the_printed_form_stays_as_it_is(text: str) -> None:
    assert format_statement(read_one(text)) == text


def test_a_window_that_only_reaches_ahead_is_printed_with_last_0() -> None:
    for written, printed in [
        ("next 5", "last 0, next 5"),
        ("next 2 tuples per 1", "last 0 tuples, next 2 tuples per 1"),
    ]:
        assert format_statement(read_one(f"H :- window[{written}] some P")) == f"H :- window[{printed}] some P."
