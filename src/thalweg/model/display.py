"""A program as notebooks show it: its text in colours, with a line that says what it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from thalweg.drawing.code import code_block, figure
from thalweg.drawing.markup import Html
from thalweg.syntax.highlight import pieces

if TYPE_CHECKING:
    from thalweg.model.program import Program

_described: list[Callable[[Program], str]] = []


def describe_with(description: Callable[[Program], str]) -> None:
    """Let the analysis, which this room does not know, say what a program is: its dialect."""
    _described[:] = [description]


def draw_program(program: Program) -> Html:
    """The text of a program, or how large it is where there is no text."""
    counts = f"{len(program.rules)} rule{'' if len(program.rules) == 1 else 's'}"
    words = [*(describe(program) for describe in _described), counts, f"{program.timeline.value} timeline"]
    text = program.source.text if program.source else ""
    return figure(*([code_block(pieces(text))] if text.strip() else ()), caption=" · ".join(words))
