"""LARS on a stream, against clingo that grounds and solves the window anew at each time point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import thalweg
from thalweg.bench.peers import clingo_windows
from thalweg.bench.peers.clingo_windows import Facts, Model
from thalweg.bench.repeat import Timing
from thalweg.bench.result import Check, Figure, Line, Result, Table, at_least, must_agree
from thalweg.bench.windows.steps import timed_steps
from thalweg.bench.workbench import Workbench
from thalweg.engine.answers.stream import AnswerStream
from thalweg.engine.stream import StreamReasoner

MEASURED = 5
"""Time points after the window is full."""

TRAMS, STOPS, STEADY = 100, 500, 10
"""So many trams report at every time point for sure; the others now and then do not."""

NOTE = """\
Trams report where they are (20 facts a time point) and that they are there (95). *Stratified*: `some` and `all` over
windows of the last n time points, a join, and default negation. Thalweg goes on from what it knows; clingo {clingo}
grounds and solves the facts of the window anew, which it is handed as symbols. *Not stratified*: which tram is to go
first, among those that asked lately, with all answers at each time point. Both systems use clingo there: Thalweg
grounds the window anew, in Python, and has clingo search, so that it can only be slower ({slower}). Milliseconds of
processor time for a time point, medians of {measured} time points after the window is full; runs: {repetitions}. The
answers of every time point are compared."""

Rows = npt.NDArray[np.int64]
Stream = Mapping[str, list[Rows]]
"""The facts of each predicate at each time point, as rows of numbers."""

AnswersAt = list[set[Model]]
"""At each measured time point the set of answers."""


@dataclass(frozen=True)
class LarsProgram:
    """The same rules for both systems; ``query`` is what is compared."""

    title: str
    rules: str
    clingo: str
    query: str
    draw: Callable[[int, int], Stream]
    answer: Callable[[LarsProgram, int, Stream], tuple[Timing, AnswersAt]]


@dataclass(frozen=True)
class Pair:
    """Both systems on a program with a window of so many time points and facts."""

    program: LarsProgram
    length: int
    facts: int
    ours: Timing
    theirs: Timing

    @property
    def faster(self) -> float:
        """How many times faster Thalweg is."""
        return self.theirs.median / self.ours.median


def run(bench: Workbench) -> Result:
    """Both systems on windows of growing length."""
    repetitions = bench.choose(1, 3, 3)
    lengths = {
        STRATIFIED: bench.choose((10, 100), (10, 30, 100, 300, 1_000), (10, 30, 100, 300, 1_000, 3_000)),
        NOT_STRATIFIED: bench.choose((10, 30), (10, 30, 100), (10, 30, 100, 300)),
    }
    found, checks = [], []
    cases = [(program, length) for program, chosen in lengths.items() for length in chosen]
    for program, length in bench.track(cases, "windows"):
        pair, check = _measure(program, length, program.draw(length + 1 + MEASURED, bench.seed), repetitions)
        found.append(pair)
        checks.append(check)
    return Result(
        title="LARS windows, against clingo on the window anew",
        note=NOTE.format(
            clingo=clingo_windows.VERSION, slower=_slower(found), measured=MEASURED, repetitions=repetitions
        ),
        table=Table(
            ("program", "window", "facts in it", "Thalweg, ms", "clingo, ms", "times faster"), tuple(map(_row, found))
        ),
        checks=(*checks, *([] if bench.quick else [_target(found)])),
        raw={f"{p.program.title}, {p.length}": {"thalweg": p.ours.seconds, "clingo": p.theirs.seconds} for p in found},
        figures=tuple(_figure([pair for pair in found if pair.program is program]) for program in lengths),
    )


def _measure(program: LarsProgram, length: int, stream: Stream, repetitions: int) -> tuple[Pair, Check]:
    """Both systems by turns; a timing has a value for each time point."""
    ours, found = program.answer(program, length, stream)
    theirs, expected = _clingo(program, length, stream)
    differing = sum(len(mine ^ other) for mine, other in zip(found, expected, strict=True))
    known = sum(len(model) for at in expected for model in at)
    check = must_agree(f"{program.title}, window of {length:,}: {known:,} atoms at {MEASURED} time points", differing)
    for _ in range(repetitions - 1):
        ours = ours.and_again(program.answer(program, length, stream)[0])
        theirs = theirs.and_again(_clingo(program, length, stream)[0])
    held = sum(len(at) for rows in stream.values() for at in rows[-length - 1 :])
    return Pair(program, length, held, ours, theirs), check


def _incremental(program: LarsProgram, length: int, stream: Stream) -> tuple[Timing, AnswersAt]:
    """A stream reasoner that goes on; the window is filled beforehand, at once."""
    reasoner = StreamReasoner(thalweg.parse(program.rules.format(n=length)), program.query)
    last = _length(stream) - 1
    first = last - MEASURED + 1
    reasoner.advance(_tables(stream, 0, first - 1), first - 1)
    given = [(time, _tables(stream, time, time)) for time in range(first, last + 1)]
    timing, tables = timed_steps(partial(_advance, reasoner, facts, time) for time, facts in given)
    return timing, [{_model(table)} for table in tables]


def _advance(reasoner: StreamReasoner, facts: Mapping[str, pa.Table], time: int) -> pa.Table:
    return reasoner.advance(facts, time).table(reasoner.queries[0])


def _answer_sets(program: LarsProgram, length: int, stream: Stream) -> tuple[Timing, AnswersAt]:
    """All answers at each time point, from the facts of the window."""
    parsed = thalweg.parse(program.rules.format(n=length), stratified=False)
    last = _length(stream) - 1
    first = last - MEASURED + 1
    answers = AnswerStream(parsed, reading="evaluation-time", queries=program.query)
    answers.advance(_tables(stream, 0, first - 1), to=first - 1)
    given = [(time, _tables(stream, time, time)) for time in range(first, last + 1)]
    timing, found = timed_steps(partial(answers.advance, facts, to=time) for time, facts in given)
    return timing, [{_model(answer.table(program.query)) for answer in at[-1].answers} for at in found]


def _clingo(program: LarsProgram, length: int, stream: Stream) -> tuple[Timing, AnswersAt]:
    facts = {name.lower(): _symbols(rows) for name, rows in stream.items()}
    last = _length(stream) - 1
    times = range(last - MEASURED + 1, last + 1)
    timing, found = timed_steps(partial(_solve, program, length, facts, now) for now in times)
    return timing, [{clingo_windows.numbers(model) for model in models} for models in found]


def _solve(program: LarsProgram, length: int, facts: Mapping[str, list[Facts]], now: int) -> list[Any]:
    window = {name: _between(found, now - length, now) for name, found in facts.items()}
    return clingo_windows.models(program.clingo, window, now=now, n=length)


def _symbols(rows: list[Rows]) -> list[Facts]:
    """The facts of each time point with the time as last argument."""
    return [[clingo_windows.symbol(*row, time) for row in at.tolist()] for time, at in enumerate(rows)]


def _between(facts: list[Facts], first: int, last: int) -> Facts:
    return [fact for at in facts[max(0, first) : last + 1] for fact in at]


def _tables(stream: Stream, first: int, last: int) -> dict[str, pa.Table]:
    """The facts from one time point to another."""
    return {name: _table(rows[first : last + 1], first) for name, rows in stream.items()}


def _table(rows: list[Rows], first: int) -> pa.Table:
    joined = np.concatenate(rows)
    times = np.repeat(np.arange(first, first + len(rows)), [len(at) for at in rows])
    return pa.table({**{f"arg{i}": pa.array(joined[:, i]) for i in range(joined.shape[1])}, "time": pa.array(times)})


def _model(table: pa.Table) -> Model:
    """The atoms of a table; their times are those of the one time point that is asked about."""
    names = [name for name in table.column_names if name.startswith("arg")]
    columns = [[int(Fraction(value)) for value in table[name].to_pylist()] for name in names]
    return frozenset(zip(*columns, strict=True))


def _length(stream: Stream) -> int:
    return len(next(iter(stream.values())))


def _trams(times: int, seed: int) -> Stream:
    random = np.random.default_rng(seed)
    at, report = [], []
    for _ in range(times):
        moving = random.choice(TRAMS, 20, replace=False)
        at.append(np.stack([moving, random.integers(0, STOPS, 20)], axis=1))
        silent = STEADY + random.choice(TRAMS - STEADY, 5, replace=False)
        report.append(np.setdiff1d(np.arange(TRAMS), silent)[:, None])
    return {"At": at, "Report": report}


def _requests(times: int, seed: int) -> Stream:
    random = np.random.default_rng(seed)
    return {"Ask": [random.choice(8, 2, replace=False)[:, None] for _ in range(times)]}


STRATIFIED = LarsProgram(
    "stratified",
    """
    timeline integer.
    Recent(T, X) :- window[last {n}] some At(T, X).
    Steady(T)    :- window[last {n}] all Report(T).
    Meet(T, U)   :- At(T, X), Recent(U, X), T != U, not Steady(U).
    """,
    """
    at(T, X, S)   :- (T, X, S) = @at().
    report(T, S)  :- (T, S) = @report().
    recent(T, X)  :- at(T, X, S), now - n <= S, S <= now.
    tram(T)       :- report(T, _).
    broken(T)     :- tram(T), S = now - n .. now, not report(T, S).
    steady(T)     :- tram(T), not broken(T).
    meet(T, U)    :- at(T, X, now), recent(U, X), T != U, not steady(U).
    #show meet/2.
    """,
    "Meet",
    _trams,
    _incremental,
)
NOT_STRATIFIED = LarsProgram(
    "not stratified",
    """
    timeline integer.
    First(T) :- window[last {n}] some Ask(T), not Wait(T).
    Wait(T)  :- window[last {n}] some Ask(T), not First(T).
    bottom   :- First(T), First(U), T != U.
    """,
    """
    ask(T, S) :- (T, S) = @ask().
    lately(T) :- ask(T, S), now - n <= S, S <= now.
    first(T)  :- lately(T), not wait(T).
    wait(T)   :- lately(T), not first(T).
    :- first(T), first(U), T != U.
    #show first/1.
    """,
    "First",
    _requests,
    _answer_sets,
)


def _row(pair: Pair) -> tuple[str, ...]:
    seconds = (f"{timing.median * 1000:.1f}" for timing in (pair.ours, pair.theirs))
    return pair.program.title, f"{pair.length:,}", f"{pair.facts:,}", *seconds, f"{pair.faster:.2f}"


def _target(found: list[Pair]) -> Check:
    """In the longest window, going on is worth it."""
    longest = max((pair for pair in found if pair.program is STRATIFIED), key=lambda pair: pair.length)
    return at_least(f"stratified, window of {longest.length:,}: times faster than clingo anew", longest.faster, 1)


def _slower(found: list[Pair]) -> str:
    times = max(1 / pair.faster for pair in found if pair.program is NOT_STRATIFIED)
    return f"here up to {times:.0f} times"


def _figure(pairs: list[Pair]) -> Figure:
    title = pairs[0].program.title
    lengths = tuple(float(pair.length) for pair in pairs)
    lines = (
        Line("Thalweg", lengths, tuple(pair.ours.median * 1000 for pair in pairs)),
        Line("clingo on the window anew", lengths, tuple(pair.theirs.median * 1000 for pair in pairs)),
    )
    return Figure(
        title.replace(" ", "-"),
        f"LARS, {title}: what a time point costs",
        "window, time points",
        "ms a time point",
        lines,
        log_x=True,
        log_y=True,
        points=True,
    )
