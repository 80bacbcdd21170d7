"""Values and intervals of explanations, read back from their texts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from thalweg.model.formula import Value
from thalweg.null import MARK, Null
from thalweg.source import Source
from thalweg.syntax.facts import read_facts
from thalweg.testing.proofs.bad_proof import BadProof
from thalweg.time.interval import Endpoint, Interval

Atom = tuple[str, tuple[Value, ...]]
"""A predicate and the values of its arguments."""

_INTERVAL = re.compile(r"([\[(])([^,]+),([^,]+)([\])])")


def read_interval(text: str) -> Interval:
    """An interval such as ``[1,2.5)``."""
    match = _INTERVAL.fullmatch(text)
    if match is None:
        raise BadProof(f"{text!r} is not an interval")
    try:
        return Interval(_end(match[2]), _end(match[3]), match[1] == "[", match[4] == "]")
    except ValueError as error:
        raise BadProof(f"{text!r} is not an interval: {error}") from error


class Reader:
    """Reads values; nulls are recognised by how they are written, among those that there are."""

    def __init__(self, nulls: Iterable[Null]) -> None:
        self.nulls: Mapping[str, Null] = {str(null): null for null in nulls}

    def value(self, text: str) -> Value:
        """A value as the language prints it."""
        if text.startswith(MARK):
            if text not in self.nulls:
                raise BadProof(f"no rule makes the new value {text}")
            return self.nulls[text]
        found = read_facts(Source("value", f"p({text})@0"))
        if found.diagnostics or len(found.batches) != 1 or len(found.batches[0].arguments) != 1:
            raise BadProof(f"{text!r} is not a value")
        value: Value = found.batches[0].arguments[0].values[0]
        return value

    def atom(self, fact: Mapping[str, Any]) -> Atom:
        """The predicate and the arguments of a fact, which its text must repeat."""
        arguments = fact["arguments"]
        written = f"{fact['predicate']}({','.join(arguments)})" if arguments else fact["predicate"]
        if fact["interval"] is not None:
            written += f"@{fact['interval']}"
        if fact["text"] != written:
            raise BadProof(f"the text of the fact {written} is {fact['text']}")
        return fact["predicate"], tuple(map(self.value, arguments))


def intervals_in(data: Any) -> Iterable[Interval]:
    """All intervals that an explanation mentions."""
    waiting = [data]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            texts = [part.get("interval"), part.get("body"), part.get("time"), *part.get("missing", ())]
            yield from (read_interval(text) for text in texts if isinstance(text, str))
            waiting += part.values()


def _end(text: str) -> Endpoint:
    if text in ("inf", "-inf"):
        return math.inf if text == "inf" else -math.inf
    return Fraction(text)
