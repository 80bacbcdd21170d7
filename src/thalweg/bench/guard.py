"""A small, fast set of ratios with generous limits: it fails when a change makes something several times slower.

Each ratio divides the processor time of some work by that of a yardstick that no change to Thalweg touches: plain
Python, or plain numpy. Both run in turn, the best of several runs counts, so that a busy machine changes little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import thalweg
from thalweg.analysis.report import analyse
from thalweg.bench.cost.random_traffic import Traffic
from thalweg.bench.lars_plus.scenarios import SCENARIOS
from thalweg.bench.repeat import once
from thalweg.bench.result import Result, Table, at_most
from thalweg.bench.workbench import Workbench
from thalweg.engine.read import read_facts_of
from thalweg.engine.stream import StreamReasoner
from thalweg.generators.journal_programs import RECURSIVE, SHORT_STOPS

RUNS = 5
SEED = 7

NOTE = """\
Processor time of some work divided by that of a yardstick, plain Python or plain numpy; the best of {runs} runs, in
turn. The limits are about four times what was found when they were set: the tests fail when one is passed."""


@dataclass(frozen=True)
class Guarded:
    """Work and its yardstick, and the largest ratio that is let pass; ``prepare`` makes the work."""

    name: str
    prepare: Callable[[], Callable[[], Any]]
    yardstick: Callable[[], Any]
    limit: float

    def ratio(self, runs: int = RUNS) -> float:
        """How many times as long as the yardstick the work takes."""
        work = self.prepare()
        work()
        self.yardstick()
        taken = [(once(work)[0].median, once(self.yardstick)[0].median) for _ in range(runs)]
        return min(seconds for seconds, _ in taken) / min(seconds for _, seconds in taken)


def plain_python() -> int:
    """Some hundred thousand steps of the interpreter: dictionaries, tuples, additions."""
    seen: dict[tuple[int, int], int] = {}
    for number in range(100_000):
        key = number % 97, number % 89
        seen[key] = seen.get(key, 0) + number
    return len(seen)


def plain_numpy() -> int:
    """Sorting and running maxima of two hundred thousand numbers, as the kernels do."""
    values = np.random.default_rng(SEED).integers(0, 1 << 40, 200_000)
    order = np.argsort(values)
    return int(np.maximum.accumulate(values[order])[-1]) + int(np.cumsum(values % 7)[-1])


def _parse() -> Callable[[], Any]:
    rules = (f"P{i}(X, Y) :- boxminus[0,{i}] Q{i}(X), diamondminus[1,3] R{i}(X, Y), S{i}(Y)." for i in range(60))
    text = "\n".join(rules)
    return lambda: thalweg.parse(text)


def _analyse() -> Callable[[], Any]:
    text = "\n".join(f"P{i + 1}(X) :- boxminus[1,2] P{i}(X), Q{i}(X, Y)." for i in range(30))
    program = thalweg.parse(text)
    return lambda: analyse(program)


def _read() -> Callable[[], Any]:
    program = thalweg.parse(RECURSIVE)
    lines = [f"doctoralDegreeFrom(p{i % 900}, u{i % 37})@[{i % 300},{i % 300 + 2}]" for i in range(20_000)]
    text = "\n".join(lines)
    return lambda: read_facts_of(program, text)


def _materialise() -> Callable[[], Any]:
    program = thalweg.parse(SHORT_STOPS)
    batches = _traffic().stream(30)[0][1]
    return lambda: thalweg.materialise(program, batches)


def _stream_at_once() -> Callable[[], Any]:
    program, (to, batches) = thalweg.parse(SHORT_STOPS), _traffic().stream(30)[0]
    return lambda: StreamReasoner(program, "ShortStop", "data").advance(batches, to).table("ShortStop")


def _stream_by_time_point() -> Callable[[], Any]:
    program, stream = thalweg.parse(SHORT_STOPS), Traffic.draw(50, 30, SEED).stream(1)

    def run() -> None:
        reasoner = StreamReasoner(program, "ShortStop", "data")
        for to, batches in stream:
            reasoner.advance(batches, to)

    return run


def _recursion() -> Callable[[], Any]:
    program = thalweg.parse(RECURSIVE)
    batches, _ = read_facts_of(program, "\n".join(f"FullProfessor(p{i})@{i % 20 / 2}" for i in range(500)))
    return lambda: thalweg.materialise(program, batches, start=0, end=60)


def _chase() -> Callable[[], Any]:
    scenario = SCENARIOS["S_A 0.7/0.7/1.0"](SEED)
    facts = [scenario.facts(time, time) for time in range(12)]

    def run() -> None:
        reasoner = StreamReasoner(scenario.program, scenario.queries)
        for time, batches in enumerate(facts):
            reasoner.advance(batches, time)

    return run


def _negation_and_windows() -> Callable[[], Any]:
    program = thalweg.parse(
        "timeline integer. Quiet(V) :- window[last 5] some Pos(V), not window[last 2] some SlowDown(V)."
    )
    to, batches = _traffic().stream(30)[0]
    return lambda: StreamReasoner(program, "Quiet").advance(batches, to).table("Quiet")


@cache
def _traffic() -> Traffic:
    return Traffic.draw(1_000, 30, SEED)


GUARDED = (
    Guarded("parse 60 rules", _parse, plain_python, 8),
    Guarded("analyse 30 rules", _analyse, plain_python, 2),
    Guarded("read 20,000 lines of facts", _read, plain_python, 6),
    Guarded("materialise 90,000 facts", _materialise, plain_numpy, 6),
    Guarded("stream 90,000 facts at once", _stream_at_once, plain_numpy, 10),
    Guarded("stream 30 time points one by one", _stream_by_time_point, plain_python, 18),
    Guarded("recursion through 60 time units", _recursion, plain_python, 10),
    Guarded("chase 12 time points of S_A", _chase, plain_python, 12),
    Guarded("windows with negation over 60,000 facts", _negation_and_windows, plain_numpy, 3),
)


def run(bench: Workbench) -> Result:
    """Measure all of them."""
    ratios = {each.name: each.ratio(bench.choose(2, RUNS, RUNS)) for each in bench.track(GUARDED, "guarded ratios")}
    return Result(
        title="Guarded ratios",
        note=NOTE.format(runs=RUNS),
        table=Table(
            ("work", "yardstick", "ratio", "limit"),
            tuple((g.name, g.yardstick.__name__, f"{ratios[g.name]:.2f}", f"{g.limit:g}") for g in GUARDED),
        ),
        checks=tuple(at_most(g.name, ratios[g.name], g.limit) for g in GUARDED),
        raw=ratios,
    )
