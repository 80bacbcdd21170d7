"""Text to tokens.

A mistake becomes a diagnostic and a token of type ``ERROR``, so that the statement it stands in can be
set aside and the rest of the text read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from thalweg.errors import Diagnostic
from thalweg.source import Source, Span
from thalweg.syntax.literals import check_number, check_string
from thalweg.syntax.tokens import AGGREGATE_WORDS, ARITHMETIC, SYMBOLS, Token, make_token
from thalweg.time.units import UNITS

_WRONG_SYMBOLS = {
    ";": "write , between conjuncts, or (A or B) for a disjunction",
    "=>": "write >= for a comparison, :- for a rule, or implies",
    "->": "write :- for a rule, or implies",
    "-:": "write :-",
    ":=": "write =",
    "&&": "write , or and",
    "&": "write , or and",
    "||": "write or between formulas in parentheses; MeTeoR's || before negated literals is: , not",
    "|": "write or",
    "\\+": "write not",
    "!": "write not",
    "~": "write not",
    "?": "a variable is a name that begins with an upper-case letter: X",
    "$": "a variable is a name that begins with an upper-case letter: X",
    "^": "write a product: X * X",
    "**": "write a product: X * X",
    "⊕": "write + between values",
}
"""Symbols of other languages, and what to write instead."""

# The letters 𝒮 and 𝒰 are operators, so no name holds them: A𝒮[0,1]B has three parts before the interval.
NAME_PATTERN = r"[^\W\d𝒮𝒰][^\W𝒮𝒰]*(?::[^\W\d𝒮𝒰][^\W𝒮𝒰]*)?"
NUMBER_PATTERN = r"[0-9]++(?:\.[0-9]++|/[0-9]++)?"
STRING_PATTERN = r'"(?:[^"\\\n]|\\[^\n])*+"'

_VALUE_END = frozenset({"NAME", "NUMBER", "STRING", "RPAR"})
_VALUE_PARTS = _VALUE_END | ARITHMETIC | {"COMMA", "LPAR"}
"""What may stand between the brace and the colon of an aggregate."""

_UNIT_PATTERN = "|".join(sorted(UNITS, key=len, reverse=True))
_LONGEST_FIRST = sorted([*SYMBOLS, *_WRONG_SYMBOLS], key=len, reverse=True)
_PIECES = re.compile(
    rf"""
      (?P<NEWLINE> \n)
    | (?P<SPACE>   [^\S\n]+ | (?:%|\#|//)[^\n]* | \A\ufeff)
    | (?P<NAME>    {NAME_PATTERN})
    | (?P<NUMBER>  {NUMBER_PATTERN}(?:{_UNIT_PATTERN})?(?!\w|\.[0-9]))
    | (?P<ODD_NUMBER> \.?[0-9](?:[eE][+-](?=[0-9])|\w|\.(?=[0-9]))*)
    | (?P<STRING>  {STRING_PATTERN})
    | (?P<OPEN_STRING> "[^\n]*)
    | (?P<SINGLE_QUOTED> '[^'\n]*'?)
    | (?P<SYMBOL>  {"|".join(map(re.escape, _LONGEST_FIRST))})
    | (?P<STRAY>   .)
    """,
    re.VERBOSE | re.DOTALL,
)


def tokenize(source: Source, start: int = 0, end: int | None = None) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens of a source, or of a stretch of it, and what is wrong with their spelling."""
    lexer = _Lexer(source)
    stop = len(source.text) if end is None else end
    while start < stop:
        match = _PIECES.match(source.text, start, stop)
        assert match is not None
        start = lexer.take(match.lastgroup or "STRAY", start, match.end())
    return lexer.tokens, lexer.found


@dataclass
class _Lexer:
    source: Source

    def __post_init__(self) -> None:
        self.tokens: list[Token] = []
        self.found: list[Diagnostic] = []
        self._at_line_start = True
        self._names_variables = False
        self._in_elements = False

    def take(self, piece: str, start: int, end: int) -> int:
        """Turn a piece of text into a token, unless it is blank; the offset to go on from."""
        if piece == "SPACE":
            return end
        if piece == "NEWLINE":
            self._at_line_start = True
            return end
        if piece in ("NAME", "NUMBER"):
            end = self._shortened(piece, start, end)
        kind = piece if piece == "NAME" else self._checked(piece, start, end)
        self._in_elements = self._stays_in_elements(kind)
        self.tokens.append(make_token(self.source, kind, start, end, self._at_line_start))
        self._at_line_start = False
        return end

    def _shortened(self, piece: str, start: int, end: int) -> int:
        """Where a token ends that only looks longer.

        Such are ``3/2`` in ``X/3/2``, ``Y:A`` in ``exists Y:A(Y)`` and in ``count{Y:A(Y)}``.
        """
        before = self.tokens[-1] if self.tokens else None
        if before is None:
            return end
        if piece == "NUMBER":
            slash = self.source.text.find("/", start, end) if before.type == "DIVIDE" else -1
            return end if slash < 0 else slash
        self._names_variables = before.value in ("exists", "∃") or (
            self._names_variables and before.type in ("NAME", "COMMA")
        )
        ends_at_colon = self._names_variables or self._is_element(before, start)
        colon = self.source.text.find(":", start, end) if ends_at_colon else -1
        return end if colon < 0 else colon

    def _is_element(self, before: Token, start: int) -> bool:
        """Whether a name is a variable before the colon of an aggregate; ``a1:b`` is a text there."""
        first = self.source.text[start]
        return self._in_elements and before.type not in _VALUE_END and (first.isupper() or first == "_")

    def _stays_in_elements(self, kind: str) -> bool:
        """Whether the text after a token, about to be added, stands before the colon of an aggregate."""
        before = self.tokens[-1] if self.tokens else None
        if kind == "LBRACE":
            return before is not None and before.value in AGGREGATE_WORDS
        begins_arguments = kind == "LPAR" and before is not None and before.type == "NAME"
        return self._in_elements and kind in _VALUE_PARTS and not begins_arguments

    def _checked(self, piece: str, start: int, end: int) -> str:
        """The type of a token; ``ERROR``, and a diagnostic, if something is wrong with it."""
        if piece == "SYMBOL":
            text = self.source.text[start:end]
            if text in SYMBOLS and not (text == "." and self._inside_number(start, end)):
                return SYMBOLS[text]
        problem = self._problem(piece, Span(self.source, start, end))
        if problem is None:
            return "STRING" if piece == "STRING" else "NUMBER"
        self.found.append(problem)
        return "ERROR"

    def _problem(self, piece: str, span: Span) -> Diagnostic | None:
        if piece in ("NUMBER", "ODD_NUMBER"):
            return check_number(span)
        if piece == "STRING":
            return check_string(span)
        if span.text == ".":
            number = self.tokens[-1]
            place = number.span.to(span)
            hint = f"write {number} or {number}.0; a full stop that ends a statement is followed by a space"
            return Diagnostic("E103", place, f"{place.text} is not a number", hint)
        return _stray(piece, span)

    def _inside_number(self, start: int, end: int) -> bool:
        """Whether a full stop follows a number and does not end the statement (``[0,5.]``)."""
        before = self.tokens[-1] if self.tokens else None
        if before is None or before.type != "NUMBER" or before.end != start or not before.value[-1].isdigit():
            return False
        rest = self.source.text[end : end + 2]
        return bool(rest) and not rest[0].isspace() and rest[0] not in "%#" and rest != "//"


def _stray(piece: str, span: Span) -> Diagnostic:
    text = span.text
    if text in _WRONG_SYMBOLS:
        code = "E112" if text == ";" else "E101"
        return Diagnostic(code, span, f"{text} does not belong to the language", _WRONG_SYMBOLS[text])
    if piece == "OPEN_STRING":
        return Diagnostic("E102", span, "the string is not closed", 'write a second " on the same line')
    if piece == "SINGLE_QUOTED":
        message, hint = "a text stands in double quotes", f'write "{text.strip(chr(39))}"'
        return Diagnostic("E101", span, message, hint)
    name = text if text.isprintable() else f"the character U+{ord(text):04X}"
    return Diagnostic("E101", span, f"{name} does not belong to the language", "remove it, or put it in quotes")
