"""What must be known for a formula to hold at any time at all."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from thalweg.model.formula import (
    All,
    And,
    At,
    Atom,
    BinaryMetric,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    Formula,
    Metric,
    Or,
    Some,
    Term,
    Variable,
    Windowed,
    expression_variables,
)
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class Known:
    """An atom must hold, at the time point that a term stands for when there is one."""

    atom: Atom
    when: Term | None = None


@dataclass(frozen=True)
class TimePoint:
    """A term must stand for a time point."""

    time: Term


Need = Known | TimePoint | Comparison
Needs = tuple[Need, ...]


def needs(formula: Formula, timeline: Timeline, when: Term | None = None) -> list[Needs]:
    """The alternatives, of which at least one must be met for the formula to hold.

    ``when`` is the time at which the formula is asked for, if an ``at`` gives it.
    """
    match formula:
        case Atom():
            return [(Known(formula, when),)]
        case Comparison():
            return [(formula,)]
        case Bottom():
            return []
        case And(operands=operands):
            return needs_of_all(operands, timeline, when)
        case Or(operands=operands):
            return [each for operand in operands for each in needs(operand, timeline, when)]
        case At(operand=operand, time=time):
            return [(TimePoint(time), *each) for each in needs(operand, timeline, time)]
        case Windowed(operand=operand):
            return needs(operand, timeline, when)
        case Some(operand=operand) | All(operand=operand):
            return needs(operand, timeline)
        case BoxMinus() | BoxPlus() if timeline is Timeline.INTEGER and not formula.interval.to_integers():
            return [()]
        case Metric(operand=operand):
            return needs(operand, timeline)
        case BinaryMetric(right=right):
            # The left operand may be false everywhere and nothing lie between t' and t.
            return needs(right, timeline)
        case _:
            return [()]


def needs_of_all(formulas: Iterable[Formula], timeline: Timeline, when: Term | None = None) -> list[Needs]:
    """The alternatives for formulas that are to hold together."""
    choices = itertools.product(*(needs(formula, timeline, when) for formula in formulas))
    return [tuple(itertools.chain(*choice)) for choice in choices]


def named_in(need: Need) -> Iterator[str]:
    """The variables that must have a value for a need to be met."""
    match need:
        case Known(atom=atom, when=when):
            yield from (term.name for term in (*atom.arguments, when) if isinstance(term, Variable))
        case TimePoint(time=time):
            yield from (term.name for term in (time,) if isinstance(term, Variable))
        case Comparison(left=left, right=right):
            yield from (variable.name for side in (left, right) for variable in expression_variables(side))
