"""Texts to read: those that the repository holds, and what becomes of them when they are spoilt."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from thalweg.syntax.tokens import AGGREGATE_WORDS, DECLARATION_WORDS, OPERATOR_WORDS, RESERVED_WORDS, SYMBOLS

ROOT = Path(__file__).resolve().parents[2]

TABLES = """\
[Speed]
format = "parquet"
path = "data/speeds"
time = ["from", "to"]
columns = ["vehicle", "speed"]
stream = false
options = { "mergeSchema" = true, maxFilesPerTrigger = 3 }

[Near]
format = "kafka"
options.kafka.bootstrap.servers = "localhost:9092"
"""

_SUFFIXES = {"rules": ("*.rules",), "facts": ("*.facts",), "json": ("*.json",), "cql": ("*.cql",)}


@cache
def seeds(reader: str) -> tuple[str, ...]:
    """Good and bad texts of a kind: golden cases, examples and documents; each once, short ones first."""
    if reader == "tables":
        return (TABLES, *TABLES.split("\n\n"))
    if reader == "question":
        bodies = (rule.partition(":-")[2].strip(" .") for text in seeds("rules") for rule in text.splitlines())
        return tuple(dict.fromkeys(body for body in bodies if body))
    if reader == "editor":
        return (*seeds("rules"), *seeds("facts"))
    folders = [ROOT / "tests" / "golden", ROOT / "examples", ROOT / "tests" / "cql", ROOT / "src"]
    paths = [path for folder in folders for suffix in _SUFFIXES[reader] for path in sorted(folder.rglob(suffix))]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    if reader == "rules":
        texts += _shown_rules()
    return tuple(sorted(dict.fromkeys(text for text in texts if text and len(text) < 4000), key=len))


def _shown_rules() -> list[str]:
    """The blocks of the documents that hold rules."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    blocks = (block for page in pages for block in re.findall(r"```\w*\n(.*?)```", page.read_text("utf-8"), re.DOTALL))
    return [block for block in blocks if ":-" in block]


PIECES = (
    *SYMBOLS, *OPERATOR_WORDS, *RESERVED_WORDS, *DECLARATION_WORDS, *AGGREGATE_WORDS, "exists ", "at ", "window ",
    "P", "X", "_", "a1:b", "1", "2.5", "3/2", "5s", "1e5", '"t"', '"', "'", ";", "%", " ", "\n", "[0,1]", "[0,inf)",
    "P(X)", "P(X) :- ", "@3", "@[1,2)", "integer ", "from ", "count { X : ", "1/0", "\\", "\t", "\r\n", "//", "#",
)  # fmt: skip

ODD = (
    "\0", "\ufeff", "\u200b", "\u202e", "\u0301", "é", "ﬁ", "Ǆ", "ǅ", "ß", "İ", "٣", "²", "½", "Ⅷ", "𝟙", "😀", "\x85",
    "\u2028", "\x0b", "\x0c", "\x1c", "\r", "−", "９", "ª", "\U0010ffff", "\ud800", "_:n", "9" * 200,
    "0." + "0" * 120 + "1", "1" * 101, "a" * 3000, "(" * 400, "not " * 400, "boxminus[0,1] " * 200, "- " * 300,
    "[" * 200, '"' * 99, "{" * 50,
    "99999999999999999999/99999999999999999999999", "X + " * 300, "P(" * 200, ")" * 200, "." * 100, "," * 300,
)  # fmt: skip

SQL = (
    "SELECT ", "FROM ", "WHERE ", "GROUP BY ", "HAVING ", " AND ", " OR ", "NOT ", "EXISTS (", "IN (", "BETWEEN ",
    " AS ", " JOIN ", " ON ", "ISTREAM(", "CREATE STREAM s (id TEXT, x INT); ", "COUNT(*)", "[RANGE 5]",
    "[ROWS 2]", "[NOW]", "'a'",
    "CASE WHEN ", "NULL", "/*", "*/", "--", "::", "(SELECT ",
    "UNION ", "1", "x", "s", "(", ")", ";", ",", "*", "$$", "`",
)  # fmt: skip

JSON = (
    '{"P": [',
    "{",
    "}",
    "[",
    "]",
    '"a,b"',
    ":",
    ",",
    "1.5",
    "-1e999",
    "NaN",
    "null",
    '"left_value"',
    "\\ud800",
    '"',
)

TOML = (
    "[Speed]\n",
    "[[Speed]]\n",
    "=",
    '"',
    "'''",
    "time",
    "1979-05-27",
    "nan",
    "{",
    "}",
    "[",
    "]",
    ".",
    "\n",
    "options",
)


def pieces_of(reader: str) -> tuple[str, ...]:
    """What texts of a kind are made of."""
    return {"cql": SQL, "json": JSON, "tables": TOML}.get(reader, PIECES)


def texts(reader: str) -> st.SearchStrategy[str]:
    """Any text at all, pieces in any order, and texts that are spoilt in a few places."""
    part = st.sampled_from(pieces_of(reader))
    odd = st.sampled_from(ODD) | st.text(st.characters(), max_size=3)
    return (
        st.text(st.characters(), max_size=60)
        | st.lists(part | odd, max_size=25).map("".join)
        | st.lists(part, max_size=25).map(" ".join)
        | _spoilt(reader, part | part | odd)
    )


@st.composite
def _spoilt(draw: st.DrawFn, reader: str, part: st.SearchStrategy[str]) -> str:
    text = draw(st.sampled_from(seeds(reader)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from((0, 0, 1, 2, 5, 20, 200))))
        change = draw(st.sampled_from(("put", "put", "cut", "twice", "swap", "other")))
        if change == "cut":
            text = text[:start] + text[end:]
        elif change == "twice":
            text = text[:end] + text[start:end] * draw(st.integers(1, 9)) + text[end:]
        elif change == "swap":
            text = text[end:] + text[:start] + text[start:end]
        elif change == "other":
            other = draw(st.sampled_from(seeds(reader)))
            place = draw(st.integers(0, len(other)))
            text = text[:start] + other[place : place + 40] + text[end:]
        else:
            text = text[:start] + draw(part) + text[end:]
    return text[:20_000]
