"""The SQL part of a query, as sqlglot reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ErrorLevel, ParseError
from sqlglot.parser import Parser

from thalweg.source import Source, Span
from thalweg.syntax.cql.cursor import span_of_token
from thalweg.syntax.cql.stream_operators import StreamOperator, mark_operators
from thalweg.syntax.cql.windows import Window, cut_windows
from thalweg.syntax.mistake import Mistake

_CLAUSES = frozenset(
    {TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.R_PAREN, TokenType.COMMA}
)


@dataclass(frozen=True)
class Sql:
    """The tree of one query, and what was cut out of its text: windows and stream operators by their place."""

    tree: exp.Expr
    source: Source
    whole: Span
    windows: dict[int, Window]
    operators: dict[int, StreamOperator]

    def span(self, node: object) -> Span:
        """Where a node stands, as far as its names and constants tell; the whole query where it has none."""
        nodes = node.walk() if isinstance(node, exp.Expr) else ()
        places = [each.meta for each in nodes if "start" in each.meta]
        if not places:
            return self.whole
        start, end = min(place["start"] for place in places), max(place["end"] for place in places)
        return Span(self.source, start, end + 1)


def parse_query(source: Source, tokens: Sequence[Token]) -> Sql:
    """The query that some tokens make."""
    whole = span_of_token(source, tokens[0]).to(span_of_token(source, tokens[-1]))
    plain, windows = cut_windows(source, tokens)
    marked, operators = mark_operators(source, plain)
    _check_commas(source, marked)
    return Sql(_parse(source, marked, whole), source, whole, windows, operators)


def _parse(source: Source, tokens: list[Token], whole: Span) -> exp.Expr:
    # With all the text before an error as its context, the length of the context is the place of the error.
    parser = Parser(error_level=ErrorLevel.IMMEDIATE, error_message_context=len(source.text))
    try:
        trees = parser.parse(tokens, source.text)
    except ParseError as error:
        raise _explain(error, source, whole) from None
    tree = trees[0] if trees else None
    if not isinstance(tree, exp.Expr):
        raise Mistake("E150", whole, "this is not a query", "write SELECT … FROM …")
    return tree


def _explain(error: ParseError, source: Source, whole: Span) -> Mistake:
    """What sqlglot found, in words that do not need its classes."""
    found = error.errors[0] if error.errors else {}
    word, start = found.get("highlight") or "", len(found.get("start_context") or "")
    span = Span(source, start, start + len(word)) if word else whole
    description = str(found.get("description"))
    if "number of provided arguments" in description:
        return Mistake("E155", span, "the function has too many arguments", "give it one: SUM(x)")
    if "expressions.aggregate" in description:
        return Mistake("E155", span, "the function has no argument", "give it one: SUM(x)")
    if "Required keyword" in description or "Expected table name" in description:
        return Mistake("E150", span, f"something is missing at {word}", "write SELECT … FROM … WHERE …")
    if description.startswith("Expect"):
        expected = description.split(maxsplit=2)[1].rstrip(".")
        return Mistake("E150", span, f"{expected} is missing at {word}", "write SELECT … FROM … WHERE …")
    return Mistake("E150", span, f"{word} does not fit here", "write SELECT … FROM … WHERE …")


def _check_commas(source: Source, tokens: Sequence[Token]) -> None:
    """Refuse a comma with nothing after it, which sqlglot lets pass."""
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        is_written = token.token_type is TokenType.COMMA and source.text[token.start] == ","
        if is_written and (after is None or after.token_type in _CLAUSES):
            raise Mistake("E150", span_of_token(source, token), "nothing follows the comma", "remove it")
