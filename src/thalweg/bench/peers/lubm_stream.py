"""How much faster than MeTeoR on temporal LUBM as a stream: the journal paper's programs, in steps of 0.5."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa

from thalweg.bench.journal.stored_facts import count_streamed
from thalweg.bench.journal.table_2_measure import slices_until
from thalweg.bench.journal.table_2_queries import QUERIES, Query
from thalweg.bench.peers.lubm_stream_meteor import Windowed, rules_of, stream_of, windowed
from thalweg.bench.repeat import Timing, again_and_again, once, repeat
from thalweg.bench.result import Check, Figure, Line, Result, Table, at_least, at_most, must_agree
from thalweg.bench.workbench import Workbench
from thalweg.engine.read import read_facts_of
from thalweg.engine.stream import StreamReasoner
from thalweg.generators.lubm import Lubm
from thalweg.generators.stream import Slice
from thalweg.model.program import Program
from thalweg.syntax.fact_batch import FactBatch

AT_ONCE, BY_STEPS = "all at once", "in steps of 0.5"
LEAST_SPEEDUP = 1000
RUNS_OF_OURS = 5

NON_RECURSIVE, RECURSIVE, _ = QUERIES
QUICK = ((NON_RECURSIVE, 2_000_000, 5), (RECURSIVE, 2_000_000, 5))
NORMAL = (
    (NON_RECURSIVE, 200_000, 30),
    (NON_RECURSIVE, 2_000_000, 20),
    (NON_RECURSIVE, 20_000_000, 20),
    (RECURSIVE, 200_000, 20),
    (RECURSIVE, 2_000_000, 5),
    (RECURSIVE, 20_000_000, 6),
)
FULL = (
    (NON_RECURSIVE, 200_000, 300),
    (NON_RECURSIVE, 2_000_000, 100),
    (NON_RECURSIVE, 20_000_000, 100),
    (RECURSIVE, 200_000, 50),
    (RECURSIVE, 2_000_000, 20),
    (RECURSIVE, 20_000_000, 15),
)
"""A query, the facts of the data set in [0, 300], and how many time units of it are run."""

NOTE = """\
Generated universities with as many facts as said in [0, 300], of which the first time units are run, and only the facts
of predicates that the program mentions. From facts in memory to answers, in seconds of processor time, medians: runs of
MeTeoR {theirs}, of Thalweg {ours}. MeTeoR has no reasoner for streams: its parts are put together as Algorithm 1 of the
journal paper, with a window of one time unit. For both, rules are read (and planned) and facts are read and cut into
steps beforehand; Thalweg's answers are Arrow tables. All answers are compared. Both store ever more facts for Π_r,
which recurs without end."""


@dataclass(frozen=True)
class Pair:
    """Both systems on one stream."""

    query: Query
    size: int
    facts: int
    steps: int
    theirs: Timing
    ours: dict[str, Timing]
    stored: tuple[int, int]
    """At most, by MeTeoR and by Thalweg."""

    @property
    def title(self) -> str:
        """The program and the data set."""
        return f"{self.query.label}, {self.size:,} facts"

    def faster(self, feed: str) -> float:
        """How many times faster Thalweg is when it is fed in one way."""
        return self.theirs.median / self.ours[feed].median


def run(bench: Workbench) -> Result:
    """Measure both systems on each stream."""
    repetitions = bench.choose(1, 3, 3)
    pairs, checks = [], []
    for query, size, until in bench.track(bench.choose(QUICK, NORMAL, FULL), "streams"):
        pair, agreed = _measure(query, Lubm(size, bench.seed, only=query.reads), Fraction(until), repetitions)
        pairs.append(pair)
        checks += agreed
    return Result(
        title="Temporal LUBM as a stream, against MeTeoR",
        note=NOTE.format(theirs=repetitions, ours=RUNS_OF_OURS),
        table=Table(
            (
                "program",
                "facts in [0, 300]",
                "steps",
                "facts fed",
                "stored at most",
                "system",
                "fed",
                "s",
                "times faster",
            ),
            tuple(row for pair in pairs for row in _rows(pair)),
        ),
        checks=(*checks, *(() if bench.quick else _targets(pairs))),
        raw={pair.title: _raw(pair) for pair in pairs},
        figures=(_figure(pairs),),
    )


def _measure(query: Query, stream: Lubm, until: Fraction, repetitions: int) -> tuple[Pair, list[Check]]:
    """Both systems, and that their answers agree."""
    slices = list(slices_until(stream, until))
    rules, given = rules_of(query.rules), stream_of(slices)
    theirs, found = again_and_again(lambda: once(lambda: windowed(rules, given, query.predicate)), repetitions)
    ours, checks = {}, []
    for feed, execute in _feeds(query, slices).items():
        ours[feed], tables = repeat(execute, RUNS_OF_OURS)
        checks.append(_agreed(f"{query.label}, {stream.facts:,} facts, fed {feed}", tables, found))
    stored = found.stored, count_streamed(query.program, slices, keep=False).maximum
    checks.append(at_most(f"{query.label}, {stream.facts:,} facts: stored, against MeTeoR", stored[1] / stored[0], 1))
    return Pair(query, stream.facts, sum(map(len, slices)), len(slices), theirs, ours, stored), checks


def _feeds(query: Query, slices: Sequence[Slice]) -> dict[str, Callable[[], list[pa.Table]]]:
    """The ways to give facts to Thalweg; each returns the tables of answers."""
    program, predicate = query.program, query.predicate
    steps = [(each.now, _read(program, each.tables)) for each in slices]
    names = sorted({name for each in slices for name in each.tables})
    parts = {name: [each.tables[name] for each in slices if name in each.tables] for name in names}
    whole = _read(program, {name: pa.concat_tables(tables) for name, tables in parts.items()})
    reasoners = [StreamReasoner(program, predicate) for _ in range(2 * (1 + RUNS_OF_OURS))]

    def at_once() -> list[pa.Table]:
        return [reasoners.pop().advance(whole, slices[-1].now).table(predicate)]

    def by_steps() -> list[pa.Table]:
        reasoner = reasoners.pop()
        return [reasoner.advance(facts, now).table(predicate) for now, facts in steps]

    return {AT_ONCE: at_once, BY_STEPS: by_steps}


def _read(program: Program, tables: Mapping[str, pa.Table]) -> list[FactBatch]:
    batches, problems = read_facts_of(program, tables)
    assert not problems
    return batches


def _agreed(what: str, tables: Sequence[pa.Table], found: Windowed) -> Check:
    """All answers are at time points of the steps, as the rules look back by whole time units."""
    columns = [table.select(["arg1", "start", "end"]).to_pydict().values() for table in tables]
    ours = {
        (name, Fraction(start))
        for names, starts, ends in columns
        for name, start, end in zip(names, starts, ends, strict=True)
        if start == end
    }
    extents = sum(map(len, tables)) - len(ours)
    return must_agree(f"{what}: {len(found.answers):,} answers", len(ours ^ found.answers) + extents)


def _targets(pairs: Sequence[Pair]) -> list[Check]:
    """The same target for both ways of feeding, where facts are most."""
    largest = max(pair.size for pair in pairs)
    return [
        at_least(f"{pair.title}, fed {feed}: times faster", pair.faster(feed), LEAST_SPEEDUP, why=_why(pair, feed))
        for pair in pairs
        if pair.size == largest
        for feed in (AT_ONCE, BY_STEPS)
    ]


def _why(pair: Pair, feed: str) -> str:
    steps = pair.steps if feed == BY_STEPS else 1
    ours, theirs = (1000 * timing.median for timing in (pair.ours[feed], pair.theirs))
    return (
        f"{pair.facts / steps:,.0f} facts at a time take Thalweg {ours / steps:.1f} ms, and MeTeoR"
        f" {theirs / pair.steps:,.0f} ms a step. Much of Thalweg's time is spent however few the facts are: the figure"
        " shows how the gain grows with them"
    )


def _rows(pair: Pair) -> list[tuple[str, ...]]:
    """MeTeoR's row and those of Thalweg."""
    timings = [("MeTeoR", BY_STEPS, pair.theirs), *(("Thalweg", feed, timing) for feed, timing in pair.ours.items())]
    stored = {("MeTeoR", BY_STEPS): pair.stored[0], ("Thalweg", BY_STEPS): pair.stored[1]}
    return [
        (
            pair.query.label,
            f"{pair.size:,}",
            f"{pair.steps:,}",
            f"{pair.facts:,}",
            f"{stored[system, feed]:,}" if (system, feed) in stored else "",
            system,
            feed,
            f"{timing.median:.4f}",
            f"{pair.theirs.median / timing.median:,.1f}",
        )
        for system, feed, timing in timings
    ]


def _raw(pair: Pair) -> dict[str, Any]:
    seconds = {"MeTeoR": pair.theirs.seconds} | {feed: timing.seconds for feed, timing in pair.ours.items()}
    return {"facts": pair.facts, "steps": pair.steps, "stored": pair.stored, "seconds": seconds}


def _figure(pairs: Sequence[Pair]) -> Figure:
    lines = []
    for query in (NON_RECURSIVE, RECURSIVE):
        mine = [pair for pair in pairs if pair.query is query]
        sizes = tuple(pair.facts / pair.steps for pair in mine)
        for feed in (AT_ONCE, BY_STEPS):
            lines.append(Line(f"{query.label}, fed {feed}", sizes, tuple(pair.faster(feed) for pair in mine)))
    title = "Temporal LUBM as a stream: Thalweg against MeTeoR"
    return Figure("facts", title, "facts a step", "times faster", tuple(lines), log_x=True, log_y=True, points=True)
