"""Files in which Spark logs the batches of a stream, when one of them is not whole.

Spark writes such a file under another name and then puts it in place, but does not wait until it is on the disk. A
machine that loses power may therefore come back with a file that is empty or cut off, and Spark then refuses to start
for ever. The last one can do without: a batch whose offsets are not logged has not begun, and one whose end is not
logged is run again, with the same number and the same rows.
"""

from __future__ import annotations

import json

from thalweg.errors import Diagnostic, StorageError
from thalweg.spark.paths import Folder

_ALL, OFFSETS, COMMITS = "spark", "spark/offsets", "spark/commits"


def remove_torn(checkpoint: Folder) -> list[str]:
    """Remove the last file of a log if it is not whole; what was removed. Refuses if Spark could not do without.

    Where no batch has begun, nothing that Spark has written counts; what a first try has left, though, such as half of
    the first file, would keep it from starting, so all of that goes.
    """
    removed = [_removed(checkpoint, COMMITS)]
    begun = _last(checkpoint, OFFSETS)
    if begun is not None and begun == _last(checkpoint, COMMITS):
        _refuse_torn(checkpoint, begun)
    else:
        removed.append(_removed(checkpoint, OFFSETS))
    if _last(checkpoint, OFFSETS) is None and _last(checkpoint, COMMITS) is None:
        checkpoint.remove(_ALL)
    return [name for name in removed if name is not None]


def _removed(folder: Folder, log: str) -> str | None:
    number = _last(folder, log)
    if number is None or _is_whole(folder, log, number):
        return None
    before = f"{log}/{number - 1}"
    if number and folder.exists(before) and not _is_whole(folder, log, number - 1):
        raise _damaged(folder, before)
    folder.remove(f"{log}/{number}")
    return f"{log}/{number}"


def _refuse_torn(folder: Folder, number: int) -> None:
    """The offsets of a batch that has ended are needed, since the next one begins there."""
    if not _is_whole(folder, OFFSETS, number):
        raise _damaged(folder, f"{OFFSETS}/{number}")


def _last(folder: Folder, log: str) -> int | None:
    return max((int(name) for name in folder.names(log) if name.isdecimal()), default=None)


def _is_whole(folder: Folder, log: str, number: int) -> bool:
    """Whether a file has a version, and then a line or more of JSON; ``-`` stands for a source without an offset."""
    try:
        version, *lines = (folder.read(f"{log}/{number}") or "").splitlines()
        for line in lines:
            if line != "-":
                json.loads(line)
    except ValueError:
        return False
    return version.startswith("v") and len(lines) >= (1 if log == COMMITS else 2)


def _damaged(folder: Folder, name: str) -> StorageError:
    message = f"the checkpoint is damaged: {name} is not whole, and the batches after it are gone"
    hint = "put it back from a copy, or begin anew over all inputs, with a new checkpoint and a new output"
    return StorageError([Diagnostic("E472", None, message, hint, folder.shown)])
