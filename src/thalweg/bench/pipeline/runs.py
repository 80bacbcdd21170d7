"""One run of the pipeline over a source, as a batch or as a stream, and how long it took."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import thalweg
from thalweg.bench.pipeline.idle_shard import Share, idle_reasoning
from thalweg.bench.pipeline.processes import processor_seconds, used_since
from thalweg.bench.pipeline.sources import Source
from thalweg.bench.workbench import Workbench
from thalweg.spark.reasoning import Options, Reasoning

REASONER, IDENTITY = "reasoner", "identity"


@dataclass(frozen=True)
class Run:
    """One run over all rows: seconds by the clock and of processors, answers, and what each batch said of itself.

    Those of a stream are the seconds of its triggers, from the second batch on: in the first, Spark starts workers.
    ``processor`` is for the whole run.
    """

    seconds: float
    processor: float
    answers: int
    metrics: tuple[Any, ...] = ()
    latencies: tuple[float, ...] = ()


Runner = Callable[[SparkSession, Source, type[Reasoning]], Run]
Take = Callable[[DataFrame], None]


@dataclass
class Timings:
    """The runs of each kind, by turns."""

    runs: dict[str, list[Run]] = field(default_factory=dict)

    def add(self, kind: str, run: Run) -> None:
        self.runs.setdefault(kind, []).append(run)

    def seconds(self, kind: str) -> float:
        return median(run.seconds for run in self.runs[kind])

    def processor(self, kind: str) -> float:
        return median(run.processor for run in self.runs[kind])

    def answers(self, kind: str) -> int:
        return self.runs[kind][-1].answers

    def raw(self) -> dict[str, Any]:
        return {
            kind: {"seconds": [run.seconds for run in runs], "processor": [run.processor for run in runs]}
            for kind, runs in self.runs.items()
        }


def run_batch(spark: SparkSession, source: Source, reasoning: type[Reasoning] = Reasoning, **options: Any) -> Run:
    """From tables on disk to the number of answers."""
    planned = plan_batch(spark, source, reasoning, **options)
    return measured(lambda: (planned.one_query().count(), ()))


def plan_batch(
    spark: SparkSession, source: Source, reasoning: type[Reasoning] = Reasoning, **options: Any
) -> Reasoning:
    """A run over all files at once."""
    return _plan(source, source.tables(spark), reasoning, options)


def run_stream(spark: SparkSession, source: Source, reasoning: type[Reasoning] = Reasoning, **options: Any) -> Run:
    """From files, one of each predicate a batch, to the number of answers; to the end of the input."""
    planned, checkpoint, control = plan_stream(spark, source, reasoning, **options)

    def whole() -> tuple[int, tuple[Any, ...]]:
        counts: list[int] = []
        progress = follow_to_the_end(planned, checkpoint, control, lambda rows: counts.append(rows.count()))
        return sum(counts), progress

    return measured(whole)


def plan_stream(
    spark: SparkSession, source: Source, reasoning: type[Reasoning] = Reasoning, **options: Any
) -> tuple[Reasoning, Path, Path]:
    """A stream that has not begun: its plan, its checkpoint, and the folder that says when the input has ended."""
    checkpoint, control = fresh_folder(source.folder / "checkpoint"), fresh_folder(source.folder / "control")
    tables = source.streams(spark)
    planned = _plan(source, tables, reasoning, {**options, "control": spark.readStream.text(str(control))})
    return planned, checkpoint, control


def follow_to_the_end(planned: Reasoning, checkpoint: Path, control: Path, take: Take) -> tuple[Any, ...]:
    """Answer all of a stream; what it said of its batches, without the last, which has no rows of its own."""
    progress = follow(planned.one_query(), checkpoint, take)
    (control / "final").write_text("final\n")
    follow(planned.one_query(), checkpoint, take)
    return progress


def follow(answers: DataFrame, checkpoint: Path, take: Take) -> tuple[Any, ...]:
    """Run a stream until its input has been read; what it said of each batch."""
    writer = answers.writeStream.foreachBatch(lambda rows, _: take(rows))
    query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    query.awaitTermination()
    return tuple(query.recentProgress)


def fresh_folder(folder: Path) -> Path:
    """The folder, empty."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def measured(run: Callable[[], tuple[int, tuple[Any, ...]]]) -> Run:
    """A run that gives the number of its answers, and the progress of its batches if it is a stream."""
    before, begin = processor_seconds(), time.perf_counter()
    answers, progress = run()
    seconds, processor = time.perf_counter() - begin, used_since(before)
    metrics = tuple(each.observedMetrics["thalweg"] for each in progress if "thalweg" in each.observedMetrics)
    latencies = tuple(each.durationMs["triggerExecution"] / 1000 for each in progress if each.numInputRows)
    return Run(sum(latencies[1:]) or seconds, processor, answers, metrics, latencies)


def by_turns(bench: Workbench, spark: SparkSession, source: Source, runner: Runner, repetitions: int) -> Timings:
    """The reasoner and the identity in turn; one run of each before is not counted, where there is time for it."""
    first = runner(spark, source, Reasoning)
    kinds = kinds_of(first, source)
    warm_up = runner(spark, source, kinds[IDENTITY])
    timings = Timings()
    if bench.quick and first.latencies:
        timings.add(REASONER, first)
        timings.add(IDENTITY, warm_up)
        return timings
    for _ in bench.track(range(repetitions), f"{source.name}, runs"):
        for kind, reasoning in kinds.items():
            timings.add(kind, runner(spark, source, reasoning))
    return timings


def kinds_of(first: Run, source: Source) -> dict[str, type[Reasoning]]:
    """The reasoner, and the identity that does as much besides reasoning as a first run did."""
    return {REASONER: Reasoning, IDENTITY: idle_reasoning(share_of(first, source.rows))}


def share_of(done: Run, rows: int) -> Share:
    """What the identity must hand on and write to do as much besides reasoning."""
    written = [each.written_bytes / max(each.shards, 1) for each in done.metrics if each.rows]
    return Share(done.answers / rows, round(median(written)) if written else 0)


def _plan(
    source: Source, tables: Mapping[str, DataFrame], reasoning: type[Reasoning], options: Mapping[str, Any]
) -> Reasoning:
    chosen = Options(**{**source.options, **options})
    return reasoning.plan(thalweg.parse(source.rules), tables, source.query, chosen)
