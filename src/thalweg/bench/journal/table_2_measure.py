"""One program on one data set: facts stored and answers, streaming and all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

import pyarrow as pa
import pyarrow.compute as pc

from thalweg.analysis.memory import bound_for_algorithm_1
from thalweg.analysis.report import analyse
from thalweg.bench.journal.lubm_answers import differing
from thalweg.bench.journal.stored_facts import (
    Streamed,
    count_streamed,
    materialise_tables,
    time_streamed,
    values_by,
)
from thalweg.bench.journal.table_2_queries import NAMES, Query
from thalweg.bench.repeat import once
from thalweg.bench.workbench import Workbench
from thalweg.generators.lubm import STEP, Lubm
from thalweg.generators.stream import Slice
from thalweg.model.program import Program

REPETITIONS = 3


@dataclass(frozen=True)
class Found:
    """What was found for a query on a data set; ``whole`` is None where it was not computed at once."""

    query: Query
    data: str
    size: int
    streamed: Streamed
    whole: int | None
    differing: int
    """Derived facts that only one of the two ways gave."""
    bounded: float
    """The most that was stored, as a share of the promised bound."""
    step: float = 0.0
    """Median seconds of a step, and how long all of them took as a multiple of a batch; 0 where not measured."""
    against_batch: float = 0.0

    @property
    def stored_at_once(self) -> int:
        """As streaming and batch agree wherever both are run, one stands for the other."""
        return self.streamed.facts if self.whole is None else self.whole

    @property
    def reduction(self) -> float:
        """How many times fewer facts a stream stores."""
        return self.stored_at_once / self.streamed.maximum


def measure(bench: Workbench, query: Query, name: str, size: int, horizon: Fraction) -> Found:
    """Stream it and materialise it, and compare; times are taken on the first data set."""
    program = query.program
    stream = Lubm(size, bench.seed, only=query.reads)
    slices = list(slices_until(stream, horizon))
    tables = {each: _before(table, horizon) for each, table in stream.tables().items()}
    # At once, a recursion goes on for 300 rounds over ever more facts: on large data sets it takes minutes.
    at_once = not query.grows or name in NAMES[: bench.choose(4, 2, 1)]
    streamed = count_streamed(program, slices, keep=at_once)
    whole, wrong = _materialised(program, streamed, tables, horizon) if at_once else (None, 0)
    bounded = _share_of_bound(program, streamed, values_by(streamed.times, tables))
    timed = _times(bench, query, slices, tables, horizon) if name == NAMES[0] else (0.0, 0.0)
    return Found(query, name, size, streamed, whole, wrong, bounded, *timed)


def _materialised(
    program: Program, streamed: Streamed, tables: dict[str, pa.Table], horizon: Fraction
) -> tuple[int, int]:
    """How many facts there are when all is done at once, and how many are not those of the stream, which are let go."""
    model = materialise_tables(program, tables, horizon, program.predicates)
    derived = program.derived_predicates
    wrong = sum(differing(streamed.answers.get(each, []), model.table(each)) for each in derived)
    streamed.answers.clear()
    return sum(model.count(each) for each in model.predicates), wrong


def _times(
    bench: Workbench, query: Query, slices: Sequence[Slice], tables: dict[str, pa.Table], horizon: Fraction
) -> tuple[float, float]:
    """The median of a step, and that of all steps together against a batch; by turns."""
    program = query.program
    steps, ratios = [], []
    for _ in range(bench.choose(1, REPETITIONS, 1)):
        seconds = time_streamed(program, query.predicate, slices)
        batch, _ = once(lambda: materialise_tables(program, tables, horizon, query.predicate).table(query.predicate))
        steps.append(median(seconds))
        ratios.append(sum(seconds) / batch.median)
    return median(steps), median(ratios)


def _share_of_bound(program: Program, streamed: Streamed, domains: Sequence[int]) -> float:
    """The largest share that a step leaves stored, of what Theorem 12 allows with the values seen by then."""
    report = analyse(program)
    window = max(report.window, report.nested_window)
    bounds = [bound_for_algorithm_1(window, STEP, STEP, report.size, max(domain, 1)) for domain in domains]
    return max(left / bound for left, bound in zip(streamed.left, bounds, strict=True))


def slices_until(stream: Lubm, horizon: Fraction) -> Iterator[Slice]:
    """What comes up to a time."""
    for each in stream.slices():
        if each.now > horizon:
            return
        yield each


def _before(table: pa.Table, horizon: Fraction) -> pa.Table:
    return table.filter(pc.less_equal(table["time"].cast(pa.float64()), float(horizon)))
