"""How much memory there is: of the machine, or of the container in which the process runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_UNKNOWN = 8 << 30
_GROUPS = Path("/sys/fs/cgroup")


@cache
def machine_memory() -> int:
    """All of it, in bytes."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # a system that does not tell
        whole = _UNKNOWN
    return min((whole, *(limit for path in _limit_files() if (limit := _number(path)) is not None)))


@cache
def free_memory() -> int:
    """What was free of it when this was first asked: to ask takes as long as a small batch."""
    found = re.search(r"^MemAvailable:\s*(\d+) kB", _text(Path("/proc/meminfo")), re.MULTILINE)
    return min(machine_memory(), int(found[1]) << 10) if found else machine_memory()


def _limit_files() -> Iterator[Path]:
    """Where Linux keeps the limits of the groups that the process belongs to, in both versions of groups."""
    yield _GROUPS / "memory.max"
    yield _GROUPS / "memory" / "memory.limit_in_bytes"
    for line in _text(Path("/proc/self/cgroup")).splitlines():
        _, kinds, path = line.split(":", 2)
        if not kinds:
            yield _GROUPS / path.lstrip("/") / "memory.max"
        elif "memory" in kinds.split(","):
            yield _GROUPS / "memory" / path.lstrip("/") / "memory.limit_in_bytes"


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.isdecimal() else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return ""
