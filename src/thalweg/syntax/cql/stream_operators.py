"""``RSTREAM``, ``ISTREAM`` and ``DSTREAM``: relation-to-stream operators of CQL.

They are no SQL. Before SQL is parsed, each becomes a mark at the head of the select list it belongs to: a text
whose offset says that it is a mark. Both ways to write them come down to that:

    ISTREAM(SELECT a, b FROM s)    →    (SELECT 'ISTREAM', a, b FROM s)
    SELECT ISTREAM(a, b) FROM s    →    SELECT 'ISTREAM', a, b FROM s
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from sqlglot import Token, TokenType

from thalweg.source import Source
from thalweg.syntax.cql.cursor import span_of_token
from thalweg.syntax.mistake import Mistake


class StreamOperator(enum.Enum):
    """How a relation becomes a stream."""

    RSTREAM = "RSTREAM"
    ISTREAM = "ISTREAM"
    DSTREAM = "DSTREAM"


WORDS = frozenset(operator.value for operator in StreamOperator)


def mark_operators(source: Source, tokens: Sequence[Token]) -> tuple[list[Token], dict[int, StreamOperator]]:
    """The tokens with marks instead of operators, and the operators by the offset of their mark."""
    marker = _Marker(source, tokens)
    marker.run()
    return marker.marked, marker.operators


class _Marker:
    def __init__(self, source: Source, tokens: Sequence[Token]) -> None:
        self._source = source
        self._tokens = tokens
        self._dropped: set[int] = set()
        self._waiting: list[Token] = []
        self.marked: list[Token] = []
        self.operators: dict[int, StreamOperator] = {}

    def run(self) -> None:
        for index, token in enumerate(self._tokens):
            if index in self._dropped:
                continue
            if _is_operator(token) and self._opens_query(index + 1):
                self._waiting.append(token)
                continue
            self.marked.append(token)
            if token.token_type is TokenType.SELECT:
                self._mark_select(index + 1)

    def _mark_select(self, index: int) -> None:
        """Put the marks of a select list before it, after DISTINCT."""
        operators, self._waiting = self._waiting, []
        while index < len(self._tokens):
            token = self._tokens[index]
            if token.token_type is TokenType.DISTINCT:
                self.marked.append(token)
            elif _is_operator(token):
                operators.append(token)
                self._drop_parentheses(index)
            else:
                break
            self._dropped.add(index)
            index += 1
        if len(operators) > 1:
            span = span_of_token(self._source, operators[1])
            raise Mistake("E167", span, "the query has two of these operators", "keep one of the two")
        for operator in operators:
            self._add_mark(operator)

    def _drop_parentheses(self, index: int) -> None:
        """Open the parentheses of ``SELECT ISTREAM(a, b) FROM``."""
        if self._kind(index + 1) is not TokenType.L_PAREN:
            return
        closing = _closing(self._tokens, index + 1)
        if self._kind(closing + 1) is not TokenType.FROM:
            operator = self._tokens[index]
            message = f"{operator.text} does not take the whole select list"
            hint = f"write SELECT {operator.text.upper()}(a, b) FROM … or {operator.text.upper()}(SELECT a, b FROM …)"
            raise Mistake("E167", span_of_token(self._source, operator), message, hint)
        self._dropped |= {index + 1, closing}

    def _add_mark(self, operator: Token) -> None:
        place = (operator.line, operator.col, operator.start, operator.end)
        self.marked += [
            Token(TokenType.STRING, operator.text, *place),
            Token(TokenType.COMMA, ",", *place),
        ]
        self.operators[operator.start] = StreamOperator(operator.text.upper())

    def _opens_query(self, index: int) -> bool:
        return self._kind(index) is TokenType.L_PAREN and self._kind(index + 1) is TokenType.SELECT

    def _kind(self, index: int) -> TokenType | None:
        return self._tokens[index].token_type if index < len(self._tokens) else None


def _is_operator(token: Token) -> bool:
    return token.token_type is TokenType.VAR and token.text.upper() in WORDS


def _closing(tokens: Sequence[Token], opening: int) -> int:
    """Where the parenthesis is closed; the end if it is not, which the parser reports."""
    depth = 0
    for index in range(opening, len(tokens)):
        kind = tokens[index].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth == 0:
            return index
    return len(tokens)
