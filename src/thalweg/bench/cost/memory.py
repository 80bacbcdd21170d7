"""The peak of memory with a million facts, reading the file included."""

from __future__ import annotations

from thalweg.bench.cost.measure import measure
from thalweg.bench.result import Result, Table, at_most
from thalweg.bench.workbench import Workbench

LIMIT = 2 * 10**9
MILLION = 1_000_000


def run(bench: Workbench) -> Result:
    """Read and materialise once, in a fresh process."""
    size = MILLION // 10 if bench.quick else MILLION
    facts = bench.facts(size)
    found = measure("thalweg", bench.program("p3"), facts, bench.facts(1000))
    file_size = facts.stat().st_size
    return Result(
        title="Peak memory",
        note="p3 over LUBM facts: the largest resident set of a process that reads the file and materialises.",
        table=Table(
            ("facts", "file, MB", "peak, MB", "peak over file", "bytes a fact"),
            (
                (
                    f"{size:,}",
                    f"{file_size / 1e6:.0f}",
                    f"{found.peak_memory / 1e6:.0f}",
                    f"{found.peak_memory / file_size:.1f}",
                    f"{found.peak_memory / size:.0f}",
                ),
            ),
        ),
        checks=(at_most("peak memory in GB", found.peak_memory / 1e9, LIMIT / 1e9),),
        raw={"facts": size, "file": file_size, "thalweg": found.as_json()},
    )
