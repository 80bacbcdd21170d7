"""MeTeoR's JSON facts: predicate to a list of ``{"a,b": {"left_value": 1.0, …}}``."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from thalweg.errors import Diagnostic
from thalweg.source import Source, Span
from thalweg.syntax.fact_batch import FactFile, FactRow, Value, batch_rows, merge_batches
from thalweg.syntax.lexer import NAME_PATTERN, NUMBER_PATTERN
from thalweg.syntax.literals import MAX_DIGITS
from thalweg.syntax.mistake import Mistake
from thalweg.time.interval import Endpoint, is_valid

_NAME = re.compile(NAME_PATTERN)
_NUMBER = re.compile(rf"-?{NUMBER_PATTERN}")
_SPACE = re.compile(r"\s*")
_INFINITIES = {
    "inf": math.inf,
    "+inf": math.inf,
    "-inf": -math.inf,
    "Infinity": math.inf,
    "-Infinity": -math.inf,
}
_FORM = '{"P": [{"a,b": {"left_value": 1, "right_value": 2, "left_open": false, "right_open": true}}]}'


def read_meteor_json(source: Source) -> FactFile:
    """The facts of a MeTeoR JSON file.

    A key such as ``"a,b"`` holds the arguments, ``"nan"`` none. Numbers are read exactly as written.
    """
    rows: list[FactRow] = []
    found: list[Diagnostic] = []
    try:
        for predicate, entry, span in _Walker(source).entries():
            try:
                rows += _read_entry(predicate, entry, span)
            except Mistake as mistake:
                found.append(mistake.diagnostic)
    except Mistake as mistake:
        found.append(mistake.diagnostic)
    return FactFile(merge_batches(batch_rows(rows, source.name)), tuple(found))


@dataclass(frozen=True)
class _Numeral:
    """A number as it was written; reading it as a float would round it."""

    text: str


@dataclass(frozen=True)
class _Object:
    """A JSON object, with keys that occur twice."""

    pairs: list[tuple[str, object]]


class _Walker:
    """Walks over the two outer levels, so that every entry keeps its place; the entries are left to json."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._decoder = json.JSONDecoder(
            parse_float=_Numeral, parse_int=_Numeral, parse_constant=_Numeral, object_pairs_hook=_Object
        )
        self._offset = 0

    def entries(self) -> Iterator[tuple[str, object, Span]]:
        """Each entry with its predicate and its place."""
        self._expect("{")
        while not self._accept("}"):
            predicate, span = self._decode()
            if not isinstance(predicate, str):
                raise Mistake("E417", span, "the name of a predicate is expected here", f"write {_FORM}")
            self._expect(":")
            self._expect("[")
            while not self._accept("]"):
                entry, span = self._decode()
                yield predicate, entry, span
                self._accept(",")
            self._accept(",")
        if self._offset < len(self._source.text):
            span = Span(self._source, self._offset, len(self._source.text))
            raise Mistake("E417", span, "the file goes on after its last bracket", "remove the rest")

    def _decode(self) -> tuple[object, Span]:
        try:
            value, end = self._decoder.raw_decode(self._source.text, self._offset)
        except json.JSONDecodeError as error:
            place = Span(self._source, error.pos, error.pos)
            message = f"the file is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
            raise Mistake("E417", place, message, f"write {_FORM}") from None
        except RecursionError:
            place = Span(self._source, self._offset, self._offset)
            raise Mistake("E417", place, "the file is nested too deeply", f"write {_FORM}") from None
        span = Span(self._source, self._offset, end)
        self._move(end)
        return value, span

    def _expect(self, char: str) -> None:
        if not self._accept(char):
            place = Span(self._source, self._offset, self._offset)
            raise Mistake("E417", place, f"{char} is expected here", f"write {_FORM}")

    def _accept(self, char: str) -> bool:
        if self._offset == 0:
            self._move(0)
        if not self._source.text.startswith(char, self._offset):
            return False
        self._move(self._offset + 1)
        return True

    def _move(self, offset: int) -> None:
        space = _SPACE.match(self._source.text, offset)
        self._offset = space.end() if space else offset


def _read_entry(predicate: str, entry: object, span: Span) -> list[FactRow]:
    if not _NAME.fullmatch(predicate):
        hint = "a name is made of letters, digits and _, and does not begin with a digit"
        raise Mistake("E418", span, f'"{predicate}" cannot name a predicate', hint)
    if not isinstance(entry, _Object):
        raise Mistake("E418", span, "an entry is an object", f"write {_FORM}")
    return [_read_fact(predicate, _read_arguments(entity, span), interval, span) for entity, interval in entry.pairs]


def _read_fact(predicate: str, values: tuple[Value, ...], interval: object, span: Span) -> FactRow:
    if not isinstance(interval, _Object):
        raise Mistake("E418", span, "the interval of a fact is an object", f"write {_FORM}")
    fields = dict(interval.pairs)
    start, end = _read_time(fields, "left_value", span), _read_time(fields, "right_value", span)
    start_closed = not _read_flag(fields, "left_open", span) and not isinstance(start, float)
    end_closed = not _read_flag(fields, "right_open", span) and not isinstance(end, float)
    if not is_valid(start, end, start_closed, end_closed):
        hint = "write the smaller time first, and close both ends of a single time point"
        raise Mistake("E414", span, "the interval contains no time point", hint)
    return FactRow(span.line, predicate, values, start, end, start_closed, end_closed)


def _read_arguments(entity: str, span: Span) -> tuple[Value, ...]:
    if entity == "nan":
        return ()
    texts = [text.strip() for text in entity.split(",")]
    if not all(texts):
        raise Mistake("E418", span, f'"{entity}" lacks an argument', 'write "a,b" for two, "nan" for none')
    return tuple(Fraction(text) if _NUMBER.fullmatch(text) and len(text) <= MAX_DIGITS else text for text in texts)


def _read_time(fields: dict[str, object], name: str, span: Span) -> Endpoint:
    value = _field(fields, name, span)
    text = value.text if isinstance(value, _Numeral) else value
    if isinstance(text, str) and text in _INFINITIES:
        return _INFINITIES[text]
    if not isinstance(value, _Numeral) or value.text == "NaN" or not _is_in_range(value.text):
        raise Mistake("E418", span, f"{name} is not a time", 'write a number, "inf" or "-inf"')
    return Fraction(value.text)


def _read_flag(fields: dict[str, object], name: str, span: Span) -> bool:
    value = _field(fields, name, span)
    if not isinstance(value, bool):
        raise Mistake("E418", span, f"{name} is neither true nor false", "write true or false")
    return value


def _field(fields: dict[str, object], name: str, span: Span) -> object:
    if name not in fields:
        raise Mistake("E418", span, f"the interval has no {name}", f"write {_FORM}")
    return fields[name]


def _is_in_range(numeral: str) -> bool:
    _, _, exponent = numeral.lower().partition("e")
    return len(numeral) <= MAX_DIGITS and abs(int(exponent or 0)) <= MAX_DIGITS
