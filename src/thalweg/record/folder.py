"""A folder of answers read back, also while a run writes to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pyarrow as pa

from thalweg.errors import UsageError
from thalweg.record.answers import answer_table
from thalweg.record.evidence import Evidence
from thalweg.record.files import EVIDENCE, FOLDER, PROGRESS, QUARANTINE, RUN, batch_number, file_names
from thalweg.record.progress import Progress
from thalweg.record.run_record import BATCH, RunRecord
from thalweg.record.times import shown_time
from thalweg.record.written_tables import SUFFIXES, Unreadable, files_of, read_files

_MOST_LEVELS = 4
_MOST_FOLDERS = 20_000


class RunFolder:
    """What a run has written so far. Every call looks anew."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def is_run(self) -> bool:
        """Whether there is a record of a run."""
        return (self.path / FOLDER / RUN).is_file()

    @property
    def record(self) -> RunRecord:
        """The record; raises :class:`UsageError` where there is none."""
        place = self.path / FOLDER / RUN
        try:
            text = place.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{self.path} holds no record of a run: there is no {FOLDER}/{RUN} in it") from error
        return RunRecord.of_json(text, str(place)).as_it_is()

    def progress(self, after_batch: int = -1) -> list[Progress]:
        """What is known of the batches after one, in order. Of a batch that was run again, the last word counts."""
        try:
            content = (self.path / FOLDER / PROGRESS).read_bytes()
        except OSError:
            return []
        lines = content.decode("utf-8", "replace").split("\n")
        found = (Progress.of_json(line) for line in lines if line)
        last = {each.batch: each for each in found if each is not None and each.batch > after_batch}
        return [last[number] for number in sorted(last)]

    def answers(self, query: str, after_batch: int = -1) -> list[tuple[int, pa.Table]]:
        """The answers of the batches after one, in order, as :func:`answer_table` has them; a batch run is batch 0.

        Where a batch cannot be read because it is just being written, it and those after it are for the next call.
        """
        record = self.record
        name = file_names([*record.queries, query])[query]
        if record.kind == BATCH:
            files = [self.path / f"{name}{suffix}" for suffix in SUFFIXES]
            found = [(0, [path for path in files if path.is_file()])] if after_batch < 0 else []
        else:
            found = self._batches(name, after_batch)
        return [(number, answer_table(table, record)) for number, table in _readable(found, record.kind)]

    def quarantine(self, after_batch: int = -1) -> list[tuple[int, pa.Table]]:
        """What was set aside in the batches after one: ``predicate``, ``row``, ``reason``."""
        return list(_readable(self._batches(QUARANTINE, after_batch), QUARANTINE))

    def evidence(self) -> str:
        """The facts kept for explanations, as the text of a fact file; empty where none are kept."""
        return self.kept.text()

    @property
    def kept(self) -> Evidence:
        """The facts kept for explanations, with all that is known of them."""
        return Evidence(self.path / FOLDER / EVIDENCE)

    def shown(self, time: str | None) -> str | None:
        """An exact time for people to read."""
        record = self.record
        return shown_time(time, record.clock, Fraction(record.unit))

    def _batches(self, name: str, after: int) -> list[tuple[int, list[Path]]]:
        try:
            folders = list((self.path / name).iterdir())
        except OSError:
            return []
        numbered = [(number, path) for path in folders if (number := batch_number(path.name)) is not None]
        return [(number, files_of(path)) for number, path in sorted(numbered) if number > after]


def find_runs(path: str | Path) -> list[RunFolder]:
    """The folders with a record of a run at or below a path, a few levels deep, in the order of their names."""
    return [RunFolder(folder) for folder in sorted(_folders(Path(path))) if RunFolder(folder).is_run]


def _folders(top: Path) -> Iterator[Path]:
    """The folders that may be of runs; nothing is looked for below one that is."""
    seen, waiting = 0, [(top, 0)]
    while waiting and seen < _MOST_FOLDERS:
        folder, level = waiting.pop(0)
        seen += 1
        yield folder
        if level < _MOST_LEVELS and not RunFolder(folder).is_run:
            waiting += [(below, level + 1) for below in _below(folder)]


def _below(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [folder / name for name in sorted(names) if not name.startswith((".", "_", "batch="))]


def _readable(found: list[tuple[int, list[Path]]], kind: str) -> Iterator[tuple[int, pa.Table]]:
    for number, files in found:
        try:
            table = read_files(files, kind)
        except Unreadable:
            return
        if table is not None:
            yield number, table
