"""Lines of facts, changes and hypotheses, taken apart: values stay as they are printed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from thalweg.engine.hypotheses.changes import Status

_FACT = re.compile(
    r"(?P<atom>.+)@(?P<left>[\[(])(?P<start>[^,\[(]+),(?P<end>[^\])]+)(?P<right>[\])])(?:\s+% (?P<id>[0-9a-f]+))?"
)
_CHANGE = re.compile(r"(?P<change>began|ended) (?P<atom>.+)@(?P<left>[\[(]?)(?P<time>[^\])\[(]+)(?P<right>[\])]?)")
_STATUS = re.compile(r"(?P<status>\w+) +(?P<atom>.+)@(?P<time>\?|-?[0-9./]+)")

_DECIDED = {Status.CONFIRMED.value: 1.0, Status.REFUTED.value: 0.0}


def fact_rows(lines: Sequence[str]) -> list[dict[str, Any]]:
    """A row for every line that can be read: arguments, then time, as in tables of answers."""
    return [row for line in lines if (row := _change(line) or _fact(line)) is not None]


def status_rows(lines: Sequence[str]) -> list[dict[str, Any]]:
    """A row for every line about a hypothesis."""
    return [row for line in lines if (row := _status(line)) is not None]


def arguments_of(atom: str) -> list[str]:
    """The arguments of an atom, as they are printed."""
    _, parenthesis, inside = atom.partition("(")
    return list(_parts(inside.removesuffix(")"), ",")) if parenthesis else []


def _fact(line: str) -> dict[str, Any] | None:
    match = _FACT.fullmatch(line)
    if match is None:
        return None
    row: dict[str, Any] = _named(match["atom"])
    row |= {"start": _finite(match["start"]), "end": _finite(match["end"])}
    row |= {"start_closed": match["left"] == "[", "end_closed": match["right"] == "]"}
    return row if match["id"] is None else {**row, "id": match["id"]}


def _change(line: str) -> dict[str, Any] | None:
    match = _CHANGE.fullmatch(line)
    if match is None or bool(match["left"]) == bool(match["right"]):
        return None
    closed = "[" in match["left"] or "]" in match["right"]
    return {**_named(match["atom"]), "change": match["change"], "time": _finite(match["time"]), "closed": closed}


def _status(line: str) -> dict[str, Any] | None:
    first, *rest = _parts(line, "; ")
    match = _STATUS.fullmatch(first)
    if match is None:
        return None
    row: dict[str, Any] = _named(match["atom"])
    row |= {"time": None if match["time"] == "?" else match["time"], "status": match["status"]}
    # Lines leave out how likely it is that what is decided will be.
    row |= {"evidence": [], "hypotheses": [], "deadline": None, "confidence": _DECIDED.get(match["status"])}
    for part in rest:
        row |= _said(part, row)
    return row


def _said(part: str, row: dict[str, Any]) -> dict[str, Any]:
    """What one part of a line says of a hypothesis."""
    for word, column in (("has ", "evidence"), ("awaits ", "hypotheses"), ("lacks ", "hypotheses")):
        if part.startswith(word):
            return {column: [*row[column], *_parts(part.removeprefix(word), ", ")]}
    if part.startswith("but "):
        came = _parts(part.removeprefix("but ").removesuffix(" came"), ", ")
        return {"hypotheses": [*row["hypotheses"], *(f"not {each}" for each in came)]}
    if part.startswith("decided by "):
        return {"deadline": part.removeprefix("decided by ")}
    return {"confidence": float(part.removeprefix("confidence "))} if part.startswith("confidence ") else {}


def _named(atom: str) -> dict[str, str]:
    return {f"arg{number}": value for number, value in enumerate(arguments_of(atom), start=1)}


def _finite(text: str) -> str | None:
    return None if text.endswith("inf") else text


def _parts(text: str, separator: str) -> Iterator[str]:
    """The parts between separators that stand outside quotes and parentheses."""
    depth, is_quoted, begun, place = 0, False, 0, 0
    while place < len(text):
        char = text[place]
        if is_quoted:
            place += char == "\\"
            is_quoted = char != '"'
        elif char == '"':
            is_quoted = True
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif depth == 0 and text.startswith(separator, place):
            yield text[begun:place].strip()
            begun = place + len(separator)
        place += 1
    yield text[begun:].strip()
