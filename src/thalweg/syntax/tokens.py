"""Tokens, and the words and symbols they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import lark

from thalweg.source import Source, Span


class Token(lark.Token):
    """A piece of text that knows where it came from: [start, end) of a source.

    ``type`` is the name of a terminal in ``grammar.lark``. A few types depend on what stands around the
    token, so it changes once: see :mod:`thalweg.syntax.words`.
    """

    __slots__ = ("end", "source", "start", "starts_line")

    source: Source
    start: int
    end: int
    starts_line: bool
    value: str

    @property
    def span(self) -> Span:
        """Where the token stands."""
        return Span(self.source, self.start, self.end)


def make_token(source: Source, kind: str, start: int, end: int, starts_line: bool = False) -> Token:
    """The token of a type that covers [start, end)."""
    text = source.text[start:end]
    # Going past lark's own constructor, which counts lines and columns, makes reading twice as fast.
    token = str.__new__(Token, text)
    token.type = kind
    token.value = text
    token.source = source
    token.start = start
    token.end = end
    token.starts_line = starts_line
    return token


SYMBOLS: Mapping[str, str] = MappingProxyType(
    {
        "(": "LPAR",
        ")": "RPAR",
        "[": "LSQB",
        "]": "RSQB",
        "{": "LBRACE",
        "}": "RBRACE",
        ",": "COMMA",
        ".": "DOT",
        ":": "COLON",
        ":-": "ARROW",
        "←": "ARROW",
        "@": "AT",
        "⊟": "BOXMINUS",
        "□⁻": "BOXMINUS",
        "[-]": "BOXMINUS",
        "⊞": "BOXPLUS",
        "□⁺": "BOXPLUS",
        "[+]": "BOXPLUS",
        "◇⁻": "DIAMONDMINUS",
        "<->": "DIAMONDMINUS",
        "◇⁺": "DIAMONDPLUS",
        "<+>": "DIAMONDPLUS",
        "𝒮": "SINCE",
        "𝒰": "UNTIL",
        "□": "ALL",
        "◇": "SOME",
        "⊡": "WINDOW",
        "⊤": "TOP",
        "⊥": "BOTTOM",
        "∃": "EXISTS",
        "∞": "INF",
        "¬": "NOT",
        "∧": "AND",
        "∨": "OR",
        "→": "IMPLIES",
        "=": "EQUALS",
        "==": "COMPARE",
        "!=": "COMPARE",
        "<>": "COMPARE",
        "≠": "COMPARE",
        "<": "COMPARE",
        "<=": "COMPARE",
        "=<": "COMPARE",
        "≤": "COMPARE",
        ">": "COMPARE",
        ">=": "COMPARE",
        "≥": "COMPARE",
        "+": "PLUS",
        "-": "MINUS",
        "−": "MINUS",
        "*": "TIMES",
        "×": "TIMES",
        "/": "DIVIDE",
        "÷": "DIVIDE",
    }
)

OPERATOR_WORDS: Mapping[str, str] = MappingProxyType(
    {
        spelling: kind
        for word, kind in {
            "box": "BOXMINUS",
            "boxminus": "BOXMINUS",
            "boxplus": "BOXPLUS",
            "diamond": "DIAMONDMINUS",
            "diamondminus": "DIAMONDMINUS",
            "diamondplus": "DIAMONDPLUS",
            "since": "SINCE",
            "until": "UNTIL",
        }.items()
        for spelling in (word, word.capitalize())
    }
)
"""Words that are operators when an interval follows, and names otherwise."""

RESERVED_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "not": "NOT",
        "and": "AND",
        "or": "OR",
        "implies": "IMPLIES",
        "some": "SOME",
        "all": "ALL",
        "top": "TOP",
        "Top": "TOP",
        "bottom": "BOTTOM",
        "Bottom": "BOTTOM",
        "inf": "INF",
    }
)
"""Words that cannot name a predicate, or a text outside an atom's arguments."""

WINDOW_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "last": "LAST",
        "next": "NEXT",
        "slide": "SLIDE",
        "tuples": "TUPLES",
        "tuple": "TUPLES",
        "per": "PER",
        "of": "OF",
        "stream": "STREAM",
        "inf": "INF",
    }
)
"""Words inside the brackets of a window."""

AGGREGATE_WORDS = frozenset({"count", "sum", "min", "max", "avg"})
"""Words that are aggregates when a brace follows, and names otherwise."""

DECLARATION_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "input": "ROLE",
        "background": "ROLE",
        "output": "ROLE",
        "predicate": "ROLE",
        "timeline": "TIMELINE",
        "unit": "UNIT",
        "tick": "TICK",
        "delay": "DELAY",
        "probability": "PROBABILITY",
        "time": "TIME",
        "const": "CONST",
    }
)
"""Words that begin a declaration when a name or number follows, and are names otherwise."""

PREFIX_METRIC = frozenset({"BOXMINUS", "BOXPLUS", "DIAMONDMINUS", "DIAMONDPLUS"})
METRIC = PREFIX_METRIC | {"SINCE", "UNTIL"}
"""The operators that need an interval."""

ARROWS = frozenset({"ARROW", "RIGHT_ARROW"})
"""Between head and body, and between body and head."""

COMPARISONS = frozenset({"COMPARE", "EQUALS"})
ARITHMETIC = frozenset({"PLUS", "MINUS", "TIMES", "DIVIDE"})
OPENING = frozenset({"LPAR", "TERM_OPEN", "LSQB", "LBRACE", "INTERVAL_OPEN", "TIME_OPEN"})
CLOSING = frozenset({"RPAR", "RSQB", "RBRACE", "INTERVAL_CLOSE", "TIME_CLOSE"})

FORMULA_START = PREFIX_METRIC | {
    "NAME", "TOP", "BOTTOM", "NOT", "SOME", "ALL", "WINDOW", "LPAR", "TERM_OPEN", "NUMBER", "STRING", "MINUS",
    "AGGREGATE"
}  # fmt: skip
FORMULA_END = frozenset({"NAME", "TOP", "BOTTOM", "RPAR", "RBRACE", "NUMBER", "STRING"})
