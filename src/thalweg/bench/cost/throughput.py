"""How many facts a second one core takes in from a stream of many vehicles."""

from __future__ import annotations

from typing import Any

import numpy as np

import thalweg
from thalweg.bench.cost.random_traffic import Traffic
from thalweg.bench.repeat import Timing, repeat
from thalweg.bench.result import Result, Table, at_least, at_most
from thalweg.bench.workbench import Workbench
from thalweg.engine.stream import StreamReasoner
from thalweg.generators.journal_programs import SHORT_STOP, SHORT_STOPS

VEHICLES, QUICK_VEHICLES = 10_000, 2_000
TIME_POINTS = 30
STRIDES = (1, 5, 10)
PROMISED_STRIDE = 5
LEAST_RATE = 1_000_000
REPETITIONS = 5


def run(bench: Workbench) -> Result:
    """Feed the same facts in strides of different lengths."""
    traffic = Traffic.draw(QUICK_VEHICLES if bench.quick else VEHICLES, TIME_POINTS, bench.seed)
    timings = {}
    differing = 0
    for stride in STRIDES:
        timings[stride], tables = _measure(traffic, stride)
        differing += _differing(traffic, tables)
    answers = int(traffic.short_stops().sum())
    return Result(
        title="Throughput of a stream",
        note=f"{traffic.facts:,} facts: {len(traffic.names):,} vehicles at {TIME_POINTS} time points, each with a"
        f" place, a heading and a pace; {answers:,} short stops. From batches in memory to Arrow tables, in seconds of"
        f" processor time, medians of {REPETITIONS} runs.",
        table=Table(
            ("time points at once", "facts at once", "s", "facts a second"),
            tuple(_row(traffic, stride, timing) for stride, timing in timings.items()),
        ),
        checks=(
            at_least(
                f"facts a second, {PROMISED_STRIDE} time points at once",
                timings[PROMISED_STRIDE].rate(traffic.facts),
                LEAST_RATE,
            ),
            at_least("answers", answers, 1),
            at_most("answers that differ from those found by hand", differing, 0),
        ),
        raw={"facts": traffic.facts, "seconds": {str(s): timing.seconds for s, timing in timings.items()}},
    )


def _measure(traffic: Traffic, stride: int) -> tuple[Timing, list[Any]]:
    program = thalweg.parse(SHORT_STOPS)
    stream = traffic.stream(stride)

    def execute() -> list[Any]:
        reasoner = StreamReasoner(program, SHORT_STOP, "data")
        return [reasoner.advance(batches, to).table(SHORT_STOP) for to, batches in stream]

    return repeat(execute, REPETITIONS)


def _differing(traffic: Traffic, tables: list[Any]) -> int:
    found = np.zeros((traffic.times, len(traffic.names)), np.bool_)
    numbers = {name: number for number, name in enumerate(traffic.names)}
    for table in tables:
        vehicles = [numbers[name] for name in table["arg1"].to_pylist()]
        found[[int(time) - 1 for time in table["start"].to_pylist()], vehicles] = True
    return int((found != traffic.short_stops()).sum())


def _row(traffic: Traffic, stride: int, timing: Timing) -> tuple[str, ...]:
    at_once = traffic.facts // traffic.times * stride
    return str(stride), f"{at_once:,}", f"{timing.median:.3f}", f"{timing.rate(traffic.facts):,.0f}"
