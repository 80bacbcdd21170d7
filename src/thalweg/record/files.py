"""Where things are in a folder of answers, and how files in it are written: whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

FOLDER = "_thalweg"
MARK = "_thalweg.json"
RUN, PROGRESS, EVIDENCE = "run.json", "progress.jsonl", "evidence"
QUARANTINE = "quarantine"


def local_folder(output: str) -> Path | None:
    """The path of an output on this machine's disks; None for standard output, topics and other file systems."""
    if output == "-":
        return None
    if output.startswith("file:"):
        return Path("/" + output.removeprefix("file:").lstrip("/"))
    return None if "://" in output else Path(output)


def file_name(query: str) -> str:
    """The name of a predicate's file or folder."""
    return query.replace(":", "_")


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
