"""How much faster than MeTeoR on a stream: short stops of vehicles, fed at once and by time points.

The public stream has few facts at a time point. Copies of it, with vehicles of other names, have more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

import thalweg
from thalweg.bench.data import HACKATHON, data_path, program_path
from thalweg.bench.peers import meteor
from thalweg.bench.peers.meteor_stream import answers_at_time_points, read_stream
from thalweg.bench.repeat import Timing, again_and_again, once, repeat
from thalweg.bench.result import Check, Figure, Line, Result, Table, at_least, must_agree
from thalweg.bench.workbench import Workbench
from thalweg.engine.read import read_facts_of
from thalweg.engine.stream import StreamReasoner
from thalweg.model.program import Program

RULES = "short_stop"
QUERY = "ShortStop"

ALL_TIME_POINTS, KNOWN_ANSWERS = 200, 1263
BUSY = 100
"""From here on the stream has its usual number of vehicles; copies begin here."""

AT_ONCE, BY_TIME_POINT = "all at once", "time point by time point"
LEAST_SPEEDUP = 1000
NOTE = """\
The public stream S1 at its first {points} time points, and copies of its time points {first} to {last} with vehicles
of other names. From facts in memory to answers, in seconds of processor time, medians: runs of MeTeoR {runs} on S1 and
1 on copies, of Thalweg {ours} for each. MeTeoR has no reasoner for streams: its `materialize`, semi-naive, runs at
every time point on the window of the last 5 time units, as Algorithm 1 of the journal paper does. For both, rules are
read (and planned) and facts are cut into time points beforehand; Thalweg's answers are Arrow tables. All answers at the
time points of the data are compared."""

Answers = set[tuple[str, Fraction]]
Feed = Callable[[], list[Any]]


@dataclass(frozen=True)
class Runs:
    """How often a stream is run; MeTeoR takes much longer."""

    ours: int
    theirs: int


@dataclass(frozen=True)
class Pair:
    """Both systems on one stream."""

    title: str
    facts: int
    time_points: int
    theirs: Timing
    ours: dict[str, Timing]

    def faster(self, feed: str) -> float:
        """How many times faster Thalweg is when it is fed in one way."""
        return self.theirs.median / self.ours[feed].median

    @property
    def facts_at_once(self) -> float:
        """Facts a time point."""
        return self.facts / self.time_points


def run(bench: Workbench) -> Result:
    """Measure both systems on S1, then on copies of a part of it."""
    points = bench.choose(7, 60, ALL_TIME_POINTS)
    copies = bench.choose((1, 4), (1, 4, 32), (1, 4, 16, 64))
    last = BUSY + bench.choose(2, 5, 5)
    runs = bench.choose(Runs(3, 1), Runs(9, 1), Runs(9, 3))
    stream, checks = _measure("S1", _lines(1, points), runs)
    copied = []
    for count in bench.track(copies, "copies"):
        pair, agreed = _measure(f"S1, copies: {count}", _lines(BUSY, last, count), Runs(runs.ours, 1))
        copied.append(pair)
        checks += agreed
    pairs = [stream, *copied]
    return Result(
        title="Short stops on a stream, against MeTeoR",
        note=NOTE.format(points=points, first=BUSY, last=last, runs=runs.theirs, ours=runs.ours),
        table=Table(
            ("stream", "facts", "a time point", "system", "fed", "s", "facts a second", "times faster"),
            tuple(row for pair in pairs for row in _rows(pair)),
        ),
        checks=(*checks, *(() if bench.quick else _targets(stream, copied[-1]))),
        raw={pair.title: _raw(pair) for pair in pairs},
        figures=(_figure(copied),),
    )


def _measure(title: str, lines: Sequence[str], runs: Runs) -> tuple[Pair, list[Check]]:
    """Both systems, and that their answers agree."""
    program = thalweg.load(program_path(RULES))
    rules, stream = meteor.read_rules(program_path(RULES).read_text().splitlines()), read_stream(lines)
    theirs, answers = again_and_again(lambda: once(lambda: answers_at_time_points(rules, stream, QUERY)), runs.theirs)
    expected, ours, checks = set(answers), {}, []
    for feed, execute in _feeds(program, lines, runs.ours).items():
        ours[feed], tables = repeat(execute, runs.ours)
        what = f"{title}, fed {feed}: {len(expected):,} answers"
        checks.append(must_agree(what, len(_answers(tables) ^ expected)))
    if len(stream) == ALL_TIME_POINTS:
        must_agree("answers known of S1", abs(len(expected) - KNOWN_ANSWERS))
    return Pair(title, len(lines), len(stream), theirs, ours), checks


def _feeds(program: Program, lines: Sequence[str], runs: int) -> dict[str, Feed]:
    """The ways to give facts to Thalweg; each returns the tables of answers."""
    batches = _read(program, lines)
    reasoners = [StreamReasoner(program, QUERY, "data") for _ in range(2 * (1 + runs))]
    by_time = [(time, _read(program, list(group))) for time, group in groupby(lines, _time)]

    def at_once() -> list[Any]:
        return [reasoners.pop().advance(batches, by_time[-1][0]).table(QUERY)]

    def by_time_point() -> list[Any]:
        reasoner = reasoners.pop()
        return [reasoner.advance(facts, time).table(QUERY) for time, facts in by_time]

    return {AT_ONCE: at_once, BY_TIME_POINT: by_time_point}


def _read(program: Program, lines: Sequence[str]) -> Any:
    batches, problems = read_facts_of(program, "\n".join(lines))
    assert not problems
    return batches


def _lines(first: int, last: int, copies: int = 1) -> list[str]:
    """The facts of the public stream from one time point to another, in the order of time."""
    lines = [line for line in data_path(HACKATHON, "S1.txt").read_text().splitlines() if line]
    chosen = sorted((line for line in lines if first <= _time(line) <= last), key=_time)
    return [copied(line, number) for line in chosen for number in range(copies)]


def copied(line: str, number: int) -> str:
    """The same fact of another vehicle; the first copy is the fact itself."""
    return line.replace(")@", f"copy{number})@") if number else line


def _answers(tables: Iterable[Any]) -> Answers:
    columns = ((table["arg1"].to_pylist(), table["start"].to_pylist()) for table in tables)
    return {(name, Fraction(time)) for names, times in columns for name, time in zip(names, times, strict=True)}


def _time(line: str) -> int:
    return int(line.rsplit(",", 1)[1].rstrip("]"))


def _rows(pair: Pair) -> list[tuple[str, ...]]:
    """MeTeoR's row and those of Thalweg."""
    timings = [("MeTeoR", BY_TIME_POINT, pair.theirs), *(("Thalweg", feed, found) for feed, found in pair.ours.items())]
    return [
        (
            pair.title,
            f"{pair.facts:,}",
            f"{pair.facts_at_once:,.0f}",
            system,
            feed,
            f"{timing.median:.4f}",
            f"{timing.rate(pair.facts):,.0f}",
            f"{pair.theirs.median / timing.median:,.0f}",
        )
        for system, feed, timing in timings
    ]


