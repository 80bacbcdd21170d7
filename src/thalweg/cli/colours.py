"""Colours for people, never for pipes: NO_COLOR, FORCE_COLOR and TERM are respected."""

from __future__ import annotations

import os
import re
from typing import TextIO

from thalweg.syntax.highlight import Kind, pieces

_RESET = "\x1b[0m"
_BOLD, _RED, _YELLOW, _BLUE, _CYAN, _FAINT = "1", "1;31", "1;33", "34", "36", "2"
_HEADING = re.compile(r"(?P<place>\S.*?: )?(?P<kind>(?:error|warning)\[[EW]\d+\]): (?P<message>.*)")
_CARETS = re.compile(r"    \s*\^+")
_HINT = "    hint: "
_STYLES = {
    Kind.COMMENT: _FAINT,
    Kind.KEYWORD: "35",
    Kind.DECLARATION: "35",
    Kind.OPERATOR: "35",
    Kind.CONSTANT: "33",
    Kind.NUMBER: "33",
    Kind.STRING: "32",
    Kind.TYPE: "32",
    Kind.PREDICATE: _BLUE,
    Kind.ERROR: "31",
}


def in_colour(stream: TextIO) -> bool:
    """Whether what is written to a stream has colours.

    NO_COLOR takes them away, FORCE_COLOR adds them where nobody looks on; a dumb terminal has none.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def paint_diagnostics(text: str) -> str:
    """Diagnostics as they are printed, with their codes, carets and hints in colours; other lines as they are."""
    painted = []
    style = _RED
    for line in text.split("\n"):
        heading = _HEADING.fullmatch(line)
        if heading:
            style = _RED if heading["kind"].startswith("error") else _YELLOW
            place = paint(heading["place"], _BOLD) if heading["place"] else ""
            line = f"{place}{paint(heading['kind'], style)}: {paint(heading['message'], _BOLD)}"
        elif _CARETS.fullmatch(line):
            line = paint(line, style)
        elif line.startswith(_HINT):
            line = f"    {paint('hint:', _CYAN)} {line.removeprefix(_HINT)}"
        painted.append(line)
    return "\n".join(painted)


def paint_code(text: str) -> str:
    """Rules or facts in colours."""
    return "".join(paint(piece, _STYLES[kind]) if kind in _STYLES else piece for kind, piece in pieces(text))


def paint(text: str, style: str) -> str:
    """A text in a style, which ends with it; lines keep their ends outside."""
    return f"\x1b[{style}m{text}{_RESET}"
