"""A disk without room: how to tell, and what to say."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from thalweg.errors import Diagnostic, StorageError, UsageError

AGAIN = "run it again"
FROM_CHECKPOINT = "run the same command again: it goes on from its checkpoint"

_REMEDIES = {
    errno.ENOSPC: "free some space there",
    errno.EDQUOT: "free some space there, or raise the quota",
    errno.EFBIG: "raise the limit on the size of files (ulimit -f)",
}
# What Java and RocksDB pass on as a text.
_SAID = {
    errno.ENOSPC: re.compile(r"No space left on device"),
    errno.EDQUOT: re.compile(r"Disk quota exceeded"),
    errno.EFBIG: re.compile(r"(?:Exception: |Errno 27\] )File too large"),
}


def is_full(error: OSError) -> bool:
    """Whether something could not be written for want of room."""
    return error.errno in _REMEDIES


def full_by_text(texts: Iterable[str]) -> int | None:
    """The number of the error, if one of the texts tells of a full disk."""
    for text in texts:
        for number, said in _SAID.items():
            if said.search(text):
                return number
    return None


def no_room(number: int | None, place: str | None, then: str = AGAIN) -> StorageError:
    """What to say; ``then`` is what to do when there is room again."""
    number = number if number in _REMEDIES else errno.ENOSPC
    hint = f"{_REMEDIES[number]}, then {then}"
    return StorageError([Diagnostic("E471", None, f"there is no room to write: {os.strerror(number)}", hint, place)])


@contextmanager
def writing(place: str | Path, then: str = AGAIN) -> Iterator[None]:
    """Around what writes to a place: a full disk, or what else the system refuses, is an error for the user."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if is_full(error):
            raise no_room(error.errno, str(place), then) from error
        raise UsageError(f"cannot write {place}: {error.strerror}") from error


def fullest(paths: Iterable[str | Path]) -> str | None:
    """The path whose disk has the least room; the first of several. None where none can be asked."""
    rooms = [(room, str(path)) for path in paths if (room := _room(Path(path))) is not None]
    return min(rooms, key=lambda each: each[0])[1] if rooms else None


def _room(path: Path) -> int | None:
    for above in (path, *path.absolute().parents):
        try:
            disk = os.statvfs(above)
        except FileNotFoundError:
            continue
        except OSError:
            return None
        return disk.f_bavail * disk.f_frsize
    return None
