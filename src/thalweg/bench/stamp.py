"""Which machine, versions and seed a run had."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import thalweg

PACKAGES = ("thalweg", "numpy", "pyarrow", "pyspark", "clingo", "meteor-reasoner", "reelay", "rtamt")


def stamp(seed: int) -> dict[str, str]:
    """What a reader needs to judge the figures."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _commit(),
        "source": source_digest(),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {_memory_gb():.0f} GB, {platform.system()}",
        "load average": ", ".join(f"{load:.1f}" for load in os.getloadavg()),
        "Python": platform.python_version(),
        **{package: _version(package) for package in PACKAGES},
        "seed": str(seed),
    }


def source_digest() -> str:
    """A short name for the code that was measured, committed or not."""
    folder = Path(thalweg.__file__).parent
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".lark"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    found = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
