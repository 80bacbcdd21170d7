"""How long a small batch of a stream takes, against the same pipeline with shards that do not reason."""

from __future__ import annotations

import numpy as np

from thalweg.bench.pipeline.runs import IDENTITY, REASONER, Run, Timings, kinds_of, run_stream
from thalweg.bench.pipeline.shared_session import shared_session
from thalweg.bench.pipeline.sources import traffic_source
from thalweg.bench.result import Figure, Line, Result, Table, at_most, must_agree
from thalweg.bench.workbench import Workbench

VEHICLES = 100
NOT_COUNTED = 2
"""Batches at the beginning, in which Spark starts its workers."""
MOST_LONGER = 1.25
WHY_SLOWEST = (
    "the slowest batches are those that Spark, its garbage collection or the machine hold up, in either pipeline"
)


def run(bench: Workbench) -> Result:
    """A stream of single time points, by the reasoner and the identity in turn."""
    spark = shared_session()
    batches, repetitions = bench.choose(8, 30, 100), bench.choose(0, 1, 1)
    source, traffic = traffic_source(bench.folder / "small", VEHICLES, batches + NOT_COUNTED, 1 << 20, bench.seed)
    first = run_stream(spark, source)
    kinds = kinds_of(first, source)
    timings = Timings({REASONER: [first], IDENTITY: [run_stream(spark, source, kinds[IDENTITY])]})
    for _ in bench.track(range(repetitions), "runs"):
        for kind, reasoning in kinds.items():
            timings.add(kind, run_stream(spark, source, reasoning))
    times = {kind: _latencies(runs) for kind, runs in timings.runs.items()}
    found = {kind: (_quantile(taken, 0.5), _quantile(taken, 0.99)) for kind, taken in times.items()}
    ratios = [ours / theirs for ours, theirs in zip(found[REASONER], found[IDENTITY], strict=True)]
    counts = len(times[REASONER])
    return Result(
        title="How long a small batch takes",
        note=f"{VEHICLES} rows a batch, {counts} batches of each kind in {repetitions + 1} runs in turn; the time of a"
        " trigger, from looking for files to the commit, on 2 cores.",
        table=Table(
            ("run", "p50, s", "p99, s"),
            (
                *((kind, f"{median:.3f}", f"{high:.3f}") for kind, (median, high) in found.items()),
                ("times as long", *(f"{ratio:.2f}" for ratio in ratios)),
            ),
        ),
        checks=(
            must_agree("against a count by hand", abs(first.answers - int(traffic.short_stops().sum()))),
            at_most("p50, times the identity's", ratios[0], MOST_LONGER),
            # Of a few batches the slowest says little.
            *([] if bench.quick else [at_most("p99, times the identity's", ratios[1], MOST_LONGER, WHY_SLOWEST)]),
        ),
        raw=times,
        figures=(
            Figure(
                "batches",
                "Time of each small batch",
                "batch",
                "seconds",
                tuple(Line(kind, _numbers(taken), tuple(taken)) for kind, taken in times.items()),
            ),
        ),
    )


def _latencies(runs: list[Run]) -> list[float]:
    return [seconds for run in runs for seconds in run.latencies[NOT_COUNTED:]]


def _quantile(taken: list[float], share: float) -> float:
    return float(np.quantile(taken, share))


def _numbers(taken: list[float]) -> tuple[float, ...]:
    return tuple(float(number) for number in range(1, len(taken) + 1))
