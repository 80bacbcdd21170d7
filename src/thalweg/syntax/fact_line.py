"""One line of a fact file, read with care: the slow way, for unusual lines and for mistakes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from thalweg.errors import Diagnostic
from thalweg.null import MARK
from thalweg.source import Source, Span
from thalweg.syntax.fact_batch import FactRow, Value
from thalweg.syntax.lexer import tokenize
from thalweg.syntax.literals import read_number, read_string
from thalweg.syntax.mistake import Mistake
from thalweg.syntax.tokens import OPERATOR_WORDS, Token
from thalweg.time.interval import Endpoint, is_valid

_SPELLING: Mapping[str, tuple[str, str | None]] = {
    "E101": ("E401", "put a text that holds other characters than letters and digits in quotes"),
    "E112": ("E401", "write commas between arguments, and one fact a line"),
    "E102": ("E402", None),
    "E103": ("E403", None),
    "E104": ("E404", None),
    "E105": ("E405", "write a plain number, or a text in quotes"),
    "E109": ("E406", None),
}
"""The lexer's codes; those of the same mistakes in a fact file, and a hint where another is needed there."""

_FORMS = "write P(a,b)@3, P(a,b)@[1,2.5) or P(a,b)@(0,inf)"


def read_line(
    source: Source, line: int, start: int, end: int, always: frozenset[str], time_is_last: bool = False
) -> FactRow | None:
    """The fact on a line that covers [start, end) of the source; None if the line is blank."""
    tokens, found = tokenize(source, start, end)
    if found:
        raise _respelled(found[0])
    if not tokens:
        return None
    return _LineReader(tokens, line, always, time_is_last).read()


def _respelled(diagnostic: Diagnostic) -> Mistake:
    code, hint = _SPELLING[diagnostic.code]
    return Mistake(code, diagnostic.span, diagnostic.message, hint or diagnostic.hint)


