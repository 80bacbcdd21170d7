"""Short ways from text to a program and its diagnostics."""

from __future__ import annotations

from thalweg.analysis.checks import check_program
from thalweg.errors import Diagnostic
from thalweg.model.lower import lower
from thalweg.model.program import Program
from thalweg.source import Source
from thalweg.syntax.parser import parse_program


def check(text: str, name: str = "test.rules") -> tuple[Program, tuple[Diagnostic, ...]]:
    """The program of a text and everything that is wrong with it."""
    tree, unreadable = parse_program(Source(name, text))
    program, malformed = lower(tree)
    return program, (*unreadable, *malformed, *check_program(program))


def checked(text: str) -> Program:
    """The program of a text without errors."""
    program, found = check(text)
    assert not [each.render() for each in found if each.is_error]
    return program


def codes(text: str) -> list[str]:
    """The codes of what is wrong with a text."""
    return [each.code for each in check(text)[1]]
