"""Where the page finds what it shows: runs below folders, or one thing that does not change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from thalweg.errors import UsageError
from thalweg.record.folder import RunFolder, find_runs
from thalweg.web.run_subject import RunSubject
from thalweg.web.subject import Subject

MOST_RUNS = 100
"""So many runs are listed."""

_EVERY = 2.0
"""Seconds between two searches through the folders; more where a search takes long."""


class OneShelf:
    """One subject."""

    def __init__(self, subject: Subject, folder: str) -> None:
        self._subject, self._folder = subject, folder

    def runs(self) -> dict[str, Any]:
        """The list, as JSON."""
        return {"folder": self._folder, "runs": [self._subject.summary()], "problems": []}

    def find(self, key: str) -> Subject | None:
        """The subject, if that is its name."""
        return self._subject if key == self._subject.key else None


class FolderShelf:
    """The runs at or below some folders, looked for again and again."""

    def __init__(self, folders: Sequence[Path], clock: Callable[[], float] = time.monotonic) -> None:
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"there is no folder {folder}")
        self._folders, self._clock = folders, clock
        self._due = float("-inf")
        self._subjects: dict[Path, RunSubject] = {}
        self._problems: dict[Path, str] = {}
        self._lock = threading.Lock()

    def runs(self) -> dict[str, Any]:
        """The list, as JSON: running ones first, and then the ones that began last."""
        found, problems = [], []
        for path, subject in self._look().items():
            try:
                found.append(subject.summary())
            except (UsageError, OSError) as error:
                problems.append({"path": str(path), "message": str(error)})
        problems += [{"path": str(path), "message": message} for path, message in self._problems.items()]
        found.sort(key=lambda run: run["started"], reverse=True)
        found.sort(key=lambda run: run["state"] != "running")
        return {
            "folder": ", ".join(str(folder.resolve()) for folder in self._folders),
            "runs": found[:MOST_RUNS],
            "problems": problems,
        }

    def find(self, key: str) -> Subject | None:
        """The run of that name."""
        return next((subject for subject in self._look().values() if subject.key == key), None)

    def _look(self) -> dict[Path, RunSubject]:
        with self._lock:
            before = self._clock()
            if before >= self._due:
                self._search()
                took = self._clock() - before
                self._due = before + took + max(_EVERY, 10 * took)
            return dict(self._subjects)

    def _search(self) -> None:
        found = {run.path: (run, folder) for folder in self._folders for run in find_runs(folder)}
        self._problems = {}
        self._subjects = {path: each for path, each in self._subjects.items() if path in found}
        for path, (run, folder) in found.items():
            if path not in self._subjects:
                self._open(run, folder)

    def _open(self, run: RunFolder, folder: Path) -> None:
        try:
            self._subjects[run.path] = RunSubject(run, _name(run.path, folder))
        except (UsageError, OSError) as error:
            self._problems[run.path] = str(error)


def _name(path: Path, folder: Path) -> str:
    below = path.relative_to(folder)
    return str(below) if below.parts else path.resolve().name
