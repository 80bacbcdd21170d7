"""Plain fact lines to columns, without a loop over lines.

A line is taken apart by regular expressions over the whole column, and only distinct texts are read in
Python. Whatever does not look plain is left to :mod:`thalweg.syntax.fact_line`, so nothing is guessed here.
"""

from __future__ import annotations

import gc
import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.source import Source
from thalweg.syntax.fact_batch import Coded, FactBatch, Value
from thalweg.syntax.lexer import NAME_PATTERN, NUMBER_PATTERN
from thalweg.syntax.literals import MAX_DIGITS, read_digits
from thalweg.time.interval import Endpoint

_Codes = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]

# Patterns for Arrow: one way to match at every character keeps them fast, so they let pass more than is right.
_BLANK = r"^(?:[%#].*|//.*)?$"
_FEWEST_LINES = 24
"""Fewer lines of a predicate are read one by one: that is quicker than columns of them."""
_FACT = r'^(?P<predicate>[^(@"]+)(?:\((?P<arguments>[^()]*)\)\s*)?(?P<time>@[^@"%#]*)?$'
_INTERVAL = r"^@\s*(?P<open>[\[(])(?P<start>[^,\[\]()]*),(?P<end>[^,\[\]()]*)(?P<close>[\])])$"

# Integers that 64 bits hold, each spelt in its only way: two texts are two numbers.
_INTEGER = r"^(?:0|-?[1-9][0-9]{0,17})$"
# Bare names that are texts, but for the word inf.
_BARE = r"^[a-z]\w*$"

_NAME = re.compile(NAME_PATTERN)
_NUMBER = re.compile(rf"[+-]?{NUMBER_PATTERN}")
_PLAIN_STRING = re.compile(r'"([^"\\]*)"')


@dataclass(frozen=True)
class Columns:
    """The plain lines as batches, and the numbers of the lines that need a closer look."""

    batches: tuple[FactBatch, ...]
    other_lines: tuple[int, ...]


def read_columns(source: Source, always: frozenset[str], time_is_last: bool = False) -> Columns:
    """Read the plain lines of a fact file."""
    try:
        lines = _lines(source.text)
    except UnicodeEncodeError:
        return Columns((), tuple(range(1, source.text.count("\n") + 2)))
    parts = pc.extract_regex(lines, _FACT)
    plain = _flags(pc.is_valid(parts))
    blank = _flags(pc.match_substring_regex(lines, _BLANK))
    others = [np.flatnonzero(~plain & ~blank) + 1]
    batches = []
    for group in _groups(parts, np.flatnonzero(plain & ~blank), time_is_last):
        if len(group.lines) < _FEWEST_LINES:
            others.append(group.lines)
            continue
        batch, rest = _read_group(group, source.name, always)
        batches += [batch] if len(batch.lines) else []
        others.append(rest)
    return Columns(tuple(batches), tuple(np.sort(np.concatenate(others)).tolist()))


@dataclass(frozen=True)
class _Group:
    """The lines with one predicate and one number of arguments; ``time_is_last`` if none of them has an ``@``."""

    predicate: str
    arguments: tuple[pa.Array, ...]
    times: pa.Array
    lines: _Codes
    time_is_last: bool


def _lines(text: str) -> pa.Array:
    """The lines without white space around them and without the full stop at their end."""
    encoded = np.frombuffer(text.encode() + b"\n", np.uint8)
    ends = np.flatnonzero(encoded == ord("\n")) + 1
    offsets = np.concatenate([[0], ends]).astype(np.int64)
    lines = pa.LargeStringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(encoded))
    lines = pc.utf8_trim_whitespace(lines)
    return pc.utf8_rtrim_whitespace(pc.replace_substring_regex(lines, r"\.$", ""))


