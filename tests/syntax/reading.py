"""Short cuts for reading a program in a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from thalweg.source import Source
from thalweg.syntax import ast
from thalweg.syntax.parser import parse_program

SHARED_DATA = Path(__file__).parents[2].parent / "shared" / "data"
needs_shared_data = pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the data folder is not here")


def read(text: str) -> tuple[ast.Statement, ...]:
    """The statements of a program without mistakes."""
    program, found = parse_program(Source("test", text))
    assert not found, "\n".join(each.render() for each in found)
    return program.statements


def read_one(text: str) -> ast.Statement:
    """The only statement of a program."""
    (statement,) = read(text)
    return statement


def read_body(text: str) -> tuple[ast.Formula, ...]:
    """The body of ``H :- text``."""
    rule = read_one(f"H :- {text}")
    assert isinstance(rule, ast.Rule)
    return rule.body


def read_formula(text: str) -> ast.Formula:
    """The only formula in that body."""
    (formula,) = read_body(text)
    return formula


def codes(text: str) -> list[str]:
    """The codes of the mistakes in a program."""
    return [each.code for each in parse_program(Source("test", text))[1]]
