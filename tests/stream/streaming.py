"""Feeding a generated case to the stream reasoner in pieces."""

from dataclasses import replace

from hypothesis import assume

from thalweg.engine.intake import program_batches
from thalweg.engine.stream import StreamReasoner
from thalweg.errors import ProgramError
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet

REFUSALS = ("E320", "E321", "E322", "E323")
"""What no stream can answer: an operator without a bound, or recursion that looks ahead."""


def batches_of(program, facts):
    return program_batches(replace(program, facts=tuple(facts)))


def reasoner_for(case, **options):
    """The reasoner for all of a case's predicates; cases that no stream can answer are left out."""
    try:
        return StreamReasoner(case.program, case.program.predicates, **options)
    except ProgramError as error:
        assume(not all(diagnostic.code in REFUSALS for diagnostic in error.diagnostics))
        raise


def streamed(reasoner, case, cuts, observe=lambda reasoner: None):
    """Everything streamed out when facts come in time order, cut into pieces; intervals joined again."""
    reach = max([case.end, *cuts]) + reasoner.delay + 1
    stops = sorted({*cuts, *(cut + reasoner.delay for cut in cuts), reach})
    found = {}
    before = None
    for stop in stops:
        new = [fact for fact in case.facts if _due(fact, before, stop)]
        for key, held in reasoner.advance(batches_of(case.program, new), stop).facts().items():
            found.setdefault(key, []).extend(held)
        observe(reasoner)
        before = stop
    inside = IntervalSet((_window(case),), case.program.timeline)
    joined = {key: IntervalSet(tuple(held), case.program.timeline) for key, held in found.items()}
    return {key: both.intervals for key, held in joined.items() if (both := held.intersection(inside))}


def _due(fact, before, stop):
    """Whether a fact begins in (before, stop]; one with an open start begins just after it."""
    start, closed = fact.interval.start, fact.interval.start_closed
    begun = start <= stop if closed else start < stop
    return begun and (before is None or (start > before if closed else start >= before))


def _window(case):
    return Interval(case.start, case.end)
