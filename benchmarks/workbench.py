"""Where the files of one run lie, and how large it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.lubm import FOLDER, temporal_lines

PROGRAMS = FOLDER.parent / "programs"


@dataclass(frozen=True)
class Workbench:
    """``folder`` is for files that go away, ``results`` for those that stay."""

    folder: Path
    results: Path
    seed: int
    quick: bool

    @property
    def name(self) -> str:
        """What the files of this run are called by."""
        return "quick" if self.quick else "full"

    def program(self, name: str) -> Path:
        """A slice of the temporal LUBM program: p1, p2 or p3."""
        return PROGRAMS / f"meteor-aaai22-{name}.txt"

    def facts(self, size: int) -> Path:
        """A file of so many LUBM facts, made once."""
        path = self.folder / f"lubm-{size}.facts"
        if not path.exists():
            path.write_text("\n".join(temporal_lines(size, self.seed)) + "\n")
        return path
