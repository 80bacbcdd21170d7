"""The journal paper's Table 2 and Figures 1 to 3: how many facts are stored, streaming and all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any

from thalweg.bench.journal.stored_facts import time_streamed
from thalweg.bench.journal.table_2_checks import check
from thalweg.bench.journal.table_2_measure import Found, measure, slices_until
from thalweg.bench.journal.table_2_queries import NAMES, QUERIES, SIZES, Query
from thalweg.bench.result import Check, Figure, Line, Result, Table, at_most
from thalweg.bench.workbench import Workbench
from thalweg.generators.lubm import HORIZON, STEP, TIME_POINTS, Lubm
from thalweg.generators.univ_bench_facts import PREDICATES

SMALLER, SMALLEST = 10, 100
QUICK_HORIZON = Fraction(30)

NOTE = """\
Facts are those of generated universities (univ-bench), each at one multiple of 0.5 in [0, 300], evenly. Counted is what
the paper counts, the most temporal facts that are stored at any point. All at once: facts of the predicates that the
program mentions, and all that follows from them in the stretch of time, as maximal intervals after coalescing.
Streaming, fed in steps of 0.5: what the window held before a step, and all that arrived or was derived in it, before
anything is forgotten. Facts of other predicates are dropped on arrival and never stored, so only the tables that a
program mentions are handed in; Figure 1 shows all facts. The window is 1 time unit long: of 601 time points three are
held, and a step adds a fourth. So about 150 times fewer facts are stored in [0, 300], less where the busiest step has
many more facts than others; the paper found 40, on data of which it does not say how evenly they lie.

Π_r recurs without end: who is Scientist once is FullProfessor a time unit later, Scientist again after two, and so on
for ever. All at once there are some hundred facts for each person, and a stream must remember every person that came:
its memory grows with the facts that came, up to two for each. The paper says that it stays roughly constant, and has
92,243 facts for D5: as many as its first three rules give, three for each doctoralDegreeFrom and two for each
FullProfessor, with nothing from the fourth. So both are measured here: the program as printed, and its first three
rules.

Times are seconds of processor time, from tables to the table of answers. A step is told as a share of half a second: so
much of the time is taken if a time unit is a second."""


def run(bench: Workbench) -> Result:
    """Measure each program on each data set."""
    scale = bench.choose(SMALLEST, SMALLER, 1)
    horizon = bench.choose(QUICK_HORIZON, Fraction(HORIZON), Fraction(HORIZON))
    sets = [(name, size // scale) for name, size in zip(NAMES, SIZES, strict=True)]
    found = [
        measure(bench, query, name, size, horizon)
        for name, size in bench.track(sets, "data sets")
        for query in bench.track(QUERIES, "programs")
    ]
    extra = _all_tables(bench, sets[0][1], horizon)
    return Result(
        title="Journal paper, Table 2 and Figures 1 to 3: facts stored",
        note=_sizes_note(scale, horizon) + NOTE + extra.note,
        table=Table(
            (
                "program",
                "data",
                "facts",
                "stored at most, all at once",
                "streaming",
                "times fewer",
                "paper, all at once",
                "paper, streaming",
                "paper, times fewer",
                "a step, of half a second",
                "all steps, times as long as all at once",
            ),
            tuple(_row(each) for query in QUERIES for each in found if each.query is query),
        ),
        checks=(*check(bench, found, horizon), *extra.checks),
        raw={"horizon": float(horizon), "runs": [_raw(each) for each in found], **extra.raw},
        figures=(_figure_1(bench, sets), *(_figure(query, found) for query in QUERIES)),
    )


@dataclass(frozen=True)
class _Extra:
    """What handing in all tables, also those that the program does not mention, changes."""

    note: str
    checks: tuple[Check, ...]
    raw: dict[str, Any]


def _all_tables(bench: Workbench, size: int, horizon: Fraction) -> _Extra:
    """Π_nr on the smallest data set, fed with everything."""
    if bench.quick:
        return _Extra("", (), {})
    query = QUERIES[0]
    slices = list(slices_until(Lubm(size, bench.seed, only=query.reads), horizon))
    few = time_streamed(query.program, query.predicate, slices)
    every = time_streamed(query.program, query.predicate, slices_until(Lubm(size, bench.seed), horizon))
    ratio = sum(every) / sum(few)
    note = (
        f"\n\nHanding in all {size:,} facts of {NAMES[0]}, those of the {len(PREDICATES) - len(query.reads)} other"
        f" predicates included, takes {ratio:,.1f} times as long for Π_nr as handing in the"
        f" {sum(map(len, slices)):,} that it reads: tables are read before they are dropped."
    )
    share = median(every) / float(STEP)
    return _Extra(note, (at_most("all facts fed: a step, as a share of half a second", share, 1),), {"all": sum(every)})


def _sizes_note(scale: int, horizon: Fraction) -> str:
    sizes = "" if scale == 1 else f"The data sets have 1/{scale} of the facts of the paper's. "
    if horizon == HORIZON:
        return sizes
    return (
        f"{sizes}Only the first {horizon} of {HORIZON} time units are run; with so few facts, whether memory is flat"
        " and grows no faster than the data is not judged. "
    )


def _row(each: Found) -> tuple[str, ...]:
    at_once, streaming = each.query.paper[NAMES.index(each.data)]
    return (
        each.query.label,
        each.data,
        f"{each.size:,}",
        f"{each.stored_at_once:,}" + (" (counted on the stream)" if each.whole is None else ""),
        f"{each.streamed.maximum:,}",
        f"{each.reduction:,.0f}",
        f"{at_once:,}",
        f"{streaming:,}",
        f"{at_once / streaming:,.0f}",
        f"{each.step / float(STEP):.2%}" if each.step else "",
        f"{each.against_batch:,.1f}" if each.step else "",
    )


def _raw(each: Found) -> dict[str, Any]:
    return {
        "program": each.query.label,
        "data": each.data,
        "facts": each.size,
        "at once": each.whole,
        "streamed facts": each.streamed.facts,
        "most": each.streamed.most,
        "left": each.streamed.left,
        "share of bound": each.bounded,
        "step": each.step,
        "against batch": each.against_batch,
    }


def _figure_1(bench: Workbench, sets: Sequence[tuple[str, int]]) -> Figure:
    times = tuple(float(place * STEP) for place in range(TIME_POINTS))
    lines = tuple(Line(name, times, tuple(map(float, Lubm(size, bench.seed).counts_by_time()))) for name, size in sets)
    return Figure("figure-1", "Figure 1: facts of all predicates", "time point", "facts", lines)


def _figure(query: Query, found: Sequence[Found]) -> Figure:
    lines = tuple(
        Line(each.data, tuple(map(float, each.streamed.times)), tuple(map(float, each.streamed.most)))
        for each in found
        if each.query is query
    )
    number = query.figure.split("-")[1]
    return Figure(query.figure, f"Figure {number}: {query.label}, streaming", "time", "facts stored", lines)
