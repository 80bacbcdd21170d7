"""Where things are in a folder of answers, and how files in it are written: whole or not at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

FOLDER = "_thalweg"
MARK = "_thalweg.json"
RUN, PROGRESS, EVIDENCE = "run.json", "progress.jsonl", "evidence"
QUARANTINE = "quarantine"
_LONGEST_NAME = 200
"""In bytes; file systems take 255, and files get endings."""


def local_folder(output: str) -> Path | None:
    """The path of an output on this machine's disks; None for standard output, topics and other file systems."""
    if output == "-":
        return None
    if output.startswith("file:"):
        return Path("/" + output.removeprefix("file:").lstrip("/"))
    return None if "://" in output else Path(output)


def file_names(queries: Iterable[str]) -> dict[str, str]:
    """The names of the files or folders of predicates, each its own, also where upper and lower case are one.

    Letters, digits and ``_`` stay as they are and ``:`` becomes ``_``; whatever else a name may hold is written as
    ``%2F``, so that no name leads out of its folder, hides, or is that of something else in it.
    """
    names: dict[str, str] = {}
    taken = {QUARANTINE}
    for query in dict.fromkeys(queries):
        name = _file_name(query)
        if name.casefold() in taken:
            name = f"{name}%{_digest(query)}"
        taken.add(name.casefold())
        names[query] = name
    return names


def _file_name(query: str) -> str:
    # What begins with an underscore is hidden, or is ours.
    first = f"%{ord(query[0]):02X}" if query[:1] in ("_", ":") else _safe(query[:1])
    text = first + "".join(map(_safe, query[1:]))
    return text if 0 < len(text.encode()) <= _LONGEST_NAME else f"{text[:40]}%{_digest(query)}"


def _safe(char: str) -> str:
    if not char or char.isalnum() or char == "_":
        return char
    return "_" if char == ":" else "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))


def _digest(query: str) -> str:
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def batch_name(number: int) -> str:
    """The name of a batch."""
    return f"batch={number:06}"


def batch_number(name: str) -> int | None:
    """The number of a batch by the name of its folder or file; None for any other name."""
    mark, _, number = name.partition("=")
    digits = number.partition(".")[0]
    return int(digits) if mark == "batch" and digits.isdecimal() else None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place, then put it there in one step."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
