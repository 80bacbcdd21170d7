"""How much faster than reelay, a monitor in C++, on a property of many signals.

reelay is not among the requirements: when it is not installed, its rate as measured elsewhere stands in for it.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow.compute as pc

import thalweg
from thalweg.bench.peers.signals import Events, Signals, Stream
from thalweg.bench.repeat import Timing, once, repeat
from thalweg.bench.result import Check, Result, Table, at_least, at_most
from thalweg.bench.workbench import Workbench
from thalweg.engine.stream import StreamReasoner
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet
from thalweg.time.timeline import Timeline

RULE = "Ok(S) :- boxminus[0,4] diamondminus[0,2] Signal(S)."
PATTERN = "historically[0:4](once[0:2] {signal})"

SIGNALS, TIME = 1_000, 1_000
STRIDE = 100
REPETITIONS = 5
MONITORED = 20
"""Signals given to reelay, which has a monitor for each and takes long to make one; making them is not counted."""

ELSEWHERE = 500_000
"""reelay's events a second, measured on another machine."""

Answers = dict[str, IntervalSet]


@dataclass(frozen=True)
class Kind:
    """A way to see time: how facts and events are made of signals, and what an event is."""

    name: str
    timeline: Timeline
    facts: Callable[[Signals, int], Stream]
    events: Callable[[Signals, int], Events]
    count: Callable[[Signals], int]


DENSE = Kind(
    "dense time, an event a change",
    Timeline.RATIONAL,
    Signals.stretches_as_facts,
    Signals.change_events,
    lambda signals: signals.change_count,
)
DISCRETE = Kind(
    "discrete time, an event a tick",
    Timeline.INTEGER,
    Signals.ticks_as_facts,
    Signals.tick_events,
    lambda signals: signals.tick_count,
)


def run(bench: Workbench) -> Result:
    """Measure both systems on the same signals."""
    signals = Signals.draw(SIGNALS, TIME // 2 if bench.quick else TIME, bench.seed)
    reelay = importlib.import_module("reelay") if importlib.util.find_spec("reelay") else None
    rows: list[tuple[str, ...]] = []
    checks: list[Check] = []
    raw: dict[str, Any] = {}
    for kind in (DENSE, DISCRETE):
        ours, found = _run_thalweg(kind, signals)
        our_rate, their_rate = ours.rate(kind.count(signals)), float(ELSEWHERE)
        raw[kind.name] = {"events": kind.count(signals), "thalweg": ours.seconds}
        if reelay:
            theirs, expected = _run_reelay(reelay, kind, signals)
            their_rate = theirs.rate(sum(len(kind.events(signals, number)) for number in range(MONITORED)))
            raw[kind.name] |= {"reelay": theirs.seconds}
            differing = sum(_held(kind, signals, found, name) != expected[name] for name in expected)
            checks.append(at_most(f"{kind.name}: signals with answers that differ", differing, 0))
        rows.append((kind.name, f"{our_rate:,.0f}", f"{their_rate:,.0f}", f"{our_rate / their_rate:.1f}"))
        checks.append(at_least(f"{kind.name}: times faster per event", our_rate / their_rate, 1))
    installed = f"reelay {importlib.metadata.version('reelay')}" if reelay else "**reelay is not installed**"
    missing = "" if reelay else ": the rate given for it was measured elsewhere, and no answers are compared"
    return Result(
        title="Signals, against reelay",
        note=f"`{PATTERN}`, that is `{RULE}`, on {SIGNALS:,} signals for {signals.end:,} time units, fed to Thalweg in"
        f" strides of {STRIDE} units and, {MONITORED} of them, to reelay event by event. Processor time, medians of"
        f" {REPETITIONS} runs; {installed}{missing}.",
        table=Table(("time", "Thalweg, events a second", "reelay, events a second", "times faster"), tuple(rows)),
        checks=tuple(checks),
        raw=raw,
    )


def _run_thalweg(kind: Kind, signals: Signals) -> tuple[Timing, list[Any]]:
    """Tables of answers; facts as batches are made beforehand."""
    program = thalweg.parse(f"timeline {kind.timeline.value}. {RULE}")
    stream = kind.facts(signals, STRIDE)

    def execute() -> list[Any]:
        reasoner = StreamReasoner(program, "Ok")
        return [reasoner.advance(batches, to).table("Ok") for to, batches in stream]

    return repeat(execute, REPETITIONS)


def _run_reelay(reelay: Any, kind: Kind, signals: Signals) -> tuple[Timing, Answers]:
    """When some of the signals are as the pattern wants; events and monitors are made beforehand."""
    events = [kind.events(signals, number) for number in range(MONITORED)]
    timing, said = _monitor(_monitors(reelay, kind), events)
    for _ in range(REPETITIONS - 1):
        again, said = _monitor(_monitors(reelay, kind), events)
        timing = timing.and_again(again)
    return timing, {signals.names[i]: _held_by_reelay(kind, signals, outputs) for i, outputs in enumerate(said)}


def _monitors(reelay: Any, kind: Kind) -> list[Any]:
    make = reelay.dense_timed_monitor if kind is DENSE else reelay.discrete_timed_monitor
    return [make(pattern=PATTERN) for _ in range(MONITORED)]


def _monitor(monitors: list[Any], events: list[Events]) -> tuple[Timing, list[list[Any]]]:
    def execute() -> list[list[Any]]:
        return [[*map(monitor.update, of_signal)] for monitor, of_signal in zip(monitors, events, strict=True)]

    return once(execute)


def _held_by_reelay(kind: Kind, signals: Signals, outputs: list[Any]) -> IntervalSet:
    """reelay says when its verdict changes, in a list of them when time is dense."""
    changes = [change for output in outputs for change in (output if kind is DENSE else [output] if output else [])]
    ends = [Fraction(change["time"]) for change in changes[1:]] + [Fraction(signals.end)]
    held = [
        Interval(Fraction(change["time"]), end, True, False)
        for change, end in zip(changes, ends, strict=True)
        if change["value"]
    ]
    return IntervalSet(tuple(held), kind.timeline)


def _held(kind: Kind, signals: Signals, tables: list[Any], name: str) -> IntervalSet:
    """When Thalweg's answers hold for a signal, before the end."""
    held = []
    for table in tables:
        for row in table.filter(pc.equal(table["arg1"], name)).to_pylist():
            ends = Fraction(row["start"]), Fraction(row["end"]), row["start_closed"], row["end_closed"]
            held.append(Interval(*ends))
    before_end = IntervalSet((Interval(Fraction(0), Fraction(signals.end), True, False),), kind.timeline)
    return IntervalSet(tuple(held), kind.timeline).intersection(before_end)
