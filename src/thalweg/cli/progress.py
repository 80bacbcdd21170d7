"""How far long work is: a bar on standard error for whoever watches a terminal, with rate and time left."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from thalweg.cli.messages import on_terminal
from thalweg.engine.read import read_facts_of
from thalweg.errors import Diagnostic
from thalweg.model.program import Program
from thalweg.syntax.facts import FactBatch

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Work(Protocol):
    """Something that takes long."""

    def say(self, what: str) -> None:
        """What is being done now."""

    def reach(self, done: int, total: int | None, unit: str = "") -> None:
        """How much is done, and of how much, if that is known."""


@contextmanager
def work(what: str, *, prints_answers: bool = False) -> Iterator[Work]:
    """Show how far something is while it goes on, and nothing of it afterwards.

    Nothing is shown where nobody watches, nor beside answers that are printed on the same terminal as they come.
    """
    if not on_terminal() or (prints_answers and sys.stdout.isatty()):
        yield _Quiet()
        return
    from rich.console import Console  # where nobody watches, nobody should wait for it
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[rate]}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Shown(bars, bars.add_task(what, total=None, rate=""))


def read_with_progress(program: Program, paths: Sequence[Path]) -> tuple[list[FactBatch], list[Diagnostic]]:
    """The facts of files, as :func:`read_facts_of` reads them, file by file."""
    sizes = [path.stat().st_size if path.is_file() else 0 for path in paths]
    batches: list[FactBatch] = []
    problems: list[Diagnostic] = []
    with work("reading facts") as reading:
        for number, path in enumerate(paths):
            found, wrong = read_facts_of(program, [path])
            batches += found
            problems += wrong
            reading.reach(sum(sizes[: number + 1]) >> 10, sum(sizes) >> 10, "kB")
    return batches, problems


class _Quiet:
    def say(self, what: str) -> None:
        pass

    def reach(self, done: int, total: int | None, unit: str = "") -> None:
        pass


class _Shown:
    def __init__(self, bars: Progress, task: TaskID) -> None:
        self._bars, self._task = bars, task

    def say(self, what: str) -> None:
        self._bars.update(self._task, description=what)

    def reach(self, done: int, total: int | None, unit: str = "") -> None:
        task = self._bars.tasks[0]
        of = "" if total is None else f"/{total:,}"
        rate = f", {done / task.elapsed:,.0f}/s" if task.elapsed else ""
        self._bars.update(self._task, completed=done, total=total, rate=f"{done:,}{of} {unit}{rate}")
        left = task.time_remaining
        if left and not task.finished:
            self._bars.update(self._task, rate=f"{task.fields['rate']}, {left:,.0f} s left")
