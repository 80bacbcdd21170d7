"""Tokens to statements.

A statement ends with a full stop, or with a line, unless a bracket is open or the line obviously goes on.
Finding the ends before parsing is also how reading goes on after a mistake: each statement stands alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from thalweg.errors import Diagnostic, did_you_mean
from thalweg.source import Source
from thalweg.syntax.braces import check_brace
from thalweg.syntax.lexer import tokenize
from thalweg.syntax.tokens import (
    ARITHMETIC,
    CLOSING,
    COMPARISONS,
    FORMULA_START,
    METRIC,
    OPENING,
    OPERATOR_WORDS,
    Token,
)
from thalweg.syntax.words import settle_words

_INFIX = ARITHMETIC | COMPARISONS | {"COMMA", "ARROW", "COLON", "AND", "OR", "IMPLIES", "SINCE", "UNTIL", "AT"}
GOES_ON_AFTER = _INFIX | METRIC | OPENING | {
    "NOT", "SOME", "ALL", "WINDOW", "AGGREGATE", "EXISTS", "PER", "INTERVAL_CLOSE", "RSQB"
}  # fmt: skip
"""What no statement ends with: the next line belongs to it."""

_GOES_ON_BEFORE = _INFIX | CLOSING | {"LSQB", "LBRACE", "INTERVAL_OPEN", "TIME_OPEN", "DOT", "PER"}

_PATIENCE = 20
"""How many lines that look complete an open bracket may swallow before it is taken for a forgotten one."""

_CLOSED_BY = {"LPAR": ("RPAR",), "LSQB": ("RSQB",), "LBRACE": ("RBRACE",)}


@dataclass
class StatementTokens:
    """The tokens of one statement, without its full stop.

    ``pairs`` maps opening brackets to closing ones, by index. A statement that is not ``readable`` has a
    mistake that has been reported; parsing it would only report it again.
    """

    tokens: list[Token] = field(default_factory=list)
    pairs: dict[int, int] = field(default_factory=dict)
    readable: bool = True


def split_statements(tokens: list[Token]) -> tuple[list[StatementTokens], list[Diagnostic]]:
    """The statements among the tokens, and what is wrong with their brackets."""
    statements = []
    found: list[Diagnostic] = []
    start = 0
    while start < len(tokens):
        taker = _StatementTaker(tokens, start, found)
        start = taker.take()
        statements.append(taker.statement)
    return [statement for statement in statements if statement.tokens], found


def is_unfinished(text: str) -> bool:
    """Whether somebody who typed so much of a statement is not done: a bracket is open, or the line goes on."""
    tokens, _ = tokenize(Source("text", text))
    settle_words(tokens)
    depth = sum((token.type in OPENING) - (token.type in CLOSING) for token in tokens)
    return depth > 0 or (bool(tokens) and tokens[-1].type in GOES_ON_AFTER)


@dataclass
class _StatementTaker:
    """Takes one statement off the tokens, from ``start``."""

    tokens: list[Token]
    start: int
    found: list[Diagnostic]

    def __post_init__(self) -> None:
        self.statement = StatementTokens()
        self._open: list[int] = []
        self._arrow: int | None = None
        self._line_start = self.start
        self._line_ends: list[tuple[int, int]] = []
        self._in_open_string = False

    def take(self) -> int:
        """Fill ``statement``; the index of the token after it."""
        for index in range(self.start, len(self.tokens)):
            token = self.tokens[index]
            if token.starts_line:
                self._line_start = index
            end = self._end_at_line(index)
            if end is None and token.type == "DOT":
                end = self._end_at_stop(index)
            elif end is None and token.type == "ARROW":
                end = self._end_at_arrow(index)
            if end is not None:
                return end
            self._look_at(index)
        return self._finish_unclosed(len(self.tokens)) if self._open else self._finish(len(self.tokens))

    def _look_at(self, index: int) -> None:
        token = self.tokens[index]
        if token.type == "LBRACE":
            self._check_brace(index)
        if token.type in OPENING:
            self._open.append(index)
        elif token.type in CLOSING:
            self._close(index)
        elif token.type == "ERROR":
            self.statement.readable = False
            self._in_open_string = self._in_open_string or token.startswith(("'", '"'))

    def _check_brace(self, index: int) -> None:
        before = self.tokens[index - 1] if index > self.start else None
        mistake = check_brace(before, self.tokens[index], self._innermost_brace() is not None)
        if mistake:
            self._add(mistake)

    def _innermost_brace(self) -> int | None:
        """The place among the open brackets of the last brace."""
        places = reversed(range(len(self._open)))
        return next((place for place in places if self.tokens[self._open[place]].type == "LBRACE"), None)

    def _close(self, index: int) -> None:
        token = self.tokens[index]
        if not self._open:
            self._report("E107", token, f"this {token} closes nothing", f"remove it, or open it with {_partner(token)}")
            return
        if token.type == "RBRACE" and self.statement.readable:
            self._drop_unclosed_inside_brace()
        opening = self._open.pop()
        opener = self.tokens[opening]
        is_match = token.type in _CLOSED_BY.get(opener.type, (token.type,))
        if not is_match and self.statement.readable:
            message = f"this {opener} is closed by {token}"
            self._report("E108", opener, message, self._mismatch_hint(opening, token))
        self.statement.pairs[opening - self.start] = index - self.start
        if not self._open:
            self._line_ends.clear()

    def _drop_unclosed_inside_brace(self) -> None:
        """A bracket that is open where the brace around it closes was forgotten."""
        brace = self._innermost_brace()
        if brace is not None and brace < len(self._open) - 1:
            self._report_unclosed(self._open[-1])
            del self._open[brace + 1 :]

    def _mismatch_hint(self, opening: int, closer: Token) -> str:
        """Only intervals mix brackets, so the word before them may be a misspelt operator."""
        before = self.tokens[opening - 1] if opening > self.start else None
        operator = (
            did_you_mean(before.value, sorted(OPERATOR_WORDS, reverse=True))
            if before and before.type == "NAME"
            else None
        )
        if operator:
            return operator
        return f"write {_partner(self.tokens[opening])} in place of the {closer} in column {closer.span.column}"

    def _end_at_line(self, index: int) -> int | None:
        """End before a new line, unless a bracket is open or one of the lines shows that it goes on."""
        token, before = self.tokens[index], self.tokens[index - 1]
        if index == self.start or not token.starts_line:
            return None
        if before.type in GOES_ON_AFTER or token.type in _GOES_ON_BEFORE:
            return None
        if not self._open or self._in_open_string:
            return self._finish(index)
        self._line_ends.append((index, self._open[-1]))
        return self._finish_unclosed(index) if len(self._line_ends) > _PATIENCE else None

    def _end_at_stop(self, index: int) -> int | None:
        stop = self.tokens[index]
        if self._open and self._is_inside_word(index):
            hint = "put a text that holds a full stop in quotes"
            self._report("E110", stop, "a full stop cannot stand inside brackets", hint)
            return None
        if self._open:
            return self._finish_unclosed(index, skip=1)
        if index == self.start:
            self._report("E110", stop, "nothing stands before this full stop", "remove it")
        return self._finish(index, skip=1)

    def _end_at_arrow(self, index: int) -> int | None:
        """An arrow inside brackets, or a second one, shows that an earlier statement was not finished."""
        if self._open:
            if self._line_ends:
                return self._finish_unclosed(index)
            self._report_arrow_inside(self._open[-1], index)
            self._open.clear()
        if self._arrow is None:
            self._arrow = index
            self._refuse_aggregates(self.tokens[self.start : index])
            return None
        head = self._line_start
        if head <= self._arrow or self.tokens[head].type not in FORMULA_START | {"EXISTS"}:
            return None
        self._report_run_on(self.tokens[head - 1])
        return self._finish(head)

    def _report_arrow_inside(self, opening: int, index: int) -> None:
        """Report a bracket that was not closed before the arrow; or the arrow, where a colon should be."""
        inside = self.tokens[opening:index]
        if inside[0].type != "LBRACE" or any(token.type == "COLON" for token in inside):
            self._report_unclosed(opening)
            return
        hint = "write : between the values and the condition of an aggregate"
        self._report("E140", self.tokens[index], "the aggregate has an arrow in place of its colon", hint)

    def _refuse_aggregates(self, head: list[Token]) -> None:
        for token in head:
            if token.type == "AGGREGATE":
                hint = "compute it in the body: Total(N) :- N = count { V : P(V) }"
                self._report("E144", token, "an aggregate cannot be derived", hint)

    def _report_run_on(self, before: Token) -> None:
        """Report a rule that goes on at the end of its line, though the next line begins another."""
        if before.type == "ARROW":
            self._report("E114", before, "the rule has no body", "write a condition after the arrow")
            return
        word = "comma" if before.type == "COMMA" else before
        message = f"the rule goes on after this {word}, but the next line begins a new rule"
        self._report("E115", before, message, f"remove the {word}, or write what follows it")

    def _is_inside_word(self, index: int) -> bool:
        return index + 1 < len(self.tokens) and self.tokens[index + 1].start == self.tokens[index].end

    def _finish(self, end: int, skip: int = 0) -> int:
        self.statement.tokens = self.tokens[self.start : end]
        return end + skip

    def _finish_unclosed(self, end: int, skip: int = 0) -> int:
        """End where the statement would have ended, had the bracket not been open."""
        if not self._line_ends:
            self._report_unclosed(self._open[-1])
            return self._finish(end, skip)
        line_end, opening = self._line_ends[0]
        self._report_unclosed(opening)
        return self._finish(line_end)

    def _report_unclosed(self, opening: int) -> None:
        opener = self.tokens[opening]
        self._report("E106", opener, f"this {opener} is never closed", f"write the missing {_partner(opener)}")

    def _report(self, code: str, token: Token, message: str, hint: str) -> None:
        self._add(Diagnostic(code, token.span, message, hint))

    def _add(self, mistake: Diagnostic) -> None:
        """Report a mistake, unless the statement has one that may be its cause."""
        if self.statement.readable:
            self.found.append(mistake)
        self.statement.readable = False


def _partner(bracket: Token) -> str:
    return {"(": ")", "[": "]", "{": "}", ")": "(", "]": "[", "}": "{"}[bracket]
