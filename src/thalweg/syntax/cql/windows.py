"""The windows of CQL in brackets: stream-to-relation operators (LARS paper, Table 1).

They are no SQL, so they are cut out of the tokens before SQL is parsed. Each is remembered under the place of
the name it stands after, which the parser keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from sqlglot import Token, TokenType

from thalweg.errors import did_you_mean
from thalweg.source import Source, Span
from thalweg.syntax.ast import Bound, Infinity, Number
from thalweg.syntax.cql.cursor import Cursor, is_name, span_of_token
from thalweg.syntax.cql.numbers import read_number
from thalweg.syntax.mistake import Mistake
from thalweg.time.units import UNITS

_FORMS = "write [RANGE 5], [RANGE 5 SLIDE 2], [RANGE UNBOUNDED], [NOW], [ROWS 3] or [PARTITION BY a, b ROWS 3]"
_UNITS = MappingProxyType(
    {
        spelling: unit
        for word, unit in {"SECOND": "s", "MINUTE": "min", "HOUR": "h", "DAY": "d"}.items()
        for spelling in (word, f"{word}S")
    }
)


@dataclass(frozen=True)
class Now:
    """``[NOW]``: the tuples of this time point; what a stream without a window means, too."""

    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Range:
    """``[RANGE L SLIDE D]``: the tuples of the last L time units, seen from the last multiple of D."""

    length: Bound
    slide: Number | None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Rows:
    """``[PARTITION BY a, b ROWS N]``: the last N tuples, of each partition where there are any columns."""

    count: Number
    columns: tuple[tuple[str, Span], ...] = ()
    span: Span | None = field(default=None, compare=False)


Window = Now | Range | Rows


def cut_windows(source: Source, tokens: Sequence[Token]) -> tuple[list[Token], dict[int, Window]]:
    """The tokens without windows, and the windows by the offset of the name they stand after."""
    kept: list[Token] = []
    windows: dict[int, Window] = {}
    index = 0
    while index < len(tokens):
        if tokens[index].token_type is not TokenType.L_BRACKET:
            kept.append(tokens[index])
            index += 1
            continue
        end = _closing(source, tokens, index)
        span = span_of_token(source, tokens[index]).to(span_of_token(source, tokens[end]))
        if not kept or not is_name(kept[-1]) or kept[-1].start in windows:
            raise misplaced_window(span)
        windows[kept[-1].start] = _read_window(source, tokens[index + 1 : end], span)
        index = end + 1
    return kept, windows


def misplaced_window(span: Span | None) -> Mistake:
    """The mistake of a window that belongs to nothing."""
    hint = "write one window after the name or the alias of each stream in FROM"
    return Mistake("E166", span, "the window does not belong to a FROM item", hint)


def _closing(source: Source, tokens: Sequence[Token], opening: int) -> int:
    for index in range(opening + 1, len(tokens)):
        kind = tokens[index].token_type
        if kind is TokenType.R_BRACKET:
            return index
        if kind is TokenType.L_BRACKET:
            break
    raise Mistake("E162", span_of_token(source, tokens[opening]), "this [ is never closed", "write the missing ]")


def _read_window(source: Source, tokens: Sequence[Token], span: Span) -> Window:
    if not tokens:
        raise Mistake("E162", span, "the window is empty", _FORMS)
    cursor = Cursor(source, tokens)
    window = _read_form(cursor, span)
    if not cursor.at_end:
        raise Mistake("E162", cursor.span, f"{cursor.span.text} does not fit into this window", _FORMS)
    return window


def _read_form(cursor: Cursor, span: Span) -> Window:
    if cursor.skip("NOW"):
        return Now(span)
    if cursor.skip("RANGE"):
        return _read_range(cursor, span)
    if cursor.skip("ROWS"):
        return Rows(_read_count(cursor), span=span)
    if cursor.skip("PARTITION BY"):
        columns = _read_partition(cursor)
        cursor.expect("ROWS", "E162", "ROWS is missing after the columns", "write [PARTITION BY a, b ROWS 3]")
        return Rows(_read_count(cursor), columns, span)
    words = ("NOW", "RANGE", "ROWS", "PARTITION BY")
    raise Mistake("E162", cursor.span, "this is not a window", did_you_mean(cursor.word, words) or _FORMS)


def _read_range(cursor: Cursor, span: Span) -> Range:
    if cursor.skip("UNBOUNDED"):
        length: Bound = Infinity()
    else:
        length = _read_length(cursor, "the range")
    slide = None
    if cursor.skip("SLIDE"):
        slide = _read_length(cursor, "the slide")
        _check_slide(length, slide)
    return Range(length, slide, span)


def _check_slide(length: Bound, slide: Number) -> None:
    """0 < D ≤ L (LARS paper, Definition 3); a window of one time point may slide by one."""
    if slide.value == 0:
        raise Mistake("E163", slide.span, "a window cannot slide by 0", "write SLIDE 1, or leave it out")
    if isinstance(length, Number) and _seconds(slide) > max(_seconds(length), Fraction(1)):
        hint = "slide at most as far as the window reaches, or tuples would be in no window"
        raise Mistake("E163", slide.span, "the window slides farther than it reaches", hint)


def _seconds(number: Number) -> Fraction:
    return number.value * UNITS[number.unit or "s"]


def _read_length(cursor: Cursor, what: str) -> Number:
    hint = "write a whole number, with or without SECONDS, MINUTES, HOURS or DAYS"
    value, span = _read_whole(cursor, "E163", f"{what} is not a whole number", hint)
    if value < 0:
        raise Mistake("E163", span, f"{what} is negative", "windows look back: write how far, without a sign")
    unit_span = cursor.span
    if cursor.at_end or cursor.word in ("SLIDE", "ROWS", "RANGE"):
        return Number(value, span=span)
    word = cursor.word
    if word not in _UNITS:
        message = f"{unit_span.text} is not a unit of time"
        raise Mistake("E162", unit_span, message, did_you_mean(word, _UNITS) or hint)
    cursor.take()
    return Number(value, _UNITS[word], span.to(unit_span))


def _read_count(cursor: Cursor) -> Number:
    message, hint = "the number of rows is not a whole number above 0", "write how many tuples: ROWS 3"
    value, span = _read_whole(cursor, "E164", message, hint)
    if value < 1:
        raise Mistake("E164", span, message, hint)
    return Number(value, span=span)


def _read_whole(cursor: Cursor, code: str, message: str, hint: str) -> tuple[Fraction, Span]:
    start = cursor.span
    sign = -1 if cursor.skip("-") else 1
    span = start.to(cursor.span)
    if cursor.at_end or cursor.rest[0].token_type is not TokenType.NUMBER:
        raise Mistake(code, span, message, hint)
    value = read_number(cursor.take().text, span)
    if value.denominator != 1:
        raise Mistake(code, span, message, hint)
    return sign * value, span


def _read_partition(cursor: Cursor) -> tuple[tuple[str, Span], ...]:
    columns = []
    while True:
        columns.append(cursor.name("E162", "the name of a column is missing", "write [PARTITION BY a, b ROWS 3]"))
        if not cursor.skip(","):
            return tuple(columns)
