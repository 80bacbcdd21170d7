"""What a process and everything below it takes: memory, open files, threads; and what lies in a folder."""

import os
from dataclasses import dataclass, field
from pathlib import Path

KINDS = ("driver", "java", "worker")
"""The command itself; Spark's Java; and the Python processes below it."""


@dataclass
class Taken:
    """By kind of process."""

    processes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    resident: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    files: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    threads: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))


def taken(root):
    """What the processes of a tree take now; one that ends meanwhile counts nothing."""
    found = Taken()
    for pid in _tree(root):
        try:
            status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
            files = len(os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            continue
        kind = "driver" if pid == root else "java" if status["Name"] == "java" else "worker"
        found.processes[kind] += 1
        found.resident[kind] += int(status.get("VmRSS", "0 kB").split()[0]) * 1024
        found.files[kind] += files
        found.threads[kind] += int(status["Threads"])
    return found


def _tree(root):
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path(f"/proc/{entry}/stat").read_text()
            except OSError:
                continue
            children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry))
    waiting, found = [root], []
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def in_folder(folder):
    """How many files there are below a folder, and their bytes; one that vanishes meanwhile counts nothing."""
    count = size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue
            count += 1
    return count, size
