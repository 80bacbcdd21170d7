"""The naive oracle: short, slow, and straight from the definitions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from thalweg.model.program import Fact, Program
from thalweg.testing.fixpoint import Answers, Fixpoint
from thalweg.testing.horizon import horizon
from thalweg.testing.lars.timeline import timeline_of
from thalweg.testing.too_many_nulls import MAX_NULLS
from thalweg.time.interval import Interval, point


def naive_materialise(
    program: Program,
    facts: Iterable[Fact],
    start: Fraction,
    end: Fraction,
    margin: Fraction | None = None,
    max_nulls: int = MAX_NULLS,
) -> Answers:
    """What a program and facts entail inside [start, end], in intervals that do not touch.

    The least fixpoint of the immediate consequence operator, stratum by stratum, over a finite horizon: from
    ``margin`` before the first time point in start, end and the facts to as much after the last one. Beyond
    the horizon, truth is taken to be as at its edge.

    This is exact inside [start, end] when the margin is as long as any chain of rules that uses no rule twice
    reaches (by default it is the reach of all rules together), recursion goes only to the past, only to the
    future, or through an atom at the rule's own time that holds in a bounded stretch only, and no operator
    looks without bound to where a recursion goes on for ever.

    With windows, some, all or at (LARS) the horizon is the timeline of the program instead, at all points of which
    rules hold; that is exact. A timeline without an end is cut off ``margin`` after the end and all facts, which is
    exact when every formula that looks ahead looks a bounded way: without next tuples, without ``inf`` ahead, with
    some, all and at in windows only, and recursion to the past only.

    Existential variables stand for nulls: it is the skolem chase (LARS+ paper, Appendix B). It may go on for ever; more
    than ``max_nulls`` nulls raise :class:`~thalweg.testing.TooManyNulls`.
    """
    facts = (*program.facts, *facts)
    if program.is_windowed:
        fixpoint = Fixpoint.of_lars(program, facts, timeline_of(program, facts, end, margin), max_nulls)
    else:
        fixpoint = Fixpoint.of_metric(program, facts, horizon(program, facts, start, end, margin), max_nulls)
    fixpoint.saturate(program.rules, fixpoint.grid.everywhere)
    inside = fixpoint.grid.cells_of(Interval(start, end))
    fixpoint.check_consistency(program.rules, inside)
    return fixpoint.answers(inside)


def naive_answer_at(program: Program, facts: Iterable[Fact], time: int, max_nulls: int = MAX_NULLS) -> Answers:
    """The answer of a stratified program at an evaluation time (LARS paper, Definitions 8 and 9).

    Rules are satisfied at this time only. The answer is a stream on the whole timeline, which must have an end.
    """
    facts = (*program.facts, *facts)
    fixpoint = Fixpoint.of_lars(program, facts, timeline_of(program, facts), max_nulls)
    when = fixpoint.grid.cells_of(point(time))
    fixpoint.saturate(program.rules, when)
    fixpoint.check_consistency(program.rules, when)
    return fixpoint.answers(fixpoint.grid.everywhere)
