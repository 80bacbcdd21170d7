"""What a time point costs under time windows of growing length, in LARS and in CQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from thalweg.bench.repeat import Timing
from thalweg.bench.result import Check, Figure, Line, Result, Table, at_most, must_agree
from thalweg.bench.windows.queries import QUERIES, QUERY, STREAMS, Answers, WindowQuery
from thalweg.bench.windows.sightings import Sightings
from thalweg.bench.windows.steps import timed_steps
from thalweg.bench.workbench import Workbench
from thalweg.engine.stream import StreamReasoner

MOST_GROWTH = 1.5
"""So much more may a time point cost with the longest window than with the shortest: the machine is noisy."""

NOISE = "both windows have the same entities, so this is what runs of a few milliseconds differ by here"

LARGEST_WINDOW = 2_000_000
"""Windows of more facts are left out."""

NOTE = """\
Facts of a quarter of the entities at every time point, and of half of the others by chance. The windows are filled
beforehand, then {measured} time points are measured, one after another; runs: {repetitions}. Milliseconds of processor
time for a time point, medians. *Kept up* means that Thalweg goes on from what it knows, so that the length of the
window should not matter; aggregates are *worked out anew* from all facts of the window at each time point. For ISTREAM
some of the entities were never seen before, so that a longer window has more of them. Windows of more than two million
facts are left out. The answers of every measured time point are compared with those found by hand."""


@dataclass(frozen=True)
class Cell:
    """A query with so many facts a time point, by the length of the window; and how many entities are in that."""

    query: WindowQuery
    size: int
    timings: Mapping[int, Timing]
    entities: Mapping[int, int]

    @property
    def growth(self) -> float:
        """What a time point costs with the longest window, in terms of the shortest."""
        return self.milliseconds(max(self.timings)) / self.milliseconds(min(self.timings))

    def milliseconds(self, length: int) -> float:
        return self.timings[length].median * 1000

    @property
    def title(self) -> str:
        return f"{self.query.language}: {self.query.title}, {self.size:,} facts a time point"


def run(bench: Workbench) -> Result:
    """All queries, with all sizes and lengths."""
    sizes = bench.choose((200,), (1_000,), (1_000, 10_000))
    lengths = bench.choose((10, 100), (10, 100, 1_000), (10, 100, 1_000))
    measured, repetitions = bench.choose(5, 10, 10), bench.choose(1, 3, 3)
    cells, checks = [], []
    for query, size in bench.track([(query, size) for size in sizes for query in QUERIES], "queries"):
        fitting = [length for length in lengths if length * size <= LARGEST_WINDOW]
        cell, check = _measure(query, size, fitting, measured, repetitions, bench.seed)
        cells.append(cell)
        checks += [check, *([_growth(cell)] if query.kept_up else [])]
    return Result(
        title="Windows of growing length, in LARS and CQL",
        note=NOTE.format(measured=measured, repetitions=repetitions),
        table=Table(
            (
                "language",
                "query",
                "facts a time point",
                "how",
                *(f"n = {n:,}, ms" for n in lengths),
                "longest / shortest",
            ),
            tuple(_row(cell, lengths) for cell in cells),
        ),
        checks=tuple(checks),
        raw={cell.title: {str(n): timing.seconds for n, timing in cell.timings.items()} for cell in cells},
        figures=tuple(_figure([cell for cell in cells if cell.size == size], size) for size in sizes),
    )


def _measure(
    query: WindowQuery, size: int, lengths: Iterable[int], measured: int, repetitions: int, seed: int
) -> tuple[Cell, Check]:
    """All lengths by turns; a timing has a value for each time point."""
    timings: dict[int, Timing] = {}
    entities: dict[int, int] = {}
    compared = 0
    for _ in range(repetitions):
        for length in lengths:
            streams = _streams(query, size, length + 1 + measured, seed)
            timing, answers = _run(query, length, streams, measured)
            timings[length] = timings[length].and_again(timing) if length in timings else timing
            entities[length] = len(np.unique(streams[STREAMS[0]].window(length, length)))
            expected = {time: query.expected(streams, time, length) for time in answers}
            what = f"{query.language}: {query.title}, n = {length}, {size:,} facts a time point"
            must_agree(what, sum(len(answers[time] ^ expected[time]) for time in answers))
            compared += sum(map(len, expected.values()))
    cell = Cell(query, size, timings, entities)
    return cell, must_agree(f"{cell.title}: {compared:,} answers, by hand", 0)


def _streams(query: WindowQuery, size: int, times: int, seed: int) -> dict[str, Sightings]:
    return {name: Sightings.draw(size, times, seed + number, query.fresh) for number, name in enumerate(STREAMS)}


def _run(
    query: WindowQuery, length: int, streams: Mapping[str, Sightings], measured: int
) -> tuple[Timing, dict[int, Answers]]:
    """Fill the window at once, then go on by time point."""
    reasoner = StreamReasoner(query.program(length), QUERY)
    times = next(iter(streams.values())).times
    first = times - measured
    reasoner.advance(_tables(streams, 0, first - 1), first - 1)
    given = [(time, _tables(streams, time, time)) for time in range(first, times)]
    timing, tables = timed_steps(partial(_step, reasoner, facts, time) for time, facts in given)
    return timing, {time: _answers(table) for (time, _), table in zip(given, tables, strict=True)}


def _step(reasoner: StreamReasoner, facts: Mapping[str, pa.Table], time: int) -> pa.Table:
    return reasoner.advance(facts, time).table(QUERY)


def _tables(streams: Mapping[str, Sightings], first: int, last: int) -> dict[str, pa.Table]:
    return {name: stream.table(first, last) for name, stream in streams.items()}


def _answers(table: pa.Table) -> Answers:
    """The arguments of a table's rows, which are all of one time point."""
    arguments = table.column_names[: table.column_names.index("start")]
    return set(zip(*(table[name].to_pylist() for name in arguments), strict=True))


def _growth(cell: Cell) -> Check:
    longest, shortest = max(cell.timings), min(cell.timings)
    many, few = cell.entities[longest], cell.entities[shortest]
    why = f"the longer window has {many:,} entities, the shorter {few:,}" if many > few else NOISE
    return at_most(f"{cell.title}: n = {longest:,} against n = {shortest:,}", cell.growth, MOST_GROWTH, why)


def _row(cell: Cell, lengths: Iterable[int]) -> tuple[str, ...]:
    how = "kept up" if cell.query.kept_up else "worked out anew"
    taken = (f"{cell.milliseconds(length):.1f}" if length in cell.timings else "" for length in lengths)
    return cell.query.language, cell.query.title, f"{cell.size:,}", how, *taken, f"{cell.growth:.2f}"


def _figure(cells: Iterable[Cell], size: int) -> Figure:
    lines = tuple(
        Line(
            f"{cell.query.language}: {cell.query.title}",
            tuple(map(float, cell.timings)),
            tuple(cell.milliseconds(length) for length in cell.timings),
        )
        for cell in cells
    )
    title = f"Windows of growing length, {size:,} facts a time point"
    return Figure(
        f"facts-{size}", title, "window, time points", "ms a time point", lines, log_x=True, log_y=True, points=True
    )
