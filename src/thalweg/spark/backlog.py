"""How much of its input a stream has not read yet, as its sources noted it when a batch was planned."""

from __future__ import annotations

import json
from dataclasses import dataclass

from thalweg.spark.paths import Folder

LEFT = "left"
"""Where the offset of a source says how many files or records wait beyond it."""
FILES, RECORDS = "files", "records"


@dataclass(frozen=True)
class Backlog:
    """How many files and records were there and not taken, when a batch was planned; None where no source says."""

    files: int | None = None
    records: int | None = None


NOTHING_KNOWN = Backlog()


def backlog(checkpoint: Folder, batch: int) -> Backlog:
    """What Spark has written down for a batch, before it ran."""
    lines = (checkpoint.read(f"spark/offsets/{batch}") or "").splitlines()[2:]
    said = [left for line in lines if isinstance(left := _left(line), dict)]
    return Backlog(_sum(said, FILES), _sum(said, RECORDS))


def _left(line: str) -> object:
    try:
        offset = json.loads(line)
    except ValueError:
        return None
    return offset.get(LEFT) if isinstance(offset, dict) else None


def _sum(said: list[dict[str, int]], name: str) -> int | None:
    counts = [left[name] for left in said if name in left]
    return sum(counts) if counts else None
