"""Reading tokens one after another, for the parts of CQL that are not SQL."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import Token, TokenType

from thalweg.source import Source, Span
from thalweg.syntax.mistake import Mistake

_WORD = re.compile(r"[^\W\d]\w*")


class Cursor:
    """A place in a sequence of tokens that is not empty."""

    def __init__(self, source: Source, tokens: Sequence[Token]) -> None:
        self._source = source
        self._tokens = tokens
        self._index = 0

    @property
    def at_end(self) -> bool:
        """Whether all tokens are read."""
        return self._index >= len(self._tokens)

    @property
    def span(self) -> Span:
        """Where the next token stands, or the last one at the end."""
        return span_of_token(self._source, self._tokens[min(self._index, len(self._tokens) - 1)])

    @property
    def whole(self) -> Span:
        """Where all the tokens stand."""
        first, last = self._tokens[0], self._tokens[-1]
        return span_of_token(self._source, first).to(span_of_token(self._source, last))

    @property
    def word(self) -> str:
        """The next token in upper case; empty at the end, and for what stands in quotes."""
        if self.at_end or self._tokens[self._index].token_type in (TokenType.STRING, TokenType.IDENTIFIER):
            return ""
        return self._tokens[self._index].text.upper()

    @property
    def rest(self) -> list[Token]:
        """The tokens not read yet."""
        return list(self._tokens[self._index :])

    def skip(self, word: str) -> bool:
        """Read the next token if it is this word or symbol."""
        found = self.word == word
        self._index += found
        return found

    def expect(self, word: str, code: str, message: str, hint: str) -> None:
        """Read this word or symbol."""
        if not self.skip(word):
            raise Mistake(code, self.span, message, hint)

    def take(self) -> Token:
        """Read the next token; there must be one."""
        token = self._tokens[self._index]
        self._index += 1
        return token

    def name(self, code: str, message: str, hint: str) -> tuple[str, Span]:
        """Read a name."""
        span = self.span
        if self.at_end or not is_name(self._tokens[self._index]):
            raise Mistake(code, span, message, hint)
        return self.take().text, span


def is_name(token: Token) -> bool:
    """Whether a token can name something: a word, or anything in double quotes."""
    if token.token_type in (TokenType.STRING, TokenType.NUMBER):
        return False
    return token.token_type is TokenType.IDENTIFIER or bool(_WORD.fullmatch(token.text))


def span_of_token(source: Source, token: Token) -> Span:
    """Where a token stands."""
    return Span(source, token.start, token.end + 1)
