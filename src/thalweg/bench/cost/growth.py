"""How time grows with the number of facts, against n log n."""

from __future__ import annotations

import math

from thalweg.bench.cost.measure import Measurement, measure
from thalweg.bench.result import Check, Figure, Line, Result, Table, at_most
from thalweg.bench.workbench import Workbench

SIZES = (10_000, 31_623, 100_000, 316_228, 1_000_000)
QUICK_SIZES = (1_000, 10_000, 100_000)
REPETITIONS = 5
PARTS = ("load", "reason")

NOISE = 1.25
"""What the last tenfold may exceed n log n by; the whole range has fixed costs at its lower end to hide growth."""


def run(bench: Workbench) -> Result:
    """Measure p3 on ever more facts."""
    sizes = QUICK_SIZES if bench.quick else SIZES
    found = {size: _measure(bench, size) for size in bench.track(sizes, "sizes")}
    return Result(
        title="Growth",
        note=f"p3 over LUBM facts, medians of {REPETITIONS} runs, in seconds of processor time. The last two columns"
        " divide the time by n log n, as a multiple of what it is at the largest size: falling numbers mean growth"
        " below n log n.",
        table=Table(
            ("facts", "load, s", "reason, s", "load / n log n", "reason / n log n"),
            tuple(_row(found, size) for size in sizes),
        ),
        checks=tuple(check for part in PARTS for check in _checks(found, part)),
        raw={str(size): measurement.as_json() for size, measurement in found.items()},
        figures=(_figure(found),),
    )


def _measure(bench: Workbench, size: int) -> Measurement:
    return measure("thalweg", bench.program("p3"), bench.facts(size), bench.facts(1000), REPETITIONS)


def _row(found: dict[int, Measurement], size: int) -> tuple[str, ...]:
    largest = max(found)
    shares = [_ratio(found, part, largest, size) / _expected(largest, size) for part in PARTS]
    seconds = [_seconds(found, part, size) for part in PARTS]
    return (f"{size:,}", *(f"{s:.3f}" for s in seconds), *(f"{1 / share:.2f}" for share in shares))


def _checks(found: dict[int, Measurement], part: str) -> list[Check]:
    smallest, largest, tenth = min(found), max(found), max(found) // 10
    return [
        at_most(
            f"{part}: times longer from {smallest:,} to {largest:,} facts, against n log n",
            _ratio(found, part, largest, smallest),
            _expected(largest, smallest),
        ),
        at_most(
            f"{part}: times longer from {tenth:,} to {largest:,} facts, against n log n and a quarter",
            _ratio(found, part, largest, tenth),
            NOISE * _expected(largest, tenth),
        ),
    ]


def _ratio(found: dict[int, Measurement], part: str, large: int, small: int) -> float:
    return _seconds(found, part, large) / _seconds(found, part, small)


def _seconds(found: dict[int, Measurement], part: str, size: int) -> float:
    # Processor time: long runs lose more wall time to other processes than short ones do.
    return found[size].seconds(part, "cpu")


def _expected(large: int, small: int) -> float:
    """The ratio of n log n."""
    return large * math.log(large) / (small * math.log(small))


def _figure(found: dict[int, Measurement]) -> Figure:
    sizes = tuple(sorted(found))
    lines = []
    for part in PARTS:
        seconds = tuple(_seconds(found, part, size) for size in sizes)
        reference = tuple(seconds[-1] / _expected(sizes[-1], size) for size in sizes)
        lines += [Line(part, sizes, seconds), Line(f"{part}: n log n through the last point", sizes, reference)]
    title = "p3 over LUBM facts"
    return Figure("growth", title, "facts", "processor time, s", tuple(lines), log_x=True, log_y=True, points=True)