def _targets(stream: Pair, busiest: Pair) -> list[Check]:
    """The same target for every way of feeding; what stands in the way is the fixed cost of a step."""
    found = [(stream, AT_ONCE), (stream, BY_TIME_POINT), (busiest, AT_ONCE), (busiest, BY_TIME_POINT)]
    return [
        at_least(f"{pair.title}, fed {feed}: times faster", pair.faster(feed), LEAST_SPEEDUP, why=_why(pair, feed))
        for pair, feed in found
    ]


def _why(pair: Pair, feed: str) -> str:
    steps = pair.time_points if feed == BY_TIME_POINT else 1
    taken = pair.ours[feed].median / steps * 1000
    return (
        f"a step of {pair.facts / steps:,.0f} facts takes Thalweg {taken:.1f} ms, most of it however few the facts are;"
        " the figure shows what is gained where they are more"
    )


def _raw(pair: Pair) -> dict[str, Any]:
    seconds = {"MeTeoR": pair.theirs.seconds} | {feed: timing.seconds for feed, timing in pair.ours.items()}
    return {"facts": pair.facts, "time points": pair.time_points, "seconds": seconds}


def _figure(copied: list[Pair]) -> Figure:
    facts = tuple(pair.facts_at_once for pair in copied)
    lines = tuple(
        Line(f"fed {feed}", facts, tuple(pair.faster(feed) for pair in copied)) for feed in (AT_ONCE, BY_TIME_POINT)
    )
    title = "Short stops: Thalweg against MeTeoR"
    return Figure("facts", title, "facts a time point", "times faster", lines, log_x=True, log_y=True, points=True)
