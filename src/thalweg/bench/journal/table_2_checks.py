"""What the journal paper says of its Table 2 and Figures 2 and 3, checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from statistics import mean, median

from thalweg.analysis.report import analyse
from thalweg.bench.journal.table_2_measure import Found
from thalweg.bench.journal.table_2_queries import QUERIES, SIZES, Query
from thalweg.bench.result import Check, at_least, at_most, must_agree
from thalweg.bench.workbench import Workbench
from thalweg.generators.lubm import HORIZON, STEP

LEAST_REDUCTION = 40
"""In [0, 300], "approximately a 40-fold reduction in memory consumption in most cases"."""

WHY_GROWING = (
    "The fourth rule makes every Scientist one again two time units later, for ever: no correct reasoner may forget"
    " any of them. The paper's numbers fit the first three rules alone, which are measured, too, and stay flat"
)


def check(bench: Workbench, found: Sequence[Found], horizon: Fraction) -> Iterator[Check]:
    """Whether answers agree, and what is stored is as little, as flat and as bounded as said."""
    for query in QUERIES:
        mine = [each for each in found if each.query is query]
        compared = ", ".join(each.data for each in mine if each.whole is not None)
        wrong = sum(each.differing for each in mine)
        yield must_agree(f"{query.label} on {compared}: all that is derived, streaming and all at once", wrong)
        least = float(LEAST_REDUCTION * horizon / HORIZON)
        yield at_least(
            f"{query.label}: times fewer facts stored, the least of the data sets"
            + (f" ({LEAST_REDUCTION} in [0, {HORIZON}])" if horizon != HORIZON else ""),
            min(each.reduction for each in mine),
            least,
        )
        yield from _as_in_the_paper(query, mine)
        if not bench.quick:  # a handful of facts a step says nothing of how memory develops
            yield from _flat(bench, query, mine[-1])
            yield _growth(query, mine[0], mine[-1])
        yield at_most(
            f"{query.label}: the most left stored by a step, as a share of the bound of Theorem 12",
            max(each.bounded for each in mine),
            1,
        )


def _as_in_the_paper(query: Query, mine: Sequence[Found]) -> Iterator[Check]:
    """Data sets as large as the paper's give as many facts, where its numbers are of the same rules."""
    away = [
        abs(each.stored_at_once / paper - 1)
        for each, size, (paper, _) in zip(mine, SIZES, query.paper, strict=True)
        if each.size == size and not query.grows
    ]
    if away:
        promise = f"{query.label}: stored all at once, how far from the paper's number, as a share of it"
        yield at_most(promise, max(away), 0.05)


def _growth(query: Query, smallest: Found, largest: Found) -> Check:
    """What is stored grows with the data, and no faster."""
    growth = mean(largest.streamed.most) / mean(smallest.streamed.most)
    promise = f"{query.label}: growth of what is stored against that of the data, {smallest.data} to {largest.data}"
    return at_most(promise, growth / (largest.size / smallest.size), 1.1)


def _flat(bench: Workbench, query: Query, largest: Found) -> Iterator[Check]:
    """What is stored does not grow once the first window is full."""
    skipped = int(2 * analyse(query.program).window / STEP)
    settled = largest.streamed.most[skipped:]
    third = len(settled) // 3
    few_per_cent = bench.choose(1.08, 1.08, 1.05)
    yield at_most(
        f"{query.label}, {largest.data}: stored in the last third of the time against the first third",
        mean(settled[-third:]) / mean(settled[:third]),
        few_per_cent,
        WHY_GROWING if query.grows else "",
    )
    if query.grows:
        came = largest.streamed.came[skipped:]
        yield at_most(
            f"{query.label}, {largest.data}: facts stored for each that has come",
            max(stored / facts for stored, facts in zip(settled, came, strict=True)),
            2,
        )
        return
    yield at_most(
        f"{query.label}, {largest.data}: the most stored against the median, after the first windows",
        max(settled) / median(settled),
        bench.choose(1.6, 1.6, 1.3),
    )
