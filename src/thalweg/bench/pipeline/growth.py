"""How time and memory of the pipeline on Spark grow with the number of facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import SparkSession

from thalweg.bench.pipeline.processes import Memory, forget_peaks, peak_memory
from thalweg.bench.pipeline.runs import Run, Runner, run_batch, run_stream
from thalweg.bench.pipeline.shared_session import shared_session
from thalweg.bench.pipeline.sources import Source, traffic_source
from thalweg.bench.result import Figure, Line, Result, Table, at_most, must_agree
from thalweg.bench.workbench import Workbench
from thalweg.spark.reasoning import Reasoning

TIMES = 200
ROWS_A_BATCH = 1_000_000
WAYS: dict[str, Runner] = {"batch": run_batch, "stream": run_stream}
MOST_GROWTH = 1.2
"""Seconds a fact at the largest size, against the size before it; 1 is growth in proportion."""
MOST_MEMORY_OF_JAVA = 3.0


@dataclass(frozen=True)
class Point:
    """One run of one size."""

    rows: int
    run: Run
    memory: Memory


def run(bench: Workbench) -> Result:
    """One run of each size, after one of the smallest that is not counted, where there is time for it."""
    spark = shared_session()
    sizes = bench.choose(
        (100_000, 200_000), (100_000, 500_000, 2_000_000), (100_000, 500_000, 2_000_000, 5_000_000, 20_000_000)
    )
    found: dict[str, list[Point]] = {way: [] for way in WAYS}
    for number, size in enumerate(bench.track(sizes, "sizes")):
        source = _source(bench, size)
        for way, runner in WAYS.items():
            if not number and not bench.quick:
                runner(spark, source, Reasoning)
            found[way].append(_measured(spark, source, runner))
    growth = {way: _seconds_a_row(points[-1]) / _seconds_a_row(points[-2]) for way, points in found.items()}
    differing = sum(abs(one.run.answers - two.run.answers) for one, two in zip(*found.values(), strict=True))
    java = max(point.memory.java for points in found.values() for point in points)
    return Result(
        title="How the pipeline on Spark grows with the facts",
        note=f"Short stops of vehicles at {TIMES} time points, Parquet in, answers counted; streams in batches of up to"
        f" {ROWS_A_BATCH:,} rows; seconds by the clock of one run, of a stream those of its batches; peaks of resident"
        " memory. Two shards on 2 cores: a batch holds half of its facts in each of two workers, a stream only what its"
        " windows and a batch need.",
        table=Table(
            ("run", "facts", "s", "facts a second", "GB of the largest worker", "GB of Java"),
            tuple(_row(way, point) for way, points in found.items() for point in points),
        ),
        checks=(
            must_agree("batch against stream", differing),
            *(
                at_most(f"{way}: seconds a fact, against those of the size before", grown, MOST_GROWTH)
                for way, grown in growth.items()
            ),
            at_most("GB of Java", java, MOST_MEMORY_OF_JAVA),
        ),
        raw={
            way: [
                (each.rows, _seconds(each), each.run.processor, each.memory.worker, each.memory.java) for each in points
            ]
            for way, points in found.items()
        },
        figures=(
            _figure("time", "Time by number of facts", "seconds", found, _seconds),
            _figure("memory", "Largest worker by number of facts", "GB", found, lambda point: point.memory.worker),
        ),
    )


def _source(bench: Workbench, size: int) -> Source:
    files = max(2, size // ROWS_A_BATCH)
    return traffic_source(bench.folder / f"traffic-{size}", size // TIMES, TIMES, files, bench.seed)[0]


def _measured(spark: SparkSession, source: Source, runner: Runner) -> Point:
    forget_peaks()
    done = runner(spark, source, Reasoning)
    return Point(source.rows, done, peak_memory())


def _seconds(point: Point) -> float:
    """Those of all batches of a stream."""
    return sum(point.run.latencies) or point.run.seconds


def _seconds_a_row(point: Point) -> float:
    return _seconds(point) / point.rows


def _row(way: str, point: Point) -> tuple[str, ...]:
    seconds, memory = _seconds(point), point.memory
    rate = point.rows / seconds
    return way, f"{point.rows:,}", f"{seconds:.2f}", f"{rate:,.0f}", f"{memory.worker:.2f}", f"{memory.java:.2f}"


def _figure(name: str, title: str, unit: str, found: dict[str, list[Point]], value: Callable[[Point], float]) -> Figure:
    lines = tuple(
        Line(way, tuple(float(point.rows) for point in points), tuple(map(value, points)))
        for way, points in found.items()
    )
    return Figure(name, title, "facts", unit, lines, log_x=True, log_y=True, points=True)
