"""Writing the record of a run. It is for people: where it cannot be written, the run goes on without it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from thalweg.errors import ThalwegError, UsageError
from thalweg.record.files import FOLDER, PROGRESS, RUN, write_whole
from thalweg.record.progress import Progress
from thalweg.record.run_record import BATCH, FAILED, FINISHED, RUNNING, STOPPED, RunRecord, now

MOST_LINES = 5_000
"""So many lines of progress are kept at least; up to twice as many while a run goes on."""


class RunWriter:
    """Writes the record of one run. ``is_stopped`` may be set by whoever stops the run before it ends."""

    def __init__(self, folder: Path, record: RunRecord) -> None:
        self.folder = folder / FOLDER
        self.record = record
        self.is_stopped = False
        self._lines = 0

    def begin(self) -> None:
        """Say that the run runs. One that goes on keeps the time at which it began, and its progress."""
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lines = _mend(self.folder / PROGRESS)
            before = _before(self.folder / RUN)
            if before is not None and self.record.kind != BATCH and before.program == self.record.program:
                self.record = replace(self.record, started=before.started)
        self._say(state=RUNNING)

    def progress(self, progress: Progress) -> None:
        """Add a line about a batch; the oldest ones go when there are too many."""
        path = self.folder / PROGRESS
        with suppress(OSError):
            try:
                with path.open("a", encoding="utf-8") as file:
                    file.write(progress.to_json() + "\n")
            except OSError:
                _mend(path)
                raise
            self._lines += 1
            if self._lines > 2 * MOST_LINES:
                self._lines = _shorten(path)

    def end(self, state: str, message: str | None = None) -> None:
        """Say how the run ended."""
        self._say(state=state, message=message, ended=now())

    @contextmanager
    def running(self) -> Iterator[RunWriter]:
        """Begin, and end by what happens inside: an error, a stop, or nothing in particular."""
        self.begin()
        try:
            yield self
        except KeyboardInterrupt:
            self.end(STOPPED)
            raise
        except ThalwegError as error:
            self.end(FAILED, str(error))
            raise
        except BaseException as error:
            self.end(FAILED, f"{type(error).__name__}: {error}")
            raise
        self.end(STOPPED if self.is_stopped else FINISHED)

    def _say(self, *, state: str, message: str | None = None, ended: str | None = None) -> None:
        self.record = replace(self.record, state=state, message=message, ended=ended)
        with suppress(OSError):
            write_whole(self.folder / RUN, self.record.to_json().encode())


def _before(path: Path) -> RunRecord | None:
    """The record that is there already, if it can be read."""
    try:
        return RunRecord.of_json(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UsageError, UnicodeDecodeError):
        return None


def _mend(path: Path) -> int:
    """Take away a last line that was cut off; returns how many lines there are."""
    if not path.exists():
        return 0
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        # On a full disk there may be no room for another copy.
        os.truncate(path, content.rfind(b"\n") + 1)
    return content.count(b"\n")


def _shorten(path: Path) -> int:
    """Keep the last lines only; returns how many there are."""
    with path.open("rb") as file:
        last = deque(file, maxlen=MOST_LINES)
    write_whole(path, b"".join(last))
    return len(last)
