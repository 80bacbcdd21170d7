"""The pipeline on Spark, against the same pipeline with shards that do not reason.

Same files, same packing, same operator, same bytes of state, same number of answers; only the kernel is left out.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.parquet
from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession

import thalweg
from thalweg.bench.cost.random_traffic import PLACES, Traffic
from thalweg.bench.peers.short_stops import QUERY
from thalweg.bench.pipeline import idle_shard
from thalweg.bench.pipeline.idle_shard import Share, idle_reasoning
from thalweg.bench.result import Result, Table, at_least, at_most
from thalweg.bench.workbench import Workbench
from thalweg.spark.reasoning import Options, Reasoning
from thalweg.spark.session import session

RULES = """
input Pos(vehicle: string).
predicate NotPos(vehicle: string).
input NotOnMap(vehicle: string).
NotPos(V) :- NotOnMap(V).
ShortStop(V) :- NotPos(V), boxminus[1,1] Pos(V), boxminus[2,2] NotPos(V).
ShortStop(V) :- NotPos(V), boxminus[1,1] Pos(V), boxminus[2,2] Pos(V), boxminus[3,3] NotPos(V).
ShortStop(V) :- NotPos(V), boxminus[1,1] Pos(V), boxminus[2,2] Pos(V), boxminus[3,3] Pos(V), boxminus[4,4] NotPos(V).
ShortStop(V) :- NotPos(V), boxminus[1,1] Pos(V), boxminus[2,2] Pos(V), boxminus[3,3] Pos(V), boxminus[4,4] Pos(V),
    boxminus[5,5] NotPos(V).
