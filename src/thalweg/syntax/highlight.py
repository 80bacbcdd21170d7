"""The text of a program or of facts in pieces, each with what it is: for colours in terminals, pages and editors.

The pieces are the tokens that the parser reads, so a new word of the language is known here without being named.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from thalweg.null import MARK
from thalweg.source import Source
from thalweg.syntax.lexer import tokenize
from thalweg.syntax.right_arrow import accept_right_arrows, declares_last_argument
from thalweg.syntax.statements import StatementTokens, split_statements
from thalweg.syntax.tokens import ARITHMETIC, ARROWS, COMPARISONS, DECLARATION_WORDS, METRIC, RESERVED_WORDS, Token
from thalweg.syntax.words import settle_declaration, settle_term_brackets, settle_words


class Kind(enum.StrEnum):
    """What a piece of text is."""

    SPACE = "space"
    COMMENT = "comment"
    KEYWORD = "keyword"
    DECLARATION = "declaration"
    TYPE = "type"
    OPERATOR = "operator"
    CONSTANT = "constant"
    SYMBOL = "symbol"
    PREDICATE = "predicate"
    VARIABLE = "variable"
    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    PUNCTUATION = "punctuation"
    ERROR = "error"


_KINDS = {
    **dict.fromkeys(METRIC, Kind.OPERATOR),
    **dict.fromkeys(ARITHMETIC | COMPARISONS | ARROWS | {"AT"}, Kind.SYMBOL),
    **dict.fromkeys(RESERVED_WORDS.values(), Kind.KEYWORD),
    **dict.fromkeys(DECLARATION_WORDS.values(), Kind.DECLARATION),
    **dict.fromkeys(("FROM", "TO", "WITH", "IN", "ARGUMENT"), Kind.DECLARATION),
    **dict.fromkeys(("LAST", "NEXT", "SLIDE", "TUPLES", "PER", "OF", "STREAM", "EXISTS"), Kind.KEYWORD),
    **dict.fromkeys(("WINDOW", "SOME", "ALL", "AGGREGATE"), Kind.OPERATOR),
    **dict.fromkeys(("TOP", "BOTTOM", "INF"), Kind.CONSTANT),
    "NUMBER": Kind.NUMBER,
    "STRING": Kind.STRING,
    "ERROR": Kind.ERROR,
}
"""By the type of a token; what is not here is a name or punctuation."""

_COMMENT = re.compile(r"(?:%|#|//)[^\n]*")
_TERM_SIGNS = ARITHMETIC | COMPARISONS | {"AT"}


def pieces(text: str) -> Iterator[tuple[Kind, str]]:
    """The pieces of a text, which together are the text; whatever it is, half typed, too."""
    end = 0
    for token, kind in marked_tokens(Source("text", text)):
        yield from _between(text[end : token.start])
        yield kind, token.value
        end = token.end
    yield from _between(text[end:])


def marked_tokens(source: Source) -> list[tuple[Token, Kind]]:
    """The tokens of a source with their kinds, in the order of the text."""
    tokens, found = tokenize(source)
    settle_words(tokens)
    if declares_last_argument(tokens):
        accept_right_arrows(tokens, found)
    kinds: dict[int, Kind] = {}
    for statement in split_statements(tokens)[0]:
        settle_declaration(statement.tokens)
        if statement.readable:
            settle_term_brackets(statement.tokens, statement.pairs)
        kinds |= _names(statement)
    kinds |= _nulls(tokens)
    return [(token, kinds.get(token.start) or _KINDS.get(token.type) or Kind.PUNCTUATION) for token in tokens]


def _nulls(tokens: Sequence[Token]) -> dict[int, Kind]:
    """The parts of ``_:I.5``: nulls cannot be written in rules, but answers have them."""
    found: dict[int, Kind] = {}
    for before, token in pairwise(tokens):
        if before.value.startswith(MARK) and token.type == "ERROR" and token.start == before.end:
            found |= {before.start: Kind.NAME, token.start: Kind.NAME}
    return found


def _between(text: str) -> Iterator[tuple[Kind, str]]:
    """Blanks and comments."""
    end = 0
    for match in _COMMENT.finditer(text):
        if match.start() > end:
            yield Kind.SPACE, text[end : match.start()]
        yield Kind.COMMENT, match[0]
        end = match.end()
    if end < len(text):
        yield Kind.SPACE, text[end:]


def _names(statement: StatementTokens) -> dict[int, Kind]:
    """What the names of a statement are, by their offsets."""
    tokens = statement.tokens
    if tokens[0].type in DECLARATION_WORDS.values():
        return _declared_names(tokens)
    inside = _term_places(statement)
    around = zip([None, *tokens[:-1]], tokens, [*tokens[1:], None], strict=True)
    return {
        token.start: _name_kind(token, before, after, index in inside)
        for index, (before, token, after) in enumerate(around)
        if token.type == "NAME"
    }


def _term_places(statement: StatementTokens) -> set[int]:
    """The indices of tokens where terms stand: in atoms, in brackets of terms, and before the colons of others."""
    tokens = statement.tokens
    places: set[int] = set()
    for opening, closing in statement.pairs.items():
        around = tokens[max(opening - 1, 0) : opening + 1]  # nothing, where a bracket was not closed in time
        if any(token.type == "TERM_OPEN" for token in around[-1:]) or [t.type for t in around] == ["NAME", "LPAR"]:
            places.update(range(opening, closing))
    for index, token in enumerate(tokens):
        if token.type in ("EXISTS", "LBRACE"):
            colons = (later for later in range(index, len(tokens)) if tokens[later].type == "COLON")
            places.update(range(index, next(colons, index)))
    return places


def _name_kind(token: Token, before: Token | None, after: Token | None, is_argument: bool) -> Kind:
    beside = {each.type for each in (before, after) if each is not None}
    if after is not None and after.type == "LPAR":
        return Kind.PREDICATE
    is_beside_sign = bool(beside & _TERM_SIGNS) and not (after is not None and after.type == "AT")
    if not (is_argument or is_beside_sign):
        return Kind.PREDICATE
    return Kind.VARIABLE if token.value[0].isupper() or token.value[0] == "_" else Kind.NAME


def _declared_names(tokens: Sequence[Token]) -> dict[int, Kind]:
    """In a declaration: predicates before brackets, types after colons, words of the timeline."""
    first = tokens[0].type
    kinds: dict[int, Kind] = {}
    for before, token in pairwise(tokens):
        if token.type != "NAME":
            continue
        if before.type == "COLON" or first == "TIMELINE":
            kinds[token.start] = Kind.TYPE
        elif before is tokens[0] and first in ("ROLE", "DELAY", "PROBABILITY"):
            kinds[token.start] = Kind.PREDICATE
        elif first in ("UNIT", "TICK"):
            kinds[token.start] = Kind.NUMBER
        else:
            kinds[token.start] = Kind.VARIABLE if token.value[0].isupper() and first != "CONST" else Kind.NAME
    return kinds
