"""How fast open answers are kept up to date when readings arrive late and out of order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import Any

import pyarrow.compute as pc

import thalweg
from thalweg.bench.hypotheses.turbine_readings import (
    DELAY,
    PROGRAM,
    Readings,
    by_hand,
    device_numbers,
    malfunctions,
    readings,
)
from thalweg.bench.repeat import Timing, once
from thalweg.bench.result import Check, Result, Table, at_least, at_most
from thalweg.bench.workbench import Workbench

TURBINES, QUICK_TURBINES = 10_000, 1_000
SIZES, QUICK_SIZES = (100_000, 300_000, 1_000_000), (10_000, 30_000, 100_000)
BATCH = 10_000
REPETITIONS = 3
LEAST_RATE = 100_000
MOST_GROWTH = 1.3
"""So much more may a reading cost in the longest run than in the shortest."""

NOTE = """\
Readings of {turbines:,} turbines, three in ten of them high, one of each turbine at each time point, arrive in any
order within δ = {delay}; three high ones in a row are a malfunction (Example 1 of the paper). Batches of {batch:,} go
through `HypothesisStream.advance` as Arrow tables, and every change of status leaves as a row of an Arrow table with
its evidence, its hypotheses and its deadline. Seconds of processor time, medians of {repetitions} runs in turn. *By
hand* is a loop over readings with a dictionary of partial matches, which only counts what it would say; both must say
the same of as many answers, and confirm exactly the malfunctions. The bound on what is open is turbines times w + 1."""


@dataclass(frozen=True)
class Run:
    """What was said of how many answers, and the most rows that were open."""

    said: Counter[str]
    most_open: int
    bound: int
    confirmed: set[tuple[int, int]]


def run(bench: Workbench) -> Result:
    """Measure streams of growing length."""
    turbines = QUICK_TURBINES if bench.quick else TURBINES
    streams = [readings(turbines, size, bench.seed) for size in (QUICK_SIZES if bench.quick else SIZES)]
    timings: dict[int, Timing] = {}
    loops: dict[int, Timing] = {}
    rows, checks = [], []
    for _ in range(REPETITIONS):
        for number, stream in enumerate(streams):
            timing, outcome = once(lambda stream=stream: _follow(stream))  # type: ignore[misc]
            loop, counted = once(lambda stream=stream: by_hand(stream, BATCH))  # type: ignore[misc]
            timings[number] = timings[number].and_again(timing) if number in timings else timing
            loops[number] = loops[number].and_again(loop) if number in loops else loop
            checks += _disagreements(stream, outcome, counted)
            if len(timings[number].seconds) == REPETITIONS:
                rows.append(_row(stream, outcome, timings[number], loops[number]))
                checks.append(at_most(f"open rows of {len(stream):,} readings", outcome.most_open, outcome.bound))
    rates = [timings[number].rate(len(stream)) for number, stream in enumerate(streams)]
    checks.append(at_least(f"readings a second, {len(streams[-1]):,} readings", rates[-1], LEAST_RATE))
    checks.append(at_most("cost of a reading, longest against shortest stream", rates[0] / rates[-1], MOST_GROWTH))
    return Result(
        title="Hypothetical answers",
        note=NOTE.format(turbines=turbines, delay=DELAY, batch=BATCH, repetitions=REPETITIONS),
        table=Table(
            ("readings", "seconds", "readings/s", "by hand: readings/s", "ratio", "changes said", "most open (bound)"),
            tuple(rows),
        ),
        checks=tuple(checks),
        raw={
            str(len(stream)): {"engine": timings[n].seconds, "by hand": loops[n].seconds}
            for n, stream in enumerate(streams)
        },
    )


def _follow(given: Readings) -> Run:
    stream = thalweg.HypothesisStream(thalweg.parse(PROGRAM), "Malf")
    said: Counter[str] = Counter()
    confirmed: list[tuple[str, int]] = []
    most = 0
    for tables in given.tables(BATCH):
        changes = stream.advance(tables).table()
        counts = changes["status"].value_counts()
        said.update({each["values"].as_py(): each["counts"].as_py() for each in counts})
        true = changes.filter(_is_confirmed(changes))
        confirmed += zip(true[0].to_pylist(), true["time"].to_pylist(), strict=True)
        most = max(most, stream.open_count)
    said["open"] = stream.open_count
    per_binding = stream.promises.rows_per_binding
    assert per_binding is not None
    names, times = zip(*confirmed, strict=True) if confirmed else ((), ())
    return Run(said, most, given.turbines * per_binding, {*zip(device_numbers(names), times, strict=True)})


def _is_confirmed(changes: Any) -> Any:
    return pc.equal(changes["status"], "confirmed")


def _disagreements(given: Readings, outcome: Run, counted: dict[str, int]) -> list[Check]:
    found = []
    if outcome.confirmed != malfunctions(given):
        found.append(at_most("malfunctions missed or made up", len(outcome.confirmed ^ malfunctions(given)), 0))
    found += [
        at_most(f"difference from by hand in {status}", abs(outcome.said[status] - counted.get(status, 0)), 0)
        for status in outcome.said.keys() | counted.keys()
        if outcome.said[status] != counted.get(status, 0)
    ]
    return found


def _row(given: Readings, outcome: Run, timing: Timing, loop: Timing) -> tuple[str, ...]:
    ratio = median(loop.seconds) / median(timing.seconds)
    said = sum(count for status, count in outcome.said.items() if status != "open")
    return (
        f"{len(given):,}",
        f"{timing.median:.2f}",
        f"{timing.rate(len(given)):,.0f}",
        f"{loop.rate(len(given)):,.0f}",
        f"{ratio:.2f}",
        f"{said:,}",
        f"{outcome.most_open:,} ({outcome.bound:,})",
    )
