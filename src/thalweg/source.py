"""Source text and places in it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Source:
    """A named piece of text: a file, or a string given to the API."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(i + 1 for i, char in enumerate(self.text) if char == "\n")]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character offset, both counted from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a line (counted from 1), without its end."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r")


@dataclass(frozen=True)
class Span:
    """A half-open stretch [start, end) of a source's characters."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """The line of the first character, from 1."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """The column of the first character, from 1."""
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        """The characters covered."""
        return self.source.text[self.start : self.end]

    @property
    def place(self) -> str:
        """``file:line:column``."""
        return f"{self.source.name}:{self.line}:{self.column}"

    def to(self, other: Span) -> Span:
        """The stretch from the start of this span to the end of another."""
        return Span(self.source, self.start, max(self.end, other.end))

    def caret(self) -> str:
        """The first source line of the span with carets under it."""
        text, column = _around(self.source.line_text(self.line), self.column - 1)
        room = max(len(text) - column, 1)
        width = min(max(self.end - self.start, 1), room)
        pad = "".join("\t" if char == "\t" else " " for char in text[:column])
        return f"    {visible(text)}\n    {pad}{'^' * width}"


_LONGEST_LINE = 1000
_BEFORE = 60
_LONGEST_TEXT = 1000

_PICTURES = {code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)} | {0x7F: 0x2421}
_PICTURES |= dict.fromkeys([*range(0x80, 0xA0), 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)
"""Characters that a terminal would obey rather than show, and those that stand for them."""


def visible(text: str) -> str:
    """The text with control characters replaced by their pictures, each by one: ``␀`` for the character 0."""
    return text.translate(_PICTURES)


def shortened(text: str, longest: int = _LONGEST_TEXT) -> str:
    """A text for people to read: what is too long loses its middle, which may be a megabyte."""
    if len(text) <= longest:
        return text
    head, tail = longest * 3 // 5, longest // 5
    return f"{text[:head]}… ({len(text) - head - tail:,} characters more) …{text[-tail:]}"


def _around(text: str, column: int) -> tuple[str, int]:
    """A line, or of a very long one what stands around a column (counted from 0), and where the column is in it."""
    if len(text) <= _LONGEST_LINE:
        return text, column
    first = max(column - _BEFORE, 0)
    piece = text[first : first + _LONGEST_LINE]
    head, tail = "…" if first else "", "…" if first + len(piece) < len(text) else ""
    return f"{head}{piece}{tail}", column - first + len(head)
