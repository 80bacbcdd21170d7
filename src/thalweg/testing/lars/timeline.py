"""The timeline of a program, and what is always known on it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from thalweg.model.program import Fact, Program, Rule
from thalweg.syntax.ast import Role
from thalweg.testing.cells import Grid
from thalweg.testing.lars.entailment import reach
from thalweg.time.timeline import Timeline


def timeline_of(
    program: Program, facts: Iterable[Fact], end: Fraction | None = None, margin: Fraction | None = None
) -> Grid:
    """T, from 0 unless the program says otherwise; a cell is a time point.

    A timeline without an end is cut off ``margin`` after the given end and all finite times of facts, by default
    the reach of all rules together.
    """
    first = Fraction(0) if program.timeline_start is None else program.timeline_start
    last = program.timeline_end
    if last is None:
        if end is None:
            raise ValueError("the timeline has no end")
        times = (each for fact in facts for each in (fact.interval.start, fact.interval.end))
        furthest = max(end, *(time for time in times if not isinstance(time, float)), first)
        last = furthest + (sum(map(_reach, program.rules)) if margin is None else margin)
    return Grid(Timeline.INTEGER, Fraction(1), first, math.floor(last - first) + 1)


def background_predicates(program: Program) -> frozenset[str]:
    """The predicates declared as background: their facts hold at all times."""
    return frozenset(name for name, signature in program.signatures.items() if signature.role is Role.BACKGROUND)


def _reach(rule: Rule) -> int:
    """How far from t the body of a rule looks, and its head then reaches."""
    return reach(rule.head) + max(map(reach, rule.body), default=0)
