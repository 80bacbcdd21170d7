"""What the command line says beside its answers, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from thalweg.cli.colours import in_colour, paint_diagnostics
from thalweg.errors import MOST_SHOWN, Diagnostic

SKIP_HINT = "thalweg: with --skip-bad such facts are reported, counted and left out"

_CLEAR = "\r\x1b[K"


def tell(text: str) -> None:
    """Say something; diagnostics in colours, where somebody watches."""
    print(paint_diagnostics(text) if in_colour(sys.stderr) else text, file=sys.stderr, flush=True)


def tell_problems(problems: Sequence[Diagnostic]) -> None:
    """Say what is wrong with facts that are left out: the first of them one by one, of the others how many."""
    for problem in problems[:MOST_SHOWN]:
        tell(problem.render())
    if len(problems) > MOST_SHOWN:
        tell(f"and {len(problems) - MOST_SHOWN:,} more")


def skipped(count: int) -> str:
    """How many facts were left out."""
    return f"thalweg: {count:,} bad fact{'s' if count > 1 else ''} skipped"


def on_terminal() -> bool:
    """Whether a person watches."""
    return sys.stderr.isatty()


@contextmanager
def notice(text: str) -> Iterator[None]:
    """Show a text on a terminal for as long as something takes."""
    if not on_terminal():
        yield
        return
    print(text, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print(_CLEAR, end="", file=sys.stderr, flush=True)


def refresh(text: str) -> None:
    """Show a text in the place of the one before, on a terminal."""
    print(f"{_CLEAR}{text}", end="", file=sys.stderr, flush=True)
