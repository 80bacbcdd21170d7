"""Lines cut out of a longer text that still know where they stood."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.source import Source


@dataclass(frozen=True)
class Excerpt(Source):
    """Some lines of a longer text; places in it are places in the longer text."""

    first_line: int = 1

    def position(self, offset: int) -> tuple[int, int]:
        """Line, counted in the longer text, and column of a character offset into the excerpt."""
        line, column = super().position(offset)
        return line + self.first_line - 1, column

    def line_text(self, line: int) -> str:
        """The text of a line of the longer text, without its end."""
        return super().line_text(line - self.first_line + 1)
