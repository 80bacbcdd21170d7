"""The scenarios of the LARS+ paper's experiments (Section 5 and Appendix D), and larger ones of the same kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import thalweg
from thalweg.bench.lars_plus import deep
from thalweg.bench.lars_plus.belt_stream import belt_batches
from thalweg.bench.lars_plus.deep import Deep
from thalweg.generators.belts import ALL, SOME, Belts, Chances
from thalweg.model.program import Program
from thalweg.syntax.fact_batch import FactBatch

TIME_POINTS = 100
BELTS, MANY_BELTS = 100, 10_000
CHANCES = (Chances(0.0, 0.0, 0.0), Chances(0.3, 0.3, 0.5), Chances(0.7, 0.7, 1.0))
LENGTHS = (0, 2, 4)
WINDOW = 6
"""ℓ: so many time points before the newest one are reasoned about."""
TIMES_LONGER = 10
"""So much longer are the windows, and ℓ with them, in one of the larger scenarios."""


@dataclass(frozen=True)
class Published:
    """A row of the paper's Table 1: milliseconds a time point, megabytes, facts in thousands."""

    run: float
    memory: float
    facts: float


PUBLISHED = {
    "S_A 0.7/0.7/1.0": Published(13.67, 22.9, 10.7),
    "S_B n = 2": Published(1300, 81.8, 64),
    "S_B n = 4": Published(2600, 114.4, 82),
}
"""From a laptop of 2019; the other figures are not readable in the copy of the paper that we have."""


@dataclass(frozen=True)
class Scenario:
    """Rules, and facts at the time points 0, 1, 2, ….

    ``facts`` gives those from one time point to another. Answers depend on the facts of the last ``reach`` time points
    before; ``expected`` counts the answers at a time point by hand, where that is easy.
    """

    rules: str
    facts: Callable[[int, int], list[FactBatch]]
    window: int
    reach: int
    expected: Callable[[int], int] | None = None

    @cached_property
    def program(self) -> Program:
        return thalweg.parse(self.rules)

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """All that is derived."""
        return tuple(sorted(self.program.derived_predicates))


def _belts(seed: int, chances: Chances, count: int = BELTS, times_longer: int = 1) -> Scenario:
    belts = Belts(count, TIME_POINTS, chances, seed, times_longer)
    return Scenario(
        belts.declarations + belts.rules,
        partial(belt_batches, belts),
        WINDOW * times_longer,
        max(SOME, ALL + ALL) * times_longer,
        lambda time: sum(belts.expected(time).values()),
    )


def _deep(seed: int, n: int) -> Scenario:
    data = Deep.read()
    return Scenario(data.rules(n, seed), data.batches, WINDOW, n * data.longest_chain)


MOST = CHANCES[-1]
SCENARIOS: dict[str, Callable[[int], Scenario]] = {
    **{f"S_A {chances}": partial(_belts, chances=chances) for chances in CHANCES},
    f"S_A {MOST}, {MANY_BELTS:,} belts": partial(_belts, chances=MOST, count=MANY_BELTS),
    f"S_A {MOST}, {MANY_BELTS:,} belts, ℓ = {WINDOW * TIMES_LONGER}": partial(
        _belts, chances=MOST, count=MANY_BELTS, times_longer=TIMES_LONGER
    ),
    **{f"S_B n = {n}": partial(_deep, n=n) for n in LENGTHS},
}
"""By name, for a seed."""

QUICK = (f"S_A {MOST}", f"S_A {MOST}, {MANY_BELTS:,} belts")
"""To read and plan the rules of S_B takes too long for a quick run."""


def available(quick: bool) -> tuple[str, ...]:
    """The names of the scenarios that can run: those of Deep100 only where its data is."""
    return tuple(name for name in (QUICK if quick else SCENARIOS) if name.startswith("S_A") or deep.is_there())
