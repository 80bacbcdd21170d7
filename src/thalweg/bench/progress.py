"""How far a run is: bars on a terminal, a line for each experiment elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress

T = TypeVar("T")


class Progress(Protocol):
    """Shows what is being worked on."""

    def shown(self) -> AbstractContextManager[Any]:
        """While this is entered, progress is shown."""

    def track(self, items: Iterable[T], what: str) -> Iterator[T]:
        """The items one after another."""

    def say(self, line: str) -> None:
        """A line that stays."""


class Quiet:
    """Says nothing but whole lines."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console

    def shown(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def track(self, items: Iterable[T], what: str) -> Iterator[T]:
        return iter(items)

    def say(self, line: str) -> None:
        if self._console is not None:
            self._console.print(line, markup=False, highlight=False)


class Bars:
    """A bar for the experiments, and under it one for what the current experiment does."""

    def __init__(self, console: Console) -> None:
        self._bars = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )

    def shown(self) -> AbstractContextManager[Any]:
        return self._bars

    def track(self, items: Iterable[T], what: str) -> Iterator[T]:
        total = len(items) if isinstance(items, Sequence) else None
        task = self._bars.add_task(what, total=total)
        try:
            for item in items:
                yield item
                self._bars.advance(task)
        finally:
            self._bars.remove_task(task)

    def say(self, line: str) -> None:
        self._bars.console.print(line, markup=False, highlight=False)


def progress_on(console: Console) -> Progress:
    """Bars where somebody watches."""
    return Bars(console) if console.is_terminal else Quiet(console)
