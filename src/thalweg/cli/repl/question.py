"""Questions as they are typed: ``? Hot(P)``, ``Hot(X)?``, ``Hot(X)? @ 5``, ``? Hot(X) from 0 to 10``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thalweg.engine.query import NAME, QueryAnswers
from thalweg.syntax.facts import format_value

MOST_LINES = 40

_TIME = r"[-+]?[\w./:+-]+"
_TIMES = re.compile(
    rf"\s*(?:(?:@|\bat\b)\s*(?P<at>-?\d[\d./]*)|(?:\bfrom\s+(?P<start>{_TIME}))?\s*(?:\bto\s+(?P<end>{_TIME}))?)\s*\.?\s*$"
)


@dataclass(frozen=True)
class Question:
    """A query, and the time or the stretch of time it is asked for."""

    text: str
    at: str | None = None
    start: str | None = None
    end: str | None = None


def read_question(line: str) -> Question | None:
    """The question in a line; None if it is none: it has a question mark before it or after it."""
    words = line.strip()
    if words.startswith("?"):
        return _with_times(words[1:], "")
    query, mark, times = words.rpartition("?")
    if not mark or '"' in times:
        return None
    return _with_times(query, times)


def answer_lines(found: QueryAnswers, *, at_one_time: bool) -> list[str]:
    """Values for the variables, each with the times at which they are an answer; yes or no where none is asked for."""
    if not found:
        return ["no" if found.is_boolean else "no answer"]
    if at_one_time:
        rows = [(values, "") for values in found]
    else:
        rows = [(values, f"at {interval}") for values, interval in found.first(NAME, found.count(NAME))]
    if found.is_boolean:
        lines = ["yes" if not when else f"yes, {when}" for _, when in rows]
    else:
        texts = [
            ", ".join(f"{name} = {format_value(value)}" for name, value in zip(found.columns, values, strict=True))
            for values, _ in rows
        ]
        width = max(map(len, texts))
        lines = [f"{text:<{width}}  {when}".rstrip() for text, (_, when) in zip(texts, rows, strict=True)]
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"… and {more:,} more"]


def _with_times(query: str, times: str) -> Question:
    """A time may stand after the question mark, or at the end of the query."""
    text = f"{query.strip()} {times.strip()}".rstrip()
    match = _TIMES.search(text)
    if match is None:
        return Question(text)
    return Question(text[: match.start()].rstrip(), match["at"], match["start"], match["end"])
