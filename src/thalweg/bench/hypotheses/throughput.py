"""How fast open answers are kept up to date when readings arrive late and out of order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median

import numpy as np
import pyarrow.compute as pc

import thalweg
from thalweg.bench.hypotheses.turbine_readings import DELAY, Batches, answer_codes, by_hand, device_numbers
from thalweg.bench.repeat import Timing, once
from thalweg.bench.result import Check, Result, Table, at_least, at_most, must_agree
from thalweg.bench.workbench import Workbench
from thalweg.generators.columns import Ints

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
    confirmed: Ints


def run(bench: Workbench) -> Result:
    """Measure streams of growing length, both ways in turn."""
    turbines = bench.choose(QUICK_TURBINES, TURBINES, TURBINES)
    sizes = bench.choose(QUICK_SIZES, SIZES, SIZES)
    streams = [Batches.draw(turbines, size, bench.seed) for size in sizes]
    timings: dict[int, Timing] = {}
    loops: dict[int, Timing] = {}
    outcomes: dict[int, Run] = {}
    checks: dict[int, list[Check]] = {}
    for _ in bench.track(range(REPETITIONS), "repetitions"):
        for number, stream in enumerate(streams):
            timing, outcome = once(lambda stream=stream: _follow(stream))  # type: ignore[misc]
            loop, counted = once(lambda stream=stream: by_hand(stream, BATCH))  # type: ignore[misc]
            timings[number] = timings[number].and_again(timing) if number in timings else timing
            loops[number] = loops[number].and_again(loop) if number in loops else loop
            outcomes[number], checks[number] = outcome, _checks(stream, outcome, counted)
    rates = [timings[number].rate(len(stream)) for number, stream in enumerate(streams)]
    return Result(
        title="Hypothetical answers",
        note=NOTE.format(turbines=turbines, delay=DELAY, batch=BATCH, repetitions=REPETITIONS),
        table=Table(
            ("readings", "seconds", "readings/s", "by hand: readings/s", "ratio", "changes said", "most open (bound)"),
            tuple(_row(stream, outcomes[n], timings[n], loops[n]) for n, stream in enumerate(streams)),
        ),
        checks=(
            *(check for found in checks.values() for check in found),
            at_least(f"readings a second, {len(streams[-1]):,} readings", rates[-1], LEAST_RATE),
            at_most("cost of a reading, longest against shortest stream", rates[0] / rates[-1], MOST_GROWTH),
        ),
        raw={
            str(len(stream)): {"engine": timings[n].seconds, "by hand": loops[n].seconds}
            for n, stream in enumerate(streams)
        },
    )


def _follow(given: Batches) -> Run:
    stream = thalweg.HypothesisStream(thalweg.parse(given.program), "Malf")
    said: Counter[str] = Counter()
    confirmed = [np.zeros(0, np.int64)]
    most = 0
    for tables in given.tables(BATCH):
        changes = stream.advance(tables).table()
        counts = changes["status"].value_counts()
        said.update({each["values"].as_py(): each["counts"].as_py() for each in counts})
        true = changes.filter(pc.equal(changes["status"], "confirmed"))
        confirmed.append(answer_codes(device_numbers(true[0]), true["time"].to_numpy()))
        most = max(most, stream.open_count)
    said["open"] = stream.open_count
    per_binding = stream.promises.rows_per_binding
    assert per_binding is not None
    return Run(said, most, given.drawn.turbines * per_binding, np.concatenate(confirmed))


def _checks(given: Batches, outcome: Run, counted: dict[str, int]) -> list[Check]:
    expected = answer_codes(*given.drawn.malfunctions())
    statuses = outcome.said.keys() | counted.keys()
    return [
        must_agree(f"{len(given):,} readings: malfunctions", len(np.setxor1d(outcome.confirmed, expected))),
        must_agree(
            f"{len(given):,} readings: what is said of how many, as by hand",
            sum(abs(outcome.said[status] - counted.get(status, 0)) for status in statuses),
        ),
        at_most(f"{len(given):,} readings: open rows", outcome.most_open, outcome.bound),
    ]


def _row(given: Batches, outcome: Run, timing: Timing, loop: Timing) -> tuple[str, ...]:
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
