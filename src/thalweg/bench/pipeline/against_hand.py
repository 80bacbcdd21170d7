"""Short stops by rules, against PySpark jobs written by hand for them: same files in, same answers out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from thalweg.bench.pipeline.by_hand import short_stops, short_stops_of_stream
from thalweg.bench.pipeline.runs import (
    Run,
    Timings,
    follow,
    follow_to_the_end,
    fresh_folder,
    measured,
    plan_batch,
    plan_stream,
)
from thalweg.bench.pipeline.shared_session import shared_session
from thalweg.bench.pipeline.sources import Source, traffic_source
from thalweg.bench.result import Result, Table, at_least, must_agree
from thalweg.bench.workbench import Workbench

THALWEG, BY_HAND = "Thalweg", "by hand"
LEAST_RATIO = 1.0
WARM_UP = 2
"""Runs that are not counted: Java compiles what it runs often."""

WHY = {
    "batch": "Spark's window functions run inside Java; Thalweg's rows go from Java to Python once more, and a query"
    " starts Python tasks for every table and shard, which takes a fixed time",
    "stream": "",
}

Job = Callable[[SparkSession, Source, list[pa.Table]], Run]


def run(bench: Workbench) -> Result:
    """Each in turn, as a batch and as a stream; all answers are compared."""
    spark = shared_session()
    vehicles, times = bench.choose((300, 30), (10_000, 100), (10_000, 200))
    files, repetitions = bench.choose(3, 4, 5), bench.choose(1, 3, 5)
    source, _ = traffic_source(bench.folder / "traffic", vehicles, times, files, bench.seed)
    found: dict[str, Timings] = {}
    agreement = []
    ways = [*JOBS.items()][: bench.choose(1, 2, 2)]
    for way, jobs in bench.track(ways, "ways"):
        # A stream warms up in its first batch, which is not counted; by hand it takes minutes.
        not_counted = 0 if way == "stream" else bench.choose(1, WARM_UP, WARM_UP)
        found[way], answers = Timings(), {}
        runs = not_counted + (bench.choose(1, 1, 2) if way == "stream" else repetitions)
        for number in bench.track(range(runs), f"{way}, runs"):
            for system, job in jobs.items():
                tables: list[pa.Table] = []
                done = job(spark, source, tables)
                answers[system] = tables
                if number >= not_counted:
                    found[way].add(system, done)
        agreement.append(must_agree(f"{way}: answers", differing(*answers.values())))
    ratios = {way: timings.seconds(BY_HAND) / timings.seconds(THALWEG) for way, timings in found.items()}
    return Result(
        title="Short stops by rules, against a job written by hand",
        note=f"{source.rows:,} rows of {vehicles:,} vehicles, Parquet in, answers to the driver as Arrow tables. By"
        " hand: window functions over each vehicle's readings in a batch; `applyInPandasWithState` for each vehicle,"
        " with its last movement as state, on a stream. Seconds by the clock, of a stream those of all batches but the"
        f" first of {files}; medians of {repetitions} runs in turn, of fewer for a stream, 2 cores.",
        table=Table(
            ("run", "system", "s", "of processors, s", "answers", "times as fast as by hand"),
            tuple(_row(way, each, timings) for way, timings in found.items() for each in timings.runs),
        ),
        checks=(
            *agreement,
            *(
                at_least(f"{way}: times as fast as by hand", found_, LEAST_RATIO, WHY[way])
                for way, found_ in ratios.items()
            ),
        ),
        raw={way: timings.raw() for way, timings in found.items()},
    )


def our_batch(spark: SparkSession, source: Source, tables: list[pa.Table]) -> Run:
    """The rules."""
    planned = plan_batch(spark, source)
    return measured(lambda: (_take(_points(planned.one_query()), tables), ()))


def hand_batch(spark: SparkSession, source: Source, tables: list[pa.Table]) -> Run:
    """The job with window functions."""
    inputs = source.tables(spark)
    return measured(lambda: (_take(short_stops(inputs), tables), ()))


def our_stream(spark: SparkSession, source: Source, tables: list[pa.Table]) -> Run:
    """The rules, to the end of the stream."""
    planned, checkpoint, control = plan_stream(spark, source)

    def whole() -> tuple[int, tuple[Any, ...]]:
        progress = follow_to_the_end(planned, checkpoint, control, lambda rows: _keep(_points(rows), tables))
        return sum(map(len, tables)), progress

    return measured(whole)


def hand_stream(spark: SparkSession, source: Source, tables: list[pa.Table]) -> Run:
    """The job with a state for each vehicle."""
    inputs, checkpoint = source.streams(spark), fresh_folder(source.folder / "by-hand")

    def whole() -> tuple[int, tuple[Any, ...]]:
        progress = follow(short_stops_of_stream(inputs), checkpoint, lambda rows: _keep(rows, tables))
        return sum(map(len, tables)), progress

    return measured(whole)


JOBS: dict[str, dict[str, Job]] = {
    "batch": {THALWEG: our_batch, BY_HAND: hand_batch},
    "stream": {THALWEG: our_stream, BY_HAND: hand_stream},
}


def differing(ours: Sequence[pa.Table], theirs: Sequence[pa.Table]) -> int:
    """How many answers only one of them has."""
    return len(_answers(ours) ^ _answers(theirs))


def _answers(tables: Sequence[pa.Table]) -> set[tuple[str, int]]:
    rows = (zip(table["vehicle"].to_pylist(), table["time"].to_pylist(), strict=True) for table in tables)
    return {answer for table in rows for answer in table}


def _points(answers: DataFrame) -> DataFrame:
    """A short stop ends at a time point: its interval is that point."""
    return answers.where("start = end").selectExpr("vehicle", "start AS time")


def _take(rows: DataFrame, tables: list[pa.Table]) -> int:
    _keep(rows, tables)
    return len(tables[-1])


def _keep(rows: DataFrame, tables: list[pa.Table]) -> None:
    tables.append(rows.toArrow())


def _row(way: str, system: str, timings: Timings) -> tuple[str, ...]:
    seconds = timings.seconds(system)
    ratio = timings.seconds(BY_HAND) / seconds
    return (
        way,
        system,
        f"{seconds:.2f}",
        f"{timings.processor(system):.2f}",
        f"{timings.answers(system):,}",
        f"{ratio:.2f}",
    )
