"""Numbers as SQL writes them."""

from __future__ import annotations

import re
from fractions import Fraction

from thalweg.source import Span
from thalweg.syntax.literals import MAX_DIGITS, read_digits
from thalweg.syntax.mistake import Mistake

_DIGITS = re.compile(r"[0-9]+(\.[0-9]+)?")


def read_number(text: str, span: Span) -> Fraction:
    """The exact value of a number without a sign."""
    if not _DIGITS.fullmatch(text):
        hint = "write digits, with a decimal point between them if need be"
        raise Mistake("E176", span, f"{text} is not a number", hint)
    if len(text) > MAX_DIGITS:
        raise Mistake("E176", span, "the number is too long", f"write at most {MAX_DIGITS} digits")
    return read_digits(text)