@dataclass
class _LineReader:
    tokens: list[Token]
    line: int
    always: frozenset[str]
    time_is_last: bool
    index: int = 0
    last_argument: Span | None = None
    """Where the last argument stands that has been read."""

    def read(self) -> FactRow:
        self._refuse_rule()
        self._refuse_braces()
        predicate = self._predicate()
        values = self._arguments() if self._type() == "LPAR" else ()
        if self._has_time_among(values, predicate):
            row = self._point(predicate, values)
        else:
            row = replace(self._time(predicate), values=values)
        if self._type() == "DOT":
            self.index += 1
        if self.index < len(self.tokens):
            message = f"{self._text()} stands after the fact"
            raise Mistake("E415", self._rest(), message, "write one fact a line; comments begin with %")
        return row

    def _refuse_rule(self) -> None:
        arrow = next((token for token in self.tokens if token.type == "ARROW"), None)
        if arrow is not None:
            hint = "move it to a program; a fact file holds facts only"
            raise Mistake("E416", arrow.span, "a fact file cannot hold a rule", hint)

    def _refuse_braces(self) -> None:
        brace = next((token for token in self.tokens if token.type in ("LBRACE", "RBRACE")), None)
        if brace is not None:
            raise Mistake("E401", brace.span, f"{brace} does not belong to the language", _SPELLING["E101"][1])

    def _predicate(self) -> str:
        if self._type() != "NAME":
            raise Mistake("E407", self._place(), f"a fact cannot begin with {self._text()}", _FORMS)
        return self._next().value

    def _has_time_among(self, values: tuple[Value, ...], predicate: str) -> bool:
        """Whether the last value is the time: nothing else says it, and the predicate needs one."""
        is_at_end = self._type() in ("DOT", None)
        return self.time_is_last and is_at_end and bool(values) and predicate not in self.always

    def _point(self, predicate: str, values: tuple[Value, ...]) -> FactRow:
        time = values[-1]
        if isinstance(time, str) or time.denominator != 1:
            shown = self.last_argument.text if self.last_argument else time
            hint = f"write a whole number, or the time after @: {predicate}(…)@3; background needs no time"
            raise Mistake("E413", self.last_argument, f"the last argument, {shown}, is not a time point", hint)
        return FactRow(self.line, predicate, values[:-1], time, time, True, True)

    def _arguments(self) -> tuple[Value, ...]:
        opening = self._next()
        if self._type() == "RPAR":
            self.index += 1
            return ()
        values = [self._value()]
        while self._type() == "COMMA":
            self.index += 1
            values.append(self._value())
        if self._type() == "RPAR":
            self.index += 1
            return tuple(values)
        raise self._bad_separator(opening)

    def _bad_separator(self, opening: Token) -> Mistake:
        if self._type() in ("NAME", "NUMBER", "STRING"):
            hint = "write a comma; a text with a space in it stands in quotes"
            return Mistake("E409", self._place(), f"a comma is missing before {self._text()}", hint)
        if self._type() == "LPAR":
            value = self.tokens[self.index - 1]
            hint = "write one text, in quotes if need be, or several arguments"
            return Mistake("E407", value.span, f"the value {value} cannot have arguments of its own", hint)
        if self._type() == "DOT" and self.index + 1 < len(self.tokens):
            hint = "put a text that holds a full stop in quotes"
            return Mistake("E409", self._place(), "a full stop cannot stand in a bare text", hint)
        if self._type() in ("AT", "DOT", "RSQB", None):
            return Mistake("E408", opening.span, "this ( is never closed", "write ) after the arguments")
        hint = "write names, numbers and quoted texts, with commas between them"
        return Mistake("E407", self._place(), f"{self._text()} cannot stand among the arguments", hint)

    def _value(self) -> Value:
        first = self.index
        value = self._read_value()
        self.last_argument = self.tokens[first].span.to(self.tokens[self.index - 1].span)
        return value

    def _read_value(self) -> Value:
        kind = self._type()
        if kind == "STRING":
            return read_string(self._next().value)
        if kind in ("NUMBER", "MINUS", "PLUS"):
            return self._number("the arguments")
        if kind == "NAME":
            return self._bare_text()
        if kind in ("COMMA", "RPAR"):
            hint = "write a value, or remove the comma"
            raise Mistake("E410", self._place(), f"a value is missing before {self._text()}", hint)
        hint = "write names, numbers and quoted texts, with commas between them"
        raise Mistake("E407", self._place(), f"{self._text()} is not a value", hint)

    def _bare_text(self) -> str:
        token = self._next()
        name = token.value
        if name.startswith(MARK):
            message = f"the fact has a null, {name}, which only rules make"
            raise Mistake("E420", token.span, message, "give the unknown a name that does not begin with _:")
        if name[0].isupper() or name[0] == "_":
            message = f"the fact has a variable, {name}"
            raise Mistake("E411", token.span, message, f'quote it if it is meant as a text: "{name}"')
        if name == "inf":
            hint = 'quote it if it is meant as a text: "inf"'
            raise Mistake("E419", token.span, "a value cannot be infinite", hint)
        return name

    def _time(self, predicate: str) -> FactRow:
        """The row, still without its arguments."""
        if self._type() != "AT":
            if predicate not in self.always or self._type() not in ("DOT", None):
                raise self._missing_time(predicate)
            return FactRow(self.line, predicate, (), -math.inf, math.inf, False, False)
        at = self._next()
        if self._type() in ("LSQB", "LPAR"):
            return self._interval(predicate)
        if self._type() in ("DOT", None):
            raise Mistake("E412", at.span, "the time is missing after @", _FORMS)
        place, time = self._place(), self._bound()
        if isinstance(time, float):
            hint = "write a number, or an interval such as @[0,inf)"
            raise Mistake("E413", place, "a fact cannot hold at infinity", hint)
        return FactRow(self.line, predicate, (), time, time, True, True)

    def _missing_time(self, predicate: str) -> Mistake:
        if self._type() == "RPAR":
            return Mistake("E408", self._place(), "this ) closes nothing", "remove it, or open it with (")
        if predicate in OPERATOR_WORDS and self._type() == "LSQB":
            hint = "write the atom alone, with its time: P(a,b)@3"
            return Mistake("E407", self.tokens[0].span, f"a fact has no operator such as {predicate}", hint)
        if self._type() in ("LSQB", "NUMBER", "MINUS") or self._text() == "at":
            hint = f"write @ before the time: {predicate}(…)@3"
            return Mistake("E412", self._place(), "the @ before the time is missing", hint)
        if self._type() in ("DOT", None):
            message = f"the fact does not say when {predicate} holds"
            hint = f"write {predicate}(…)@3 or {predicate}(…)@[1,2]; for ever is @(-inf,inf)"
            if self.time_is_last:
                hint = f"write {predicate}(3) or {predicate}@3; background needs no time"
            return Mistake("E412", self.tokens[0].span.to(self.tokens[self.index - 1].span), message, hint)
        if self._type() in ("NAME", "STRING") and self.index == 1:
            return Mistake("E408", self._place(), f"a ( is missing before {self._text()}", _FORMS)
        return Mistake("E407", self._place(), f"{self._text()} does not fit here", _FORMS)

    def _interval(self, predicate: str) -> FactRow:
        opening = self._next()
        start = end = self._bound()
        has_comma = self._type() == "COMMA"
        if has_comma:
            self.index += 1
            end = self._bound()
        if self._type() not in ("RSQB", "RPAR"):
            raise self._bad_interval(opening)
        closing = self._next()
        span = opening.span.to(closing.span)
        start_closed = opening == "[" and not isinstance(start, float)
        end_closed = closing == "]" and not isinstance(end, float)
        if not has_comma and not (start_closed and end_closed):
            hint = "write @3 or @[3] for one time point, @(3,5) for an interval"
            raise Mistake("E413", span, f"{span.text} is not an interval", hint)
        _refuse_empty(start, end, start_closed, end_closed, span)
        return FactRow(self.line, predicate, (), start, end, start_closed, end_closed)

    def _bad_interval(self, opening: Token) -> Mistake:
        if self._type() in ("DOT", None):
            return Mistake("E408", opening.span, f"this {opening} is never closed", "write ] or ) after the interval")
        hint = "write two numbers and a comma between brackets: [1,2.5)"
        return Mistake("E413", self._place(), f"the interval cannot be read at {self._text()}", hint)

    def _bound(self) -> Endpoint:
        sign = self.tokens[self.index] if self._type() in ("PLUS", "MINUS") else None
        number = self.index + (1 if sign else 0)
        if number < len(self.tokens) and self.tokens[number].value in ("inf", "∞"):
            self.index = number + 1
            return -math.inf if sign is not None and sign.type == "MINUS" else math.inf
        if self._type() == "NUMBER" or sign is not None:
            value = self._number("times")
            assert not isinstance(value, str)
            return value
        hint = "write a number or inf: @3, @[1,2.5), @(0,inf)"
        raise Mistake("E413", self._place(), f"{self._text()} is not a time", hint)

    def _number(self, where: str) -> Value:
        sign = self._next() if self._type() in ("PLUS", "MINUS") else None
        if self._type() != "NUMBER":
            message = f"a number is missing after {sign}"
            raise Mistake("E403", self._place(), message, "write digits, such as -4")
        token = self._next()
        value, unit = read_number(token.value)
        if unit is not None:
            hint = "write a plain number, counted in the program's unit"
            raise Mistake("E405", token.span, f"units are not allowed in {where} of a fact file", hint)
        return -value if sign is not None and sign.type == "MINUS" else value

    def _next(self) -> Token:
        self.index += 1
        return self.tokens[self.index - 1]

    def _type(self) -> str | None:
        return self.tokens[self.index].type if self.index < len(self.tokens) else None

    def _text(self) -> str:
        return self.tokens[self.index].value if self.index < len(self.tokens) else "the end of the line"

    def _place(self) -> Span:
        if self.index < len(self.tokens):
            return self.tokens[self.index].span
        last = self.tokens[-1]
        return Span(last.source, last.end, last.end)

    def _rest(self) -> Span:
        return self.tokens[self.index].span.to(self.tokens[-1].span)


def _refuse_empty(start: Endpoint, end: Endpoint, start_closed: bool, end_closed: bool, span: Span) -> None:
    if is_valid(start, end, start_closed, end_closed):
        return
    if start > end:
        message, hint = f"{span.text} ends before it starts", "write the smaller time first"
    elif isinstance(start, float):
        message, hint = f"{span.text} lies at infinity", "write a number for one of the ends"
    else:
        message, hint = f"{span.text} contains no time point", "close both brackets to mean one time point"
    raise Mistake("E414", span, message, hint)
