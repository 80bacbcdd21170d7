"""Query text to syntax tree."""

from __future__ import annotations

from thalweg.errors import Diagnostic
from thalweg.source import Source, Span
from thalweg.syntax.ast import QueryText
from thalweg.syntax.lexer import tokenize
from thalweg.syntax.mistake import Mistake
from thalweg.syntax.parser import parse_tokens
from thalweg.syntax.statements import StatementTokens, split_statements
from thalweg.syntax.tokens import Token
from thalweg.syntax.words import settle_words

_FORM = "exists X: window 5 all Warning(X)"


def parse_query(source: Source) -> tuple[QueryText | None, tuple[Diagnostic, ...]]:
    """The query in a text (LARS+ paper, Definition 3), or what is wrong with it."""
    tokens, found = tokenize(source)
    for token in tokens:
        token.starts_line = False  # a query may go on over lines as it likes
    settle_words(tokens)
    found += _not_a_query(tokens, source)
    if found:
        return None, tuple(found)
    statements, brackets = split_statements(tokens)
    found += brackets or _second_statement(statements)
    if found:
        return None, tuple(found)
    try:
        tree = parse_tokens(statements[0], "query")
    except Mistake as mistake:
        return None, (mistake.diagnostic,)
    assert isinstance(tree, QueryText)
    return tree, ()


def _not_a_query(tokens: list[Token], source: Source) -> list[Diagnostic]:
    if not tokens:
        return [Diagnostic("E180", Span(source, 0, 0), "the query is empty", f"write what must hold: {_FORM}")]
    arrow = next((token for token in tokens if token.type == "ARROW"), None)
    if arrow is None:
        return []
    hint = "write the conditions alone; to derive something, write a rule in the program"
    return [Diagnostic("E181", arrow.span, "a query has no arrow", hint)]


def _second_statement(statements: list[StatementTokens]) -> list[Diagnostic]:
    if len(statements) == 1:
        return []
    second = statements[1].tokens[0]
    hint = "write a comma between conditions, or ask one query after the other"
    return [Diagnostic("E182", second.span, "a second query begins here", hint)]
