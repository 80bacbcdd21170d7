"""The exception that carries a syntax mistake from where it is seen to where it is collected."""

from __future__ import annotations

from thalweg.errors import Diagnostic
from thalweg.source import Span


class Mistake(Exception):  # noqa: N818  # not an error of the program: the parser catches every one
    """A statement cannot be read; never leaves :mod:`thalweg.syntax`."""

    def __init__(self, code: str, span: Span | None, message: str, hint: str | None = None) -> None:
        self.diagnostic = Diagnostic(code, span, message, hint)
        super().__init__(message)
