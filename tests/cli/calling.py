"""Calls of the command line, in process."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path

from thalweg.cli.main import run_command


@dataclass(frozen=True)
class Outcome:
    """What a call left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines on standard output."""
        return self.out.splitlines()


def call(*words: object) -> Outcome:
    """``thalweg words…``, without Spark: starting it takes longer than all these tests."""
    return call_as_it_is(*words, *(["--in-process"] if words[:1] == ("run",) else []))


def call_as_it_is(*words: object) -> Outcome:
    """``thalweg words…``."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = run_command([str(word) for word in words])
        except SystemExit as exit_:  # argparse: --help, or a call it cannot read
            code = int(exit_.code or 0)
    return Outcome(code, out.getvalue(), err.getvalue())


def files_below(folder: Path) -> list[str]:
    """The files in a folder and below, hidden ones, too."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
