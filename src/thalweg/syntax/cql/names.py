"""Names of SQL as names of the rule language."""

from __future__ import annotations

import re

from thalweg.source import Span
from thalweg.syntax.lexer import NAME_PATTERN
from thalweg.syntax.mistake import Mistake
from thalweg.syntax.tokens import RESERVED_WORDS

ROWTIME = "rowtime"
"""The pseudo-column of a stream or query: the time of the tuple."""

_NAME = re.compile(NAME_PATTERN)


def check_name(name: str, span: Span) -> str:
    """The name itself, if a predicate or parameter may be called that."""
    if name in RESERVED_WORDS:
        raise Mistake("E160", span, f"{name} is a word of the rule language", "choose another name")
    if name == "_" or ":" in name or not _NAME.fullmatch(name):
        hint = "choose a name of letters, digits and _"
        raise Mistake("E160", span, f'"{name}" is not a name in the rule language', hint)
    return name


def fold(name: str) -> str:
    """A name as it is compared: SQL does not tell upper from lower case."""
    return name.casefold()


def variable_name(name: str) -> str:
    """The variable for a column: ``id`` becomes ``ID``."""
    upper = name.upper()
    return upper if upper[0].isupper() or upper[0] == "_" else f"V_{upper}"
