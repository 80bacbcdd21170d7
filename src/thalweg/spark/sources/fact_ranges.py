"""Files cut into ranges of whole lines, and ranges dealt out to tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from thalweg.errors import Diagnostic, UsageError
from thalweg.spark.sources.fact_files import FoundFile

_SMALLEST_TASK = 1 << 20
_TASKS_WANTED = 8


class VanishedError(Exception):
    """A file was there when it was listed, and is not when it is to be read."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        message, hint = "the file vanished before it was read", "put it back, and start again: it is read then"
        self.diagnostic = Diagnostic("E475", None, message, hint, name)


@dataclass(frozen=True)
class FactRange:
    """The bytes [start, end) of a file, whole lines, of which the first has a number in the file."""

    file: FoundFile
    start: int
    end: int
    first_line: int = 1

    def blocks(self, size: int) -> Iterator[tuple[FactRange, bytes]]:
        """The range in blocks of whole lines of about a size."""
        with _open_unchanged(self.file) as opened:
            for block, data in _blocks(opened, self, size):
                if len(data) != block.end - block.start:
                    raise _changed(self.file)
                yield block, data


def plan_tasks(files: Iterable[FoundFile], largest: int) -> list[tuple[FactRange, ...]]:
    """The ranges that each task reads, in the order of the files.

    A file beyond the largest size is cut; small files go together, since a task costs more than a small file.
    """
    ranges = [part for file in files for part in cut(file, largest)]
    total = sum(part.end - part.start for part in ranges)
    wanted = min(largest, max(_SMALLEST_TASK, total // _TASKS_WANTED))
    tasks: list[list[FactRange]] = []
    room = 0
    for part in ranges:
        size = part.end - part.start
        if not tasks or size > room:
            tasks.append([])
            room = wanted
        tasks[-1].append(part)
        room -= size
    return [tuple(task) for task in tasks]


def cut(file: FoundFile, largest: int) -> list[FactRange]:
    """A file in ranges of about the largest size, with the numbers of their first lines."""
    whole = FactRange(file, 0, file.size)
    if file.size <= largest:
        return [whole] if file.size else []
    try:
        with _open_unchanged(file) as opened:
            return [block for block, _ in _blocks(opened, whole, largest)]
    except VanishedError:
        return [whole]  # whoever reads it says so


def _open_unchanged(file: FoundFile) -> BinaryIO:
    """Open a file that must be as it was when it was listed."""
    try:
        opened = open(file.path, "rb")  # noqa: SIM115  # the caller closes it
    except FileNotFoundError:
        raise VanishedError(file.shown) from None
    except OSError as error:
        raise UsageError(f"cannot read {file.shown}: {error.strerror}") from error
    if opened.seek(0, 2) != file.size:
        opened.close()
        raise _changed(file)
    return opened


def _blocks(opened: BinaryIO, whole: FactRange, size: int) -> Iterator[tuple[FactRange, bytes]]:
    """The blocks of a range and their bytes; each but the last ends with a line end."""
    opened.seek(whole.start)
    block = replace(whole, end=whole.start)
    while block.end < whole.end:
        data = opened.read(min(size, whole.end - block.end))
        data += _rest_of_line(opened, data, whole.end - block.end - len(data))
        block = replace(block, start=block.end, end=block.end + len(data))
        if not data:
            raise _changed(whole.file)
        yield block, data
        block = replace(block, first_line=block.first_line + _line_ends(data))


def _rest_of_line(opened: BinaryIO, data: bytes, left: int) -> bytes:
    """What must still be read for the data to end with a line end, or with the end of the range."""
    return b"" if data.endswith(b"\n") else opened.readline(left)


def _line_ends(data: bytes) -> int:
    """Line ends as Python's text files count them: ``\\n``, ``\\r\\n`` and a lone ``\\r``."""
    returns = data.count(b"\r")
    return data.count(b"\n") + (returns - data.count(b"\r\n") if returns else 0)


def _changed(file: FoundFile) -> UsageError:
    return UsageError(
        f"{file.shown} changed while it was being read: it had {file.size} bytes when it was listed\n"
        "    hint: write files elsewhere, or under a name that begins with a full stop, and move them in when complete"
    )
