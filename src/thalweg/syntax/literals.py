"""The values of written numbers and strings."""

from __future__ import annotations

import re
from fractions import Fraction

from thalweg.errors import Diagnostic, did_you_mean
from thalweg.source import Span
from thalweg.time.units import UNITS

MAX_DIGITS = 100
"""Numbers with more digits than this are refused: they are a mistake, and slow."""

_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_PARTS = re.compile(r"([0-9]+(?:\.[0-9]+|/[0-9]+)?)(.*)", re.DOTALL)


def read_number(text: str) -> tuple[Fraction, str | None]:
    """The value and the unit of a well-formed number literal without a sign."""
    if text.isdigit():
        return Fraction(int(text)), None
    match = _PARTS.fullmatch(text)
    assert match is not None
    digits, unit = match.groups()
    return read_digits(digits), unit or None


def read_digits(text: str) -> Fraction:
    """The exact value of ``5``, ``1.5`` or ``3/2``."""
    if text.isdigit():
        return Fraction(int(text))
    whole, point, decimals = text.partition(".")
    if point:
        return Fraction(int(whole + decimals), 10 ** len(decimals))
    numerator, _, denominator = text.partition("/")
    return Fraction(int(numerator), int(denominator))


def read_string(text: str) -> str:
    """The value of a well-formed quoted string."""
    return _ESCAPE.sub(_escaped, text[1:-1]) if "\\" in text else text[1:-1]


def write_string(value: str) -> str:
    """A text between quotes, as :func:`read_string` reads it.

    What a terminal would obey rather than show, and what turns the direction of writing, is written as ``\\u001b``.
    """
    for char, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        value = value.replace(char, escape)
    return f'"{_UNSEEN.sub(lambda char: f"{chr(92)}u{ord(char[0]):04x}", value)}"'


def _escaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _ESCAPES[escape[2]]


def check_number(span: Span) -> Diagnostic | None:
    """What is wrong with a number literal, if anything."""
    text = span.text
    if text.isdigit() and len(text) <= MAX_DIGITS:
        return None
    if sum(char.isdigit() for char in text) > MAX_DIGITS:
        hint = f"write a number of at most {MAX_DIGITS} digits, or a quoted text"
        return Diagnostic("E104", span, "number out of range", hint)
    match = _PARTS.fullmatch(text)
    if match is None:
        return Diagnostic("E103", span, f"{text} is not a number", f"write 0{text}")
    digits, rest = match.groups()
    if "/" in digits and int(digits.partition("/")[2]) == 0:
        return Diagnostic("E103", span, f"{digits} divides by zero", "write a denominator other than 0")
    return None if not rest or rest in UNITS else _why_not_number(span, digits, rest)


def check_string(span: Span) -> Diagnostic | None:
    """The first escape of a string literal that is not one, if any."""
    for escape in _ESCAPE.finditer(span.text):
        is_known = escape[2] in _ESCAPES if escape[1] is None else not 0xD800 <= int(escape[1], 16) < 0xE000
        if not is_known:
            place = Span(span.source, span.start + escape.start(), span.start + escape.end())
            hint = 'write \\" for a quote, \\\\ for a backslash, \\n for a new line, \\t for a tab, \\u and four digits'
            return Diagnostic("E109", place, f"{escape[0]} is not an escape", hint)
    return None


def _why_not_number(span: Span, digits: str, rest: str) -> Diagnostic:
    text = span.text
    if re.match(r"[eE][+-]?[0-9]", rest):
        message, hint = f"{text} is written with an exponent", "write the number out: 1000, 0.001 or 1/1000"
        return Diagnostic("E103", span, message, hint)
    if rest.startswith("_"):
        hint = f"write the digits without separators: {digits}{rest.replace('_', '')}"
        return Diagnostic("E103", span, f"{text} is not a number", hint)
    if rest.startswith("."):
        hint = "write one decimal point, or put a text in quotes"
        return Diagnostic("E103", span, f"{text} is not a number", hint)
    return _unknown_unit(span, digits, rest)


def _unknown_unit(span: Span, digits: str, rest: str) -> Diagnostic:
    place = Span(span.source, span.start + len(digits), span.end)
    if re.fullmatch(r"[a-z]+[0-9]+[a-z]+", rest):
        hint = "write a duration as one number with one unit: 90min or 1.5h, not 1h30min"
        return Diagnostic("E105", place, f"{span.text} is not a duration", hint)
    hint = did_you_mean(rest, UNITS) or (
        f"the units are {', '.join(UNITS)}; a name cannot begin with a digit, and a product is written 2 * X"
    )
    return Diagnostic("E105", place, f"{rest} is not a unit of time", hint)
