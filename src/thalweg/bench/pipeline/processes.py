"""What the processes that Spark started have used: seconds of processors, and memory at its peak."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Memory:
    """The largest resident sizes, in GB: of Spark's Java, and of the largest Python worker."""

    java: float
    worker: float


def forget_peaks() -> None:
    """Let peaks begin anew, where the system allows it."""
    for process in _started():
        with suppress(OSError):
            (process / "clear_refs").write_text("5")


def peak_memory() -> Memory:
    """The peaks since they were forgotten."""
    java, worker = 0, 0
    for process in _started():
        size = _peak(process)
        if _name(process) == "java":
            java = max(java, size)
        else:
            worker = max(worker, size)
    return Memory(java / 1e6, worker / 1e6)


def processor_seconds() -> dict[str, float]:
    """What Java and each worker have used so far, of all processors."""
    return {process.name: _seconds(process) for process in _started()}


def used_since(before: dict[str, float]) -> float:
    """What those that run now have used since; a worker that has ended in between is left out."""
    return sum(seconds - before.get(name, 0.0) for name, seconds in processor_seconds().items())


def _started() -> Iterator[Path]:
    """The processes below this one."""
    waiting = [os.getpid()]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            with suppress(OSError):
                found = [*map(int, task.read_text().split())]
                yield from (Path(f"/proc/{pid}") for pid in found)
                waiting += found


def _name(process: Path) -> str:
    with suppress(OSError):
        return (process / "comm").read_text().strip()
    return ""


def _peak(process: Path) -> int:
    with suppress(OSError):
        for line in (process / "status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1])
    return 0


def _seconds(process: Path) -> float:
    with suppress(OSError):
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / _TICKS
    return 0.0