"""
VEHICLES, TIMES = 10_000, 200
QUICK_VEHICLES, QUICK_TIMES = 2_000, 50
BATCHES = 4
SMALL_BATCHES = 12
REPETITIONS = 3
LEAST_SHARE = 0.5
MOST_LATENCY = 0.05
MOST_MEMORY = 3.0


@dataclass(frozen=True)
class Run:
    """One run over all rows: seconds, answers, and what each batch said of itself."""

    seconds: float
    answers: int
    metrics: tuple[Any, ...] = ()
    latencies: tuple[float, ...] = ()


def run(bench: Workbench) -> Result:
    """Both pipelines in turn, batch and stream, then a stream of small batches."""
    cloudpickle.register_pickle_by_value(idle_shard)  # type: ignore[no-untyped-call]  # pyspark does not say
    spark = session("local[2]")
    try:
        return _measured(bench, spark)
    finally:
        spark.stop()


def _measured(bench: Workbench, spark: SparkSession) -> Result:
    vehicles, times = (QUICK_VEHICLES, QUICK_TIMES) if bench.quick else (VEHICLES, TIMES)
    traffic = Traffic.draw(vehicles, times, bench.seed)
    folder = bench.folder / "traffic"
    rows = write_places(traffic, folder, BATCHES)
    expected = int(traffic.short_stops().sum())
    seconds: dict[str, list[float]] = {}
    found: dict[str, int] = {}
    for name, stream in (("batch", _batch), ("stream", _stream)):
        first = stream(spark, folder, Reasoning)
        idle = idle_reasoning(_share(first, rows))
        stream(spark, folder, idle)
        for _ in range(1 if bench.quick else REPETITIONS):
            for kind, reasoning in (("reasoner", Reasoning), ("identity", idle)):
                done = stream(spark, folder, reasoning)
                seconds.setdefault(f"{name} {kind}", []).append(done.seconds)
                found[f"{name} {kind}"] = done.answers
    latency = _small_batches(spark, bench, traffic)
    memory = _memory(spark)
    medians = {name: median(taken) for name, taken in seconds.items()}
    return Result(
        title="The pipeline on Spark",
        note=f"{rows:,} rows of {vehicles:,} vehicles at {times} time points, Parquet in, {BATCHES} batches when"
        f" streamed; {expected:,} short stops. Wall-clock seconds, medians of {REPETITIONS} runs in turn, 2 cores.",
        table=Table(
            ("run", "s", "rows a second", "answers"),
            tuple((n, f"{s:.2f}", f"{rows / s:,.0f}", f"{found[n]:,}") for n, s in medians.items()),
        ),
        checks=(
            at_least(
                "batch, share of the identity", medians["batch identity"] / medians["batch reasoner"], LEAST_SHARE
            ),
            at_least(
                "stream, share of the identity", medians["stream identity"] / medians["stream reasoner"], LEAST_SHARE
            ),
            at_most("seconds a small batch takes longer", latency["reasoner"] - latency["identity"], MOST_LATENCY),
            at_most("GB of the driver and its workers, each", memory, MOST_MEMORY),
            at_most("answers missing in a batch", abs(found["batch reasoner"] - expected), 0),
            at_most("answers missing in a stream", abs(found["stream reasoner"] - expected), 0),
        ),
        raw={"seconds": seconds, "small batch": latency, "memory": memory},
    )


def write_places(traffic: Traffic, folder: Path, files: int) -> int:
    """Where each vehicle is as Parquet files, one folder a predicate, each file a stretch of time."""
    stride, rows = -(-traffic.times // files), 0
    for number, predicate in enumerate(PLACES):
        (folder / predicate).mkdir(parents=True, exist_ok=True)
        for first in range(0, traffic.times, stride):
            times, vehicles = (traffic.chosen[PLACES][first : first + stride] == number).nonzero()
            names = pa.array(traffic.names).take(pa.array(vehicles))
            table = pa.table({"vehicle": names, "time": pa.array((times + first + 1).astype("int32"))})
            path = folder / predicate / f"{first:06}.parquet"
            pa.parquet.write_table(table, path, row_group_size=1 << 18)
            os.utime(path, (1_700_000_000 + first, 1_700_000_000 + first))
            rows += len(table)
    return rows


def _batch(spark: SparkSession, folder: Path, reasoning: type[Reasoning]) -> Run:
    tables = {name: spark.read.parquet(str(folder / name)) for name in PLACES}
    begin = time.perf_counter()
    answers = _plan(reasoning, tables).one_query().count()
    return Run(time.perf_counter() - begin, answers)


def _plan(reasoning: type[Reasoning], tables: Mapping[str, DataFrame], **options: Any) -> Reasoning:
    return reasoning.plan(thalweg.parse(RULES), tables, QUERY, Options(**options))


def _stream(
    spark: SparkSession, folder: Path, reasoning: type[Reasoning], at_once: int = 1, name: str = "checkpoint"
) -> Run:
    checkpoint, control = folder / name, folder / "control"
    shutil.rmtree(checkpoint, ignore_errors=True)
    shutil.rmtree(control, ignore_errors=True)
    control.mkdir()
    tables = {
        place: spark.readStream.schema("vehicle string, time int")
        .option("maxFilesPerTrigger", at_once)
        .parquet(str(folder / place))
        for place in PLACES
    }
    planned = _plan(reasoning, tables, control=spark.readStream.text(str(control)))
    counts: list[int] = []
    begin = time.perf_counter()
    progress = []
    for is_last in (False, True):
        if is_last:
            (control / "final").write_text("final\n")
        writer = planned.one_query().writeStream.foreachBatch(lambda frame, _: counts.append(frame.count()))
        query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
        query.awaitTermination()
        progress += query.recentProgress
    seconds = time.perf_counter() - begin
    metrics = tuple(each.observedMetrics["thalweg"] for each in progress)
    latencies = tuple(each.durationMs["triggerExecution"] / 1000 for each in progress[:-1])
    return Run(seconds, sum(counts), metrics, latencies)


def _share(done: Run, rows: int) -> Share:
    written = [metrics.written_bytes for metrics in done.metrics if metrics.rows]
    return Share(done.answers / rows, round(median(written) / 2) if written else 0)


def _small_batches(spark: SparkSession, bench: Workbench, traffic: Traffic) -> dict[str, float]:
    """The median time of a trigger with few rows, once the state is as large as it gets."""
    folder = bench.folder / "small"
    few = Traffic.draw(100, SMALL_BATCHES * 2, bench.seed)
    write_places(few, folder, SMALL_BATCHES * 2)
    first = _stream(spark, folder, Reasoning)
    idle = idle_reasoning(_share(first, few.times * len(few.names)))
    found: dict[str, list[float]] = {"reasoner": [], "identity": []}
    for _ in range(1 if bench.quick else 2):
        for kind, reasoning in (("reasoner", Reasoning), ("identity", idle)):
            found[kind] += _stream(spark, folder, reasoning).latencies[2:]
    return {kind: median(taken) for kind, taken in found.items()}


def _memory(spark: SparkSession) -> float:
    """The largest resident size, in GB, that the driver's Java or any Python of this run has had."""
    pids = [os.getpid(), *_descendants(os.getpid())]
    return max(_peak(pid) for pid in pids) / 1e6


def _descendants(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *_descendants(child)]
    return found


def _peak(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)
