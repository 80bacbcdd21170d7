"""Going on against the paper's own way: the rewriting of the last ℓ + 1 time points chased anew at each time point."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from thalweg.bench.lars_plus import deep
from thalweg.bench.lars_plus.anew import planned_once
from thalweg.bench.lars_plus.rewritten import (
    Rechased,
    Rewriting,
    chase_with_clingo,
    chase_with_thalweg,
    shifted,
)
from thalweg.bench.lars_plus.scenarios import CHANCES, PUBLISHED, SCENARIOS, Scenario
from thalweg.bench.repeat import once
from thalweg.bench.result import Check, Result, Table, at_least, must_agree
from thalweg.bench.workbench import Workbench
from thalweg.engine.stream import StreamReasoner
from thalweg.syntax.fact_batch import FactBatch

LEAST_SPEEDUP = 10
GOING_ON = 10
"""So many time points of the stream are measured; a chase takes much longer, so fewer of them are."""

Chase = Callable[[Rewriting, Sequence[FactBatch], Sequence[str]], Rechased]
ENGINES: dict[str, Chase] = {"Thalweg": chase_with_thalweg, "clingo": chase_with_clingo}

NOTE = """\
The prototype of the paper computes, at each time point, the model of the stream of the last ℓ time points by its
rewriting to existential rules and a chase. Its chase engine, GLog, is not among the peers. So the
same rewriting is chased by Thalweg's own engine, as rules in which time is a value like others, and by clingo; plans
are made and texts read beforehand. *Going on* is `StreamReasoner.advance` with the facts of one time point.
Milliseconds of processor time, medians of {going_on} time points going on and {samples} chased anew. At the newest
time point there must be as many facts of each predicate. S_B is chased with windows of length 0 only, by clingo only,
as the rewriting has 7,601 rules: longer windows take clingo minutes a time point. What a chase from scratch costs
without the rewriting is in the section before."""


@dataclass
class Compared:
    """Milliseconds by way, and facts derived by way."""

    milliseconds: dict[str, list[float]] = field(default_factory=dict)
    derived: dict[str, int] = field(default_factory=dict)

    def add(self, way: str, seconds: float) -> None:
        self.milliseconds.setdefault(way, []).append(1000 * seconds)

    def median(self, way: str) -> float:
        return median(self.milliseconds[way])

    def speedup(self, way: str) -> float:
        return self.median(way) / self.median("going on")


def run(bench: Workbench) -> Result:
    """Compare where the rewriting is small enough to be chased."""
    samples = bench.choose(1, 3, 5)
    chosen = {f"S_A {chances}": tuple(ENGINES) for chances in bench.choose(CHANCES[-1:], CHANCES, CHANCES)}
    if deep.is_there() and not bench.quick:
        chosen["S_B n = 0"] = ("clingo",)
    found: dict[str, Compared] = {}
    checks: list[Check] = []
    for name, engines in bench.track(list(chosen.items()), "rewriting, chased anew"):
        scenario = SCENARIOS[name](bench.seed)
        found[name], differing = _compare(scenario, engines, 1 if name.startswith("S_B") else samples)
        checks.append(must_agree(f"{name}: facts at the newest time point", differing))
        checks += [
            at_least(
                f"{name}: times faster than the rewriting chased by {engine}",
                found[name].speedup(engine),
                LEAST_SPEEDUP,
            )
            for engine in engines
        ]
    return Result(
        title="Going on against the paper's way",
        note=NOTE.format(going_on=GOING_ON, samples=samples),
        table=Table(
            (
                "scenario",
                "going on, ms",
                "rewriting chased by Thalweg, ms",
                "times faster",
                "rewriting chased by clingo, ms",
                "times faster",
                "facts of the rewriting's chase",
                "paper's, ms, on its machine",
            ),
            tuple(_row(name, compared) for name, compared in found.items()),
        ),
        checks=tuple(checks),
        raw={name: compared.milliseconds for name, compared in found.items()},
    )


def _compare(scenario: Scenario, engines: Sequence[str], samples: int) -> tuple[Compared, int]:
    compared, differing = Compared(), 0
    rewriting = Rewriting.of(scenario, scenario.window)
    reasoner = StreamReasoner(scenario.program, scenario.queries)
    first, last = scenario.window, scenario.window + GOING_ON
    for time in range(first):
        reasoner.advance(scenario.facts(time, time), time)
    gc.freeze()  # else collecting garbage before each run looks through all rules, and leaves the caches cold
    with planned_once():
        for time in range(first, last):
            facts = scenario.facts(time, time)
            timing, answers = once(lambda facts=facts, time=time: reasoner.advance(facts, time))  # type: ignore[misc]
            compared.add("going on", timing.median)
            if time < last - samples:
                continue
            expected = Counter({name: answers.count(name) for name in scenario.queries})
            window = shifted(scenario.facts(time - scenario.window, time), time - scenario.window)
            for engine in engines:
                chased = ENGINES[engine](rewriting, window, scenario.queries)
                compared.add(engine, chased.timing.median)
                compared.derived[engine] = chased.derived
                differing += sum(abs(expected[name] - chased.newest[name]) for name in scenario.queries)
    gc.unfreeze()
    return compared, differing


def _row(name: str, compared: Compared) -> tuple[str, ...]:
    cells = []
    for engine in ENGINES:
        is_there = engine in compared.milliseconds
        cells += [f"{compared.median(engine):,.0f}", f"{compared.speedup(engine):.0f}"] if is_there else ["", ""]
    published = f"{PUBLISHED[name].run:g}" if name in PUBLISHED else ""
    return name, f"{compared.median('going on'):.1f}", *cells, f"{max(compared.derived.values()):,}", published
