"""The files of a stream that were set aside: noted in the checkpoint, each with the batch that should have read it.

Spark lists new files, writes their names down, and lists them again when it reads them: a file that is gone by then it
passes over without a word. So before a batch is written, the files that Spark noted for it are looked for.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from thalweg.errors import Diagnostic
from thalweg.spark.broken_files import EMPTY, VANISHED, BrokenFileError, local_path
from thalweg.spark.paths import Folder

_ASIDE = "aside"


@dataclass(frozen=True)
class AsideFile:
    """A file that could not be read, and the batch that did without it."""

    address: str
    reason: str
    batch: int

    @property
    def diagnostic(self) -> Diagnostic:
        """What is to say of it."""
        (found,) = BrokenFileError(self.address, self.reason).diagnostics
        return found


class BatchFiles:
    """What the checkpoint of a stream knows of files; ``skips`` says whether files that are broken are set aside."""

    def __init__(self, checkpoint: Folder, *, skips: bool) -> None:
        self._checkpoint, self._skips = checkpoint, skips

    @property
    def aside(self) -> list[AsideFile]:
        """The files that were set aside so far."""
        names = self._below(_ASIDE).names()
        return [AsideFile(**json.loads(self._checkpoint.read(f"{_ASIDE}/{name}") or "")) for name in names]

    @property
    def next_batch(self) -> int:
        """The number of the first batch that is not done yet."""
        done = (int(name) for name in self._below("spark/commits").names() if name.isdigit())
        return max(done, default=-1) + 1

    def set_aside(self, file: AsideFile) -> None:
        """Note, for good, that a file is left out."""
        self._checkpoint.make(_ASIDE)
        self._checkpoint.write(f"{_ASIDE}/{len(self.aside):06}.json", json.dumps(asdict(file)) + "\n")

    def of_batch(self, number: int) -> list[AsideFile]:
        """The files that a batch does without; raises :class:`BrokenFileError` for one that cannot be left out."""
        known = {local_path(file.address) for file in self.aside}
        for address in dict.fromkeys(self._noted(number)):
            path = local_path(address)
            if path in known or not address.startswith("file:"):
                continue
            reason = _fault(path)
            if reason is not None:
                if not self._skips:
                    raise BrokenFileError(address, reason)
                self.set_aside(AsideFile(address, reason, number))
        return [file for file in self.aside if file.batch == number]

    def _noted(self, number: int) -> Iterator[str]:
        """The addresses of the files that Spark has noted for a batch."""
        until = self._offsets(number)
        since = self._offsets(number - 1) if number else ()
        for source, last in enumerate(until):
            first = since[source] if source < len(since) else None
            if last is not None:
                yield from self._source_files(source, -1 if first is None else first, last)

    def _offsets(self, number: int) -> Sequence[int | None]:
        """For each source, up to where its notes were read in a batch; None for sources that keep no such notes."""
        lines = (self._checkpoint.read(f"spark/offsets/{number}") or "").splitlines()[2:]
        return [int(found[1]) if (found := _LOG_OFFSET.fullmatch(line)) else None for line in lines]

    def _source_files(self, source: int, after: int, last: int) -> Iterator[str]:
        folder = f"spark/sources/{source}"
        for name in self._below(folder).names():
            number = name.removesuffix(".compact")
            if not number.isdigit() or int(number) <= after or (int(number) > last and name == number):
                continue
            for line in (self._checkpoint.read(f"{folder}/{name}") or "").splitlines()[1:]:
                entry = json.loads(line)
                if after < entry["batchId"] <= last:
                    yield entry["path"]

    def _below(self, name: str) -> Folder:
        return self._checkpoint.folder(name)


_LOG_OFFSET = re.compile(r'\{"logOffset":(\d+)\}')


def _fault(path: str) -> str | None:
    """What is wrong with a file as far as one can see without reading it."""
    try:
        size = os.path.getsize(path)
    except OSError:
        return VANISHED
    return EMPTY if size == 0 and path.lower().endswith(".parquet") else None
