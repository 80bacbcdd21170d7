"""Program text to syntax tree.

The text goes through four steps: tokens, words, statements, trees. A mistake is reported where it is found
and costs only the statement it stands in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

from thalweg.errors import Diagnostic
from thalweg.source import Source
from thalweg.syntax.ast import ProgramText, QueryText, Statement
from thalweg.syntax.diagnose import Stuck, explain
from thalweg.syntax.lexer import tokenize
from thalweg.syntax.mistake import Mistake
from thalweg.syntax.right_arrow import accept_right_arrows, declares_last_argument, settle_right_arrow
from thalweg.syntax.statements import StatementTokens, split_statements
from thalweg.syntax.tables import run_parser
from thalweg.syntax.tokens import ARROWS, DECLARATION_WORDS, Token
from thalweg.syntax.words import settle_declaration, settle_term_brackets, settle_words

MAX_DEPTH = 150
"""How deeply a statement may be nested, so that every pass may walk it by recursion."""


def parse_program(source: Source) -> tuple[ProgramText, tuple[Diagnostic, ...]]:
    """The statements that can be read, and a diagnostic for each mistake in the others."""
    tokens, found = tokenize(source)
    settle_words(tokens)
    has_right_arrows = declares_last_argument(tokens)
    if has_right_arrows:
        found = accept_right_arrows(tokens, found)
    statement_tokens, bracket_mistakes = split_statements(tokens)
    found += bracket_mistakes
    statements = []
    for each in statement_tokens:
        if each.readable:
            if has_right_arrows:
                settle_right_arrow(each)
            try:
                statements.append(_parse_statement(each))
            except Mistake as mistake:
                found.append(mistake.diagnostic)
    found.sort(key=lambda diagnostic: diagnostic.span.start if diagnostic.span else 0)
    return ProgramText(tuple(statements), source), tuple(found)


def _parse_statement(statement: StatementTokens) -> Statement:
    settle_declaration(statement.tokens)
    tree = parse_tokens(statement, _start_rule(statement.tokens))
    assert not isinstance(tree, QueryText)
    return tree


def parse_tokens(statement: StatementTokens, start: str) -> Statement | QueryText:
    """The tree of a rule of the grammar: rule, fact, declaration or query. Raises :class:`Mistake`."""
    tokens = statement.tokens
    settle_term_brackets(tokens, statement.pairs)
    tree = run_parser(tokens, start)
    if isinstance(tree, Stuck):
        raise explain(tree)
    if len(tokens) > MAX_DEPTH and _is_deeper(tree, MAX_DEPTH):
        hint = "split it into several rules, with a predicate for each part"
        raise Mistake("E136", tokens[0].span, "the statement is nested too deeply", hint)
    return tree


def _start_rule(tokens: Sequence[Token]) -> str:
    if tokens[0].type in DECLARATION_WORDS.values():
        return "declaration"
    return "rule" if any(token.type in ARROWS for token in tokens) else "fact"


def _is_deeper(tree: Statement | QueryText, limit: int) -> bool:
    """Whether a tree has more levels than the limit; itself without recursion."""
    level: list[object] = [tree]
    for _ in range(limit):
        level = [child for node in level for child in _children(node)]
        if not level:
            return False
    return True


def _children(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        yield from node
    elif is_dataclass(node) and not isinstance(node, type):
        yield from (getattr(node, each.name) for each in fields(node) if each.name != "span")
