"""CQL text to the tokens of its statements."""

from __future__ import annotations

import re

from sqlglot import Token, Tokenizer, TokenType
from sqlglot.errors import TokenError

from thalweg.source import Source, Span
from thalweg.syntax.mistake import Mistake

_PIECES = re.compile(r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?P<open>/\*|['"])|.""", re.DOTALL)


def split_statements(source: Source) -> list[list[Token]]:
    """The tokens of each statement, without the semicolons between them."""
    statements: list[list[Token]] = [[]]
    for token in _tokenize(source):
        if token.token_type is TokenType.SEMICOLON:
            statements.append([])
        else:
            statements[-1].append(token)
    return [tokens for tokens in statements if tokens]


def _tokenize(source: Source) -> list[Token]:
    try:
        # A byte order mark is no character of the query; a space keeps the places of the others.
        return Tokenizer().tokenize(re.sub(r"\A\ufeff", " ", source.text))
    except TokenError:
        raise _unclosed(source) from None


def _unclosed(source: Source) -> Mistake:
    start = next((piece.start() for piece in _PIECES.finditer(source.text) if piece["open"]), 0)
    end = source.text.find("\n", start)
    span = Span(source, start, len(source.text) if end < 0 else end)
    return Mistake("E150", span, "the quote or comment is not closed", "close it with ', \" or */")
