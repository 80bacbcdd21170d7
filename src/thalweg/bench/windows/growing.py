"""What a time point costs under time windows of different lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

import thalweg
from thalweg.bench.repeat import Timing, once
from thalweg.bench.result import Check, Result, Table, at_most
from thalweg.bench.workbench import Workbench
from thalweg.engine.stream import StreamReasoner

LENGTHS = (10, 100)
SIZES, QUICK_SIZES = (1_000, 10_000), (1_000,)
MEASURED = 15
WARM = max(LENGTHS) + 5
REPETITIONS = 3
MOST_GROWTH = 1.5
"""So much more may a time point cost, for each answer, with the longer window: the machine is noisy."""

Rows = Any  # an array of booleans, by time and entity


@dataclass(frozen=True)
class Query:
    """A rule, what its input tables are made of, and its answers, found by hand from who was seen when."""

    title: str
    body: str
    tables: tuple[str, ...]
    expected: Callable[[Rows], Rows]

    def program(self, length: int) -> Any:
        """The rule for windows of a length."""
        return thalweg.parse(f"timeline integer. Q(X, Y) :- {self.body.format(n=length)}.")


QUERIES = (
    Query("some", "window[last {n}] some P(X, Y)", ("P",), lambda seen: seen.any(axis=0)),
    Query("all", "window[last {n}] all P(X, Y)", ("P",), lambda seen: seen.all(axis=0)),
    Query(
        "join of two",
        "window[last {n}] some P(X, K), window[last {n}] some R(K, Y)",
        ("P", "R"),
        lambda seen: seen.any(axis=0),
    ),
)


def run(bench: Workbench) -> Result:
    """Feed time point after time point, until the windows are full, then measure some more."""
    rows, checks, raw = [], [], {}
    for query in QUERIES:
        for size in QUICK_SIZES if bench.quick else SIZES:
            seen = _seen(size, bench.seed, steady=query.title == "all")
            timings: dict[int, Timing] = {}
            answers: dict[int, int] = {}
            for _ in range(REPETITIONS):
                for length in LENGTHS:
                    timing, answers[length], wrong = _measure(query, length, seen)
                    timings[length] = timings[length].and_again(timing) if length in timings else timing
                    checks += [at_most(f"wrong answers, {query.title}", wrong, 0)] if wrong else []
            rows.append(_row(query, size, timings, answers))
            checks.append(_check(query, size, timings, answers))
            raw[f"{query.title} {size}"] = {str(n): timings[n].seconds for n in LENGTHS}
    return Result(
        title="Windows of growing length",
        note=f"Facts of half of twice as many entities at each time point; {MEASURED} time points after the windows are"
        f" full, in seconds of processor time, medians of {REPETITIONS} runs in turn. The answers of the last time"
        " point are compared with those found by hand.",
        table=Table(
            ("query", "facts a time point", *(f"n = {n}: ms a time point (answers)" for n in LENGTHS), "ratio"),
            tuple(rows),
        ),
        checks=tuple(checks),
        raw=raw,
    )


def _seen(size: int, seed: int, *, steady: bool) -> Rows:
    """Who is seen when: half of the entities at random, or for *all* also some at all times."""
    random = np.random.default_rng(seed)
    seen = np.zeros((WARM + MEASURED, 2 * size), np.bool_)
    for row in seen:
        row[random.choice(2 * size, size, replace=False)] = True
    if steady:
        seen[:, : size // 4] = True
    return seen


def _measure(query: Query, length: int, seen: Rows) -> tuple[Timing, int, int]:
    reasoner = StreamReasoner(query.program(length), "Q", "data")
    stream = list(_stream(query, seen))
    for time, tables in stream[:WARM]:
        reasoner.advance(tables, time)

    def execute() -> Any:
        for time, tables in stream[WARM:]:
            result = reasoner.advance(tables, time).table("Q")
        return result

    timing, last = once(execute)
    expected = query.expected(seen[-length - 1 :])
    found = np.zeros(len(expected), np.bool_)
    at_last = [int(x) for x, time in zip(last["arg1"].to_pylist(), last["start"].to_pylist(), strict=True)]
    found[at_last] = True
    return timing, int(expected.sum()), int((found != expected).sum())


def _stream(query: Query, seen: Rows) -> Iterator[tuple[Fraction, dict[str, pa.Table]]]:
    for time, row in enumerate(seen):
        entities = pa.array(np.flatnonzero(row))
        times = pa.array(np.full(len(entities), time))
        table = pa.table({"x": entities, "y": entities, "time": times})
        yield Fraction(time), dict.fromkeys(query.tables, table)


def _row(query: Query, size: int, timings: dict[int, Timing], answers: dict[int, int]) -> tuple[str, ...]:
    cells = [f"{timings[n].median / MEASURED * 1000:.2f} ({answers[n]:,})" for n in LENGTHS]
    return query.title, f"{size:,}", *cells, f"{timings[LENGTHS[1]].median / timings[LENGTHS[0]].median:.2f}"


def _check(query: Query, size: int, timings: dict[int, Timing], answers: dict[int, int]) -> Check:
    short, long = LENGTHS
    growth = timings[long].median / timings[short].median
    more = max(1.0, answers[long] / max(1, answers[short]))
    return at_most(f"n = {long} against n = {short}, {query.title}, {size:,} facts", growth / more, MOST_GROWTH)
