"""How much faster than MeTeoR on a stream: short stops of vehicles, fed at once and by time points."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import thalweg
from thalweg.bench.data import HACKATHON, data_path, program_path
from thalweg.bench.peers import meteor
from thalweg.bench.peers.meteor_stream import answers_at_time_points, read_stream
from thalweg.bench.repeat import Timing, once, repeat
from thalweg.bench.result import Check, Result, Table, at_least, at_most
from thalweg.bench.workbench import Workbench
from thalweg.engine.read import read_facts_of
from thalweg.engine.replay import replay
from thalweg.engine.stream import StreamReasoner

RULES = "short_stop"
QUERY = "ShortStop"

TIME_POINTS, QUICK_TIME_POINTS = 200, 100
KNOWN_ANSWERS = 1263
REPETITIONS = 3
RUNS_OF_OURS = 9
"""Thalweg's runs for each of MeTeoR's, which take much longer."""

AT_ONCE, BY_TIME_POINT = "all at once", "time point by time point"
LEAST_SPEEDUP = {AT_ONCE: 1000, BY_TIME_POINT: 50}

Answers = set[tuple[str, Fraction]]


def run(bench: Workbench) -> Result:
    """Measure both systems by turns."""
    points = QUICK_TIME_POINTS if bench.quick else TIME_POINTS
    lines = [line for line in data_path(HACKATHON, "S1.txt").read_text().splitlines() if line and _time(line) <= points]
    feeds = _feeds(lines, points)
    rules, stream = meteor.read_rules(program_path(RULES).read_text().splitlines()), read_stream(lines)
    timings: dict[str, Timing] = {}
    found: dict[str, Answers] = {}
    for _ in range(1 if bench.quick else REPETITIONS):
        theirs, answers = once(lambda: answers_at_time_points(rules, stream, QUERY))
        timings["MeTeoR"] = _added(timings.get("MeTeoR"), theirs)
        for feed, execute in feeds.items():
            ours, tables = repeat(execute, RUNS_OF_OURS)
            timings[feed] = _added(timings.get(feed), ours)
            found[feed] = _answers(tables)
    expected = set(answers)
    speedups = {feed: timings["MeTeoR"].median / timings[feed].median for feed in feeds}
    return Result(
        title="Short stops on a stream, against MeTeoR",
        note=f"{len(lines):,} facts at {points} time points, {len(expected):,} answers at the time points of the data;"
        " from facts in memory to answers, the making of the reasoner included, in seconds of processor time, medians."
        " MeTeoR has no reasoner for streams: its `materialize`, semi-naive, runs at every time point on the window of"
        " the last 5 time units, as Algorithm 1 of the journal paper does, on facts cut into time points beforehand."
        " Thalweg cuts them itself, and its answers are Arrow tables.",
        table=Table(
            ("system", "fed", "s", "facts a second", "times faster"),
            (
                _row("MeTeoR", BY_TIME_POINT, timings["MeTeoR"], len(lines), 1),
                *(_row("Thalweg", feed, timings[feed], len(lines), speedups[feed]) for feed in feeds),
            ),
        ),
        checks=(
            *(at_least(f"fed {feed}: times faster", speedups[feed], LEAST_SPEEDUP[feed]) for feed in feeds),
            *(at_most(f"fed {feed}: answers that differ", len(found[feed] ^ expected), 0) for feed in feeds),
            _known(len(expected), bench.quick),
        ),
        raw={"facts": len(lines), "seconds": {name: timing.seconds for name, timing in timings.items()}},
    )


def _feeds(lines: list[str], last: int) -> dict[str, Callable[[], list[Any]]]:
    """The ways to give facts to Thalweg; each returns the tables of answers."""
    program = thalweg.load(program_path(RULES))
    batches, problems = read_facts_of(program, "\n".join(lines))
    assert not problems

    def at_once() -> list[Any]:
        reasoner = StreamReasoner(program, QUERY, "data")
        return [reasoner.advance(batches, last).table(QUERY)]

    def by_time_point() -> list[Any]:
        reasoner = StreamReasoner(program, QUERY, "data")
        return [stride.answers.table(QUERY) for stride in replay(reasoner, batches, Fraction(1))]

    return {AT_ONCE: at_once, BY_TIME_POINT: by_time_point}


def _known(found: int, quick: bool) -> Check:
    return Check("answers", f"{found:,}", found > 0 if quick else found == KNOWN_ANSWERS)


def _answers(tables: Iterable[Any]) -> Answers:
    columns = ((table["arg1"].to_pylist(), table["start"].to_pylist()) for table in tables)
    return {(name, Fraction(time)) for names, times in columns for name, time in zip(names, times, strict=True)}


def _time(line: str) -> int:
    return int(line.rsplit(",", 1)[1].rstrip("]"))


def _added(timing: Timing | None, more: Timing) -> Timing:
    return more if timing is None else timing.and_again(more)


def _row(system: str, feed: str, timing: Timing, facts: int, speedup: float) -> tuple[str, ...]:
    return system, feed, f"{timing.median:.4f}", f"{timing.rate(facts):,.0f}", f"{speedup:,.0f}"
