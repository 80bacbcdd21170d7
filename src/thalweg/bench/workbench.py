"""What an experiment works with: its size, its seed, its files, and a way to say how far it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TypeVar

from thalweg.bench.data import program_path
from thalweg.bench.lubm import temporal_lines
from thalweg.bench.progress import Progress, Quiet

T = TypeVar("T")


class Size(Enum):
    """How much is measured: all in two minutes, in about half an hour, or as in the papers."""

    QUICK = "quick"
    NORMAL = "normal"
    FULL = "full"


@dataclass(frozen=True)
class Workbench:
    """``folder`` is for files that go away; ``streams`` are traffic streams of the user's, as files of facts."""

    folder: Path
    seed: int
    size: Size
    streams: tuple[Path, ...] = ()
    progress: Progress = field(default_factory=Quiet)

    @property
    def quick(self) -> bool:
        return self.size is Size.QUICK

    def choose(self, quick: T, normal: T, full: T) -> T:
        """What is meant for the size of this run."""
        return {Size.QUICK: quick, Size.NORMAL: normal, Size.FULL: full}[self.size]

    def track(self, items: Iterable[T], what: str) -> Iterator[T]:
        """The items one after another, with a bar that says which of them is being worked on."""
        return self.progress.track(items, what)

    def program(self, name: str) -> Path:
        """A slice of the temporal LUBM program: p1, p2 or p3."""
        return program_path(f"meteor-aaai22-{name}")

    def facts(self, size: int) -> Path:
        """A file of so many LUBM facts, made once."""
        path = self.folder / f"lubm-{size}.facts"
        if not path.exists():
            path.write_text("\n".join(temporal_lines(size, self.seed)) + "\n")
        return path
