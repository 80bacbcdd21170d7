"""How much of time the oracle must look at, and how finely."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from thalweg.model.formula import BinaryMetric, Formula, Metric, children, intervals
from thalweg.model.program import Fact, Program, Rule
from thalweg.testing.cells import Grid
from thalweg.time.interval import Interval
from thalweg.time.ticks import common_tick
from thalweg.time.timeline import Timeline


def horizon(program: Program, facts: tuple[Fact, ...], start: Fraction, end: Fraction, margin: Fraction | None) -> Grid:
    """The cells from ``margin`` before the first time point mentioned to as much after the last one.

    Without a margin, the reach of all rules together: as far as a chain of rules looks that uses none twice.
    """
    times = [start, end, *_rational_ends(fact.interval for fact in facts)]
    margin = sum(map(_reach, program.rules), Fraction(0)) if margin is None else margin
    return Grid.around(program.timeline, _step(program, times), min(times) - margin, max(times) + margin)


def _step(program: Program, times: list[Fraction]) -> Fraction:
    """The distance of neighbouring points: on the rational timeline it divides all times and durations."""
    if program.timeline is Timeline.INTEGER:
        return Fraction(1)
    formulas = (formula for rule in program.rules for formula in (rule.head, *rule.body))
    durations = _rational_ends(interval for formula in formulas for interval in intervals(formula))
    return common_tick([*times, *durations])


def _reach(rule: Rule) -> Fraction:
    """How far from t the body of a rule looks, and its head then reaches."""
    return _depth(rule.head) + max(map(_depth, rule.body), default=Fraction(0))


def _depth(formula: Formula) -> Fraction:
    """How far from t a formula looks, leaving infinite endpoints aside."""
    inner = max(map(_depth, children(formula)), default=Fraction(0))
    if isinstance(formula, Metric | BinaryMetric):
        return inner + max(_rational_ends([formula.interval]))
    return inner


def _rational_ends(intervals: Iterable[Interval]) -> Iterator[Fraction]:
    for interval in intervals:
        for end in (interval.start, interval.end):
            if not isinstance(end, float):
                yield end