def _groups(parts: pa.Array, rows: _Codes, time_is_last: bool) -> Iterator[_Group]:
    """The lines by predicate and number of arguments; where they are few, only their numbers.

    Where the time may be the last argument, those with and those without an ``@`` are groups of their own.
    """
    if not len(rows):
        return
    predicates = pc.struct_field(parts, "predicate").take(rows).dictionary_encode()
    texts = pc.struct_field(parts, "arguments").take(rows)
    arguments = pc.split_pattern(texts, ",")
    arities = np.where(_flags(pc.equal(texts, "")), 0, _codes(pc.list_value_length(arguments)))
    keys = _codes(predicates.indices) * (arities.max() + 1) + arities
    times = pc.struct_field(parts, "time").take(rows)
    lacking = _flags(pc.equal(times, "")) if time_is_last else np.zeros(len(rows), np.bool_)
    if time_is_last:
        keys = keys * 2 + lacking
    order = np.argsort(keys, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
        if len(members) < _FEWEST_LINES:
            yield _Group("", (), times.slice(0, 0), rows[members] + 1, time_is_last=False)
            continue
        own_arguments = arguments.take(members)
        first = int(members[0])
        yield _Group(
            predicates[first].as_py(),
            tuple(pc.list_element(own_arguments, position) for position in range(int(arities[first]))),
            times.take(members),
            rows[members] + 1,
            bool(lacking[first]),
        )


def _read_group(group: _Group, source: str, always: frozenset[str]) -> tuple[FactBatch, _Codes]:
    """The lines of a group that are facts, and the numbers of those that need a closer look."""
    predicate = group.predicate.strip()
    texts, may_lack = group.arguments, predicate in always
    if group.time_is_last and texts and not may_lack:
        times, texts = _read_points(texts[-1]), texts[:-1]
    else:
        times = _read_times(group.times, may_lack)
    arguments = [_read_column(column, _read_value) for column in texts]
    good = times.valid & np.all([column.codes >= 0 for column in arguments], axis=0)
    if not _NAME.fullmatch(predicate):
        good[:] = False
    batch = FactBatch(
        predicate=predicate,
        arguments=tuple(Coded(column.values, column.codes[good]) for column in arguments),
        starts=Coded(times.starts.values, times.starts.codes[good]),
        ends=Coded(times.ends.values, times.ends.codes[good]),
        start_closed=times.start_closed[good],
        end_closed=times.end_closed[good],
        lines=group.lines[good],
        source=source,
    )
    return batch, group.lines[~good]


@dataclass(frozen=True)
class _Times:
    starts: Coded
    ends: Coded
    start_closed: _Flags
    end_closed: _Flags
    valid: _Flags


def _read_times(texts: pa.Array, may_lack: bool) -> _Times:
    """The times of a group, and which of them could be read and are not empty."""
    start_texts, end_texts, start_closed, end_closed = _split_times(texts, may_lack)
    same = _flags(pc.equal(start_texts, end_texts))
    starts = _read_column(start_texts, _read_endpoint)
    ends = starts if same.all() else _read_column(end_texts, _read_endpoint)
    start_floats, end_floats = _floats(starts), _floats(ends)
    start_closed &= ~np.isinf(start_floats)
    end_closed &= ~np.isinf(end_floats)
    valid: _Flags = (start_floats < end_floats) | (same & start_closed & end_closed & (starts.codes >= 0))
    # Conversion to a float never swaps two numbers, so only floats that are equal decide nothing.
    alike = np.flatnonzero((start_floats == end_floats) & ~same)
    valid[alike] = _not_empty(starts, ends, start_closed & end_closed, alike)
    return _Times(starts, ends, start_closed, end_closed, valid)


def _read_points(texts: pa.Array) -> _Times:
    """Times that are arguments: time points of the integer timeline."""
    points = _read_column(pc.utf8_trim_whitespace(texts), _read_whole)
    closed = np.ones(len(texts), np.bool_)
    return _Times(points, points, closed, closed, points.codes >= 0)


def _split_times(texts: pa.Array, may_lack: bool) -> tuple[pa.Array, pa.Array, _Flags, _Flags]:
    """The ends of intervals, of points and, where a time may lack, of all time; and whether they are closed."""
    parts = pc.extract_regex(texts, _INTERVAL)
    is_interval = pc.is_valid(parts)
    point = pc.utf8_slice_codeunits(texts, 1)
    start_texts = pc.if_else(is_interval, pc.struct_field(parts, "start"), point)
    end_texts = pc.if_else(is_interval, pc.struct_field(parts, "end"), point)
    if may_lack:
        lacking = pc.equal(texts, "")
        start_texts = pc.if_else(lacking, "-inf", start_texts)
        end_texts = pc.if_else(lacking, "inf", end_texts)
    is_point = ~_flags(is_interval)
    start_closed = is_point | _flags(pc.equal(pc.struct_field(parts, "open"), "["))
    end_closed = is_point | _flags(pc.equal(pc.struct_field(parts, "close"), "]"))
    return start_texts, end_texts, start_closed, end_closed


def _not_empty(starts: Coded, ends: Coded, both_closed: _Flags, rows: _Codes) -> _Flags:
    """Whether some of the intervals hold a time point, by their exact ends, once for each pair of ends."""
    pairs = starts.codes[rows] * len(ends.values) + ends.codes[rows]
    distinct, inverse = np.unique(pairs, return_inverse=True)
    exact = [(starts.values[pair // len(ends.values)], ends.values[pair % len(ends.values)]) for pair in distinct]
    less = np.array([start < end for start, end in exact], np.bool_)
    equal = np.array([start == end for start, end in exact], np.bool_)
    flags: _Flags = less[inverse] | (equal[inverse] & both_closed[rows])
    return flags


def _floats(column: Coded) -> npt.NDArray[np.float64]:
    """The numbers of a column, rounded; those that could not be read are NaN, which compares with nothing."""
    numbers = [time if isinstance(time, float) else time.numerator / time.denominator for time in column.values]
    return np.array([*numbers, math.nan])[column.codes]


def _read_column(texts: pa.Array, read: Callable[[str], Any]) -> Coded:
    """Read the distinct texts of a column; the code of a text that cannot be read is −1."""
    encoded = texts.dictionary_encode()
    distinct, codes = encoded.dictionary, _codes(encoded.indices)
    with _collector_paused():
        if _flags(pc.match_substring_regex(distinct, _INTEGER)).all():
            return Coded(tuple(map(Fraction, distinct.cast(pa.int64()).to_pylist())), codes)
        texts_only = read is _read_value and _flags(pc.match_substring_regex(distinct, _BARE)).all()
        if texts_only and "inf" not in (names := distinct.to_pylist()):
            return Coded(tuple(names), codes)
        values, translation = _read_texts(distinct.to_pylist(), read)
    return Coded(values, np.array(translation, np.int64)[codes])


def _read_texts(texts: Iterable[str], read: Callable[[str], Any]) -> tuple[tuple[Any, ...], list[int]]:
    """The distinct values of texts, and the code of each text."""
    codes: dict[Hashable, int] = {}
    values: list[Any] = []
    translation: list[int] = []
    for text in texts:
        value = read(text.strip())
        # The parts of a Fraction hash much faster than the Fraction.
        key = (value.numerator, value.denominator) if isinstance(value, Fraction) else value
        code = -1 if key is None else codes.setdefault(key, len(values))
        if code == len(values):
            values.append(value)
        translation.append(code)
    return tuple(values), translation


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from walking, again and again, over millions of values being made."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _read_value(text: str) -> Value | None:
    if _NAME.fullmatch(text):
        return None if text[0].isupper() or text[0] == "_" or text == "inf" else text
    string = _PLAIN_STRING.fullmatch(text)
    return string[1] if string else _read_rational(text)


def _read_endpoint(text: str) -> Endpoint | None:
    if text in ("inf", "+inf"):
        return math.inf
    return -math.inf if text == "-inf" else _read_rational(text)


def _read_whole(text: str) -> Fraction | None:
    value = _read_rational(text)
    return value if value is not None and value.denominator == 1 else None


def _read_rational(text: str) -> Fraction | None:
    if len(text) > MAX_DIGITS:
        return None
    if text.isdecimal() and text.isascii():
        return Fraction(int(text))
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return -read_digits(text[1:]) if text[0] == "-" else read_digits(text.lstrip("+"))
    except ZeroDivisionError:
        return None


def _flags(column: pa.Array) -> _Flags:
    flags: _Flags = pc.fill_null(column, False).to_numpy(zero_copy_only=False).astype(np.bool_)
    return flags


def _codes(column: pa.Array) -> _Codes:
    codes: _Codes = column.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes
