"""How much faster it is to go on from one time point to the next than to chase the window anew at each."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from thalweg.bench.lars_plus import anew, deep
from thalweg.bench.lars_plus.scenarios import SCENARIOS, Scenario, available
from thalweg.bench.repeat import Timing, once
from thalweg.bench.result import Check, Result, Table, at_least, must_agree
from thalweg.bench.workbench import Workbench
from thalweg.columnar.relation import Relation
from thalweg.engine.intake import Intake, program_batches
from thalweg.engine.stream import StreamReasoner
from thalweg.engine.window import SlidingWindow

QUICK_SAMPLES, NORMAL_SAMPLES, SAMPLES = {"S_A": 5, "S_B": 0}, {"S_A": 9, "S_B": 1}, {"S_A": 15, "S_B": 3}
"""At how many time points the window is chased anew, for scenarios whose names begin so."""
LEAST_SPEEDUP = 10
KINDS = ("evaluation", "called")

WHY = """\
Our own chase from scratch keeps facts as intervals, so that it takes all time points of the window at once, and with
windows of this length it is little more work than one time point; what a time point costs going on is fixed costs for
the most part, some thousands of Python calls, which do not grow with the facts. Against the chase of the paper's
rewriting, which has facts for every time point, see the next section"""

NOTE = """\
When all windows are full, at {S_A} time points of S_A and {S_B} of S_B, the input of the last time points is chased
from scratch by batch reasoning up to the newest one. *Evaluation* is the application of the rules alone, on both sides:
facts are coded and plans made beforehand. *As called* is from facts that have been read to answers:
`StreamReasoner.advance` with the facts of one time point against `thalweg.materialise` with those of all, which also
makes a plan. Milliseconds of processor time, medians.

A chase from scratch derives the facts at all its time points, while going on derives only those at the newest one. So
evaluation can be about ℓ + 1 times faster, which is 7 with the windows of the paper, and no more, where all facts cost
the same; what is gained beyond that is planning. Longer windows gain more.

In S_A the answers at a time point depend on the input of the last ℓ before it: they must be equal. In S_B rules feed
rules, each time through a window, up to eleven times, so answers depend on input further back than ℓ. A chase of ℓ + 1
time points, as in the paper, then misses some; one of 11n + 1 time points must not."""


@dataclass(frozen=True)
class Sample:
    """One time point at which so many time points were ``chased`` anew.

    ``newest`` counts the answers at that time point, going on and anew, ``derived`` the facts at all those chased.
    """

    chased: int
    evaluation: Timing
    evaluation_anew: Timing
    called: Timing
    called_anew: Timing
    newest: int
    newest_anew: int
    derived: int


@dataclass(frozen=True)
class Comparison:
    """Samples of one kind; at the first of them so many answers differ."""

    samples: list[Sample]
    differing: int

    @property
    def chased(self) -> int:
        return self.samples[0].chased

    def milliseconds(self, kind: str) -> float:
        timings: list[Timing] = [getattr(sample, kind) for sample in self.samples]
        return 1000 * median(timing.median for timing in timings)

    def speedup(self, kind: str) -> float:
        return self.milliseconds(f"{kind}_anew") / self.milliseconds(kind)


def run(bench: Workbench) -> Result:
    """Compare in all scenarios."""
    samples = bench.choose(QUICK_SAMPLES, NORMAL_SAMPLES, SAMPLES)
    rows: list[tuple[str, ...]] = []
    checks: list[Check] = []
    raw: dict[str, Any] = {}
    for name in bench.track(available(bench.quick), "scenarios"):
        scenario = SCENARIOS[name](bench.seed)
        for found in _compare(scenario, samples[name[:3]]):
            rows.append(_row(name, found))
            checks += _checks(name, scenario, found)
            raw[f"{name}, {found.chased} time points"] = _raw(found)
    return Result(
        title="Going on against chasing anew, in the scenarios of the LARS+ paper",
        note=NOTE.format(**samples) + ("" if deep.is_there() else f"\n\nS_B: {deep.ABSENT}"),
        table=Table(
            (
                "scenario",
                "time points chased anew",
                "evaluation: going on, ms",
                "anew, ms",
                "times faster",
                "as called: going on, ms",
                "anew, ms",
                "times faster",
                "facts derived: going on",
                "anew",
                "answers that differ",
            ),
            tuple(rows),
        ),
        checks=tuple(checks),
        raw=raw,
    )


class _GoingOn:
    """A stream reasoner, and a window alone, side by side: they take in the facts of one time point, or of several."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._reasoner = StreamReasoner(scenario.program, scenario.queries)
        self._window = SlidingWindow(scenario.program, scenario.queries)
        self._intake = Intake(self._window.values, self._window.ticks)
        self._window.take_in(self._intake.relations(program_batches(scenario.program)))

    def called(self, first: int, last: int) -> Timing:
        facts = self._scenario.facts(first, last)
        timing, _ = once(lambda: self._reasoner.advance(facts, last))
        return timing

    def evaluated(self, first: int, last: int) -> tuple[Timing, anew.Derived]:
        arrived = self._intake.relations(self._scenario.facts(first, last))

        def move() -> dict[str, Relation]:
            self._window.take_in(arrived)
            return self._window.move(last)

        timing, answers = once(move)
        return timing, anew.Derived(answers, self._window.values)


def _compare(scenario: Scenario, samples: int) -> list[Comparison]:
    """The comparisons for ℓ + 1 time points, and for as many as make the answers equal where those are more."""
    lengths = dict.fromkeys((scenario.window + 1, max(scenario.window, scenario.reach) + 1))
    full = max(lengths)
    strides = [(0, full - 2), *((time, time) for time in range(full - 1, full + samples))]
    going_on = _GoingOn(scenario)
    gc.freeze()  # else collecting garbage before each run looks through all rules, and leaves the caches cold
    found: dict[int, Comparison] = {}
    for first, time in strides:
        called = going_on.called(first, time)
        evaluation, answers = going_on.evaluated(first, time)
        if time < full:
            continue
        if not found:
            facts = answers.facts_at(time)
        for length in lengths:
            chased = anew.chase(scenario, time - length + 1, time)
            if length not in found:
                found[length] = Comparison([], len(facts ^ chased.derived.facts_at(time)))
            found[length].samples.append(
                Sample(
                    length,
                    evaluation,
                    chased.evaluation,
                    called,
                    chased.called,
                    answers.count_at(time),
                    chased.derived.count_at(time),
                    chased.derived.count(),
                )
            )
    gc.unfreeze()
    return list(found.values())


def _row(name: str, found: Comparison) -> tuple[str, ...]:
    cells = []
    for kind in KINDS:
        cells += [f"{found.milliseconds(kind):,.1f}", f"{found.milliseconds(f'{kind}_anew'):,.1f}"]
        cells.append(f"{found.speedup(kind):.1f}")
    first = found.samples[0]
    return name, str(found.chased), *cells, f"{first.newest:,}", f"{first.derived:,}", f"{found.differing:,}"


def _checks(name: str, scenario: Scenario, found: Comparison) -> Iterator[Check]:
    """Promises about the window that makes the answers equal."""
    if found.chased <= scenario.reach:
        return
    counted = sum(abs(sample.newest - sample.newest_anew) for sample in found.samples)
    of = f"{name}, {found.chased} time points chased anew"
    yield must_agree(of, found.differing + counted)
    yield at_least(f"{of}: times faster, as called", found.speedup("called"), LEAST_SPEEDUP, WHY)


def _raw(found: Comparison) -> dict[str, Any]:
    seconds = {
        kind: [getattr(sample, kind).median for sample in found.samples]
        for kind in (*KINDS, *(f"{kind}_anew" for kind in KINDS))
    }
    return {"seconds": seconds, "answers": found.samples[0].newest, "differing": found.differing}
