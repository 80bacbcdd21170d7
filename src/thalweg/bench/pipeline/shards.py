"""How the number of shards, and a second stage, change the time of the pipeline on Spark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from thalweg.bench.pipeline.runs import Run, Timings, run_batch, run_stream
from thalweg.bench.pipeline.shared_session import shared_session
from thalweg.bench.pipeline.sources import Source, traffic_source, write_part
from thalweg.bench.result import Result, Table, at_least, at_most, must_agree
from thalweg.bench.workbench import Workbench

SHARDS = (1, 2, 4)
ROADS, STRETCH = 200, 10
WAYS = {"batch": run_batch, "stream": run_stream}
LEAST_SPEEDUP = {"batch": 1.2, "stream": 1.0}
MOST_FOR_A_STAGE = 2.0

DECLARATIONS = """
input On(vehicle: string, road: string).
input Slow(vehicle: string).
input Closed(place: string).
Slowed(V, R) :- On(V, R), diamondminus[0,1] Slow(V).
"""
STAGES = {
    "one stage": DECLARATIONS + "Affected(V) :- Slowed(V, R), diamondminus[0,2] Closed(V).\n",
    "two stages": DECLARATIONS + "Affected(R) :- Slowed(V, R), diamondminus[0,2] Closed(R).\n",
}
"""What slows down is spread by vehicles. With the vehicle in the last rule, all of it is; with the road, what was
derived goes to the shards of roads, through a second shuffle."""


def run(bench: Workbench) -> Result:
    """Shards by turns, then stages by turns, each as a batch and as a stream."""
    spark = shared_session()
    vehicles, times = bench.choose((500, 20), (10_000, 50), (10_000, 200))
    repetitions, batches = bench.choose(1, 3, 3), bench.choose(2, 4, 4)
    traffic, drawn = traffic_source(bench.folder / "traffic", vehicles, times, batches, bench.seed)
    staged = {
        name: _staged(bench.folder / name.replace(" ", "-"), name, vehicles, times, batches, bench.seed)
        for name in STAGES
    }
    found: dict[str, Timings] = {}
    ways = [*WAYS][: bench.choose(1, 2, 2)]
    for way in bench.track(ways, "ways"):
        kinds = {f"{shards} shards": _job(spark, traffic, way, shards) for shards in SHARDS}
        found |= {f"{way}, shards": _by_turns(bench, kinds, repetitions)}
        stages = {name: _job(spark, source, way, 2) for name, source in staged.items()}
        found |= {f"{way}, stages": _by_turns(bench, stages, repetitions)}
    expected = int(drawn.short_stops().sum())
    differing = _differing(found, ways, expected)
    speedups = {way: _ratio(found[f"{way}, shards"], "1 shards", "2 shards") for way in ways}
    costs = {way: _ratio(found[f"{way}, stages"], "two stages", "one stage") for way in ways}
    return Result(
        title="Shards and stages",
        note=f"Short stops of {vehicles:,} vehicles at {times} time points by 1, 2 and 4 shards, on 2 cores: more than"
        " two shards cannot be quicker. Then a rule over vehicles and one over roads (two stages, with a shuffle"
        " between them) against both over vehicles (one stage), over as many facts. Seconds by the clock, of a stream"
        f" those of all batches but the first; medians of {repetitions} runs in turn.",
        table=Table(
            ("run", "with", "s", "of processors, s", "ratio"),
            tuple(_row(name, kind, timings) for name, timings in found.items() for kind in timings.runs),
        ),
        checks=(
            must_agree("answers of all numbers of shards, and of batch and stream", differing),
            *(
                at_least(
                    f"{way}: two shards, times as fast as one",
                    speedup,
                    LEAST_SPEEDUP[way],
                    "one shard leaves a core to Java, which reads and packs at the same time",
                )
                for way, speedup in speedups.items()
            ),
            *(
                at_most(f"{way}: two stages, times as long as one", cost, MOST_FOR_A_STAGE)
                for way, cost in costs.items()
            ),
        ),
        raw={name: timings.raw() for name, timings in found.items()},
    )


def _job(spark: SparkSession, source: Source, way: str, shards: int) -> Callable[[], Run]:
    return lambda: WAYS[way](spark, source, shards=shards)


def _by_turns(bench: Workbench, jobs: dict[str, Callable[[], Run]], repetitions: int) -> Timings:
    """All of them, once without counting where there is time for it."""
    timings = Timings()
    not_counted = bench.choose(0, 1, 1)
    for number in bench.track(range(not_counted + repetitions), "runs"):
        for kind, job in jobs.items():
            done = job()
            if number >= not_counted:
                timings.add(kind, done)
    return timings


def _differing(found: dict[str, Timings], ways: list[str], expected: int) -> int:
    """How many answers are missing or too many: of short stops as counted by hand, of stages by batch and stream."""
    of_shards = [found[f"{way}, shards"].runs.values() for way in ways]
    wrong = sum(abs(run.answers - expected) for kinds in of_shards for runs in kinds for run in runs)
    for name in STAGES:
        counts = [found[f"{way}, stages"].answers(name) for way in ways]
        wrong += max(counts) - min(counts)
    return wrong


def _ratio(timings: Timings, one: str, other: str) -> float:
    return timings.seconds(one) / timings.seconds(other)


def _row(name: str, kind: str, timings: Timings) -> tuple[str, ...]:
    seconds, (first, *_) = timings.seconds(kind), timings.runs
    return name, kind, f"{seconds:.2f}", f"{timings.processor(kind):.2f}", f"{seconds / timings.seconds(first):.2f}"


def _staged(folder: Path, name: str, vehicles: int, times: int, files: int, seed: int) -> Source:
    """Where vehicles are at each time point, a third of them slow, and a tenth of the roads, or vehicles, closed."""
    random = np.random.default_rng(seed)
    closed = ("road", ROADS) if name == "two stages" else ("veh", vehicles)
    names, roads, places = _names("veh", vehicles), _names("road", ROADS), _names(*closed)
    rows, stride = 0, -(-times // files)
    for first in range(0, times, stride):
        moments = np.arange(first, min(first + stride, times))
        every = np.tile(np.arange(vehicles), len(moments))
        when = np.repeat(moments, vehicles)
        road = (every * 7 + when // STRETCH) % ROADS
        slow = random.random(len(every)) < 1 / 3
        shut = random.random((len(moments), closed[1])) < 0.1
        tables = {
            "On": {
                "vehicle": names.take(every),
                "road": roads.take(road),
                "time": when,
            },
            "Slow": {"vehicle": names.take(every[slow]), "time": when[slow]},
            "Closed": {"place": places.take(shut.nonzero()[1]), "time": moments[shut.nonzero()[0]]},
        }
        for predicate, columns in tables.items():
            rows += write_part(pa.table(columns), folder / predicate, first)
    schemas = {
        "On": "vehicle string, road string, time bigint",
        "Slow": "vehicle string, time bigint",
        "Closed": "place string, time bigint",
    }
    return Source(name, STAGES[name], "Affected", folder, schemas, rows, {})


def _names(prefix: str, count: int) -> pa.Array:
    return pa.array([f"{prefix}{number}" for number in range(count)])
