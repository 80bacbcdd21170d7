"""Help as wide as the terminal: paragraphs are filled, examples and lists stay as they are."""

from __future__ import annotations

import argparse
import shutil
import textwrap
from collections.abc import Iterator

WIDEST = 118


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Fills the paragraphs of descriptions; those with indented lines are lists, and are left alone."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=min(WIDEST, shutil.get_terminal_size().columns - 2))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(_filled(each, width, indent) for each in text.strip("\n").split("\n\n"))


def use_in(parser: argparse.ArgumentParser) -> None:
    """Let a command and all below it show their help in this way."""
    for each in _all_below(parser):
        each.formatter_class = HelpFormatter


def _filled(paragraph: str, width: int, indent: str) -> str:
    if any(line.startswith(" ") for line in paragraph.splitlines()):
        return textwrap.indent(paragraph, indent)
    return textwrap.fill(paragraph, max(width, 20), initial_indent=indent, subsequent_indent=indent)


def _all_below(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _all_below(each)
