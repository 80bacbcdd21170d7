"""Entailment (LARS paper, Definition 7), and the metric operators of DatalogMTL beside it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TypeGuard

from thalweg.model.formula import (
    All,
    And,
    AnyBinaryMetric,
    AnyMetric,
    At,
    Atom,
    BinaryMetric,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Metric,
    Not,
    Or,
    Since,
    Some,
    TimeWindow,
    Top,
    Until,
    Windowed,
    children,
)
from thalweg.testing.grounding import EMPTY, ground, value_of
from thalweg.testing.lars.stream import Stream
from thalweg.testing.lars.structure import Structure
from thalweg.testing.values import Substitution, compare
from thalweg.time.interval import Endpoint


def entails(
    structure: Structure, stream: Stream, time: int, formula: Formula, substitution: Substitution = EMPTY
) -> bool:
    """M, S, t ⊩ α for a formula whose variables have the values that the substitution gives.

    t may lie outside the timeline of S, where no atom holds. Metric operators look at all integers.
    """

    def here(part: Formula) -> bool:
        return entails(structure, stream, time, part, substitution)

    def at(when: int, part: Formula) -> bool:
        return entails(structure, stream, when, part, substitution)

    match formula:
        case Atom(predicate=predicate):
            return structure.holds(stream, time, predicate, ground(formula, substitution))
        case Top():
            return True
        case Bottom():
            return False
        case Comparison():
            return compare(formula, substitution)
        case And(operands=operands):
            # Comparisons last: there are none between values that no atom has.
            return all(here(part) for part in sorted(operands, key=lambda part: isinstance(part, Comparison)))
        case Or(operands=operands):
            return any(here(part) for part in operands)
        case Not(operand=operand):
            return not _for_some_value(structure, stream, time, operand, substitution)
        case Some(operand=operand):
            return any(at(when, operand) for when in stream.timeline)
        case All(operand=operand):
            return bool(stream.timeline) and all(at(when, operand) for when in stream.timeline)
        case At(operand=operand, time=term):
            when = value_of(term, substitution)
            return _is_point(when, stream) and at(int(when), operand)
        case Windowed(operand=operand, of_stream=of_stream):
            window = structure.window(formula, structure.stream if of_stream else stream, time)
            return entails(structure, window, time, operand, substitution)
        case DiamondMinus(operand=operand) | DiamondPlus(operand=operand):
            return any(at(when, operand) for when in _looked_at(structure, time, formula))
        case BoxMinus(operand=operand) | BoxPlus(operand=operand):
            return all(at(when, operand) for when in _looked_at(structure, time, formula))
        case Since() | Until():
            return any(
                at(when, formula.right) and all(at(between, formula.left) for between in _between(time, when))
                for when in _looked_at(structure, time, formula)
            )
        case _:
            raise TypeError(f"a formula has no meaning: {formula!r}")


def _for_some_value(
    structure: Structure, stream: Stream, time: int, formula: Formula, substitution: Substitution
) -> bool:
    """Whether a formula holds for some values of the variables that have none yet."""
    values = structure.grounding(formula).substitutions(structure, substitution)
    return any(entails(structure, stream, time, formula, each) for each in values)


def _is_point(value: object, stream: Stream) -> TypeGuard[Fraction]:
    return isinstance(value, Fraction) and value.denominator == 1 and int(value) in stream.timeline


def _between(time: int, when: int) -> range:
    return range(min(time, when) + 1, max(time, when))


def _looked_at(structure: Structure, time: int, formula: AnyMetric | AnyBinaryMetric) -> range:
    """The times at a distance in ϱ, nearest first, as far as truth can change: beyond, it is as at the last of them."""
    distances = formula.interval.to_integers()
    if distances is None:
        return range(0)
    nearest = int(distances.start)
    backwards = isinstance(formula, DiamondMinus | BoxMinus | Since)
    if not isinstance(distances.end, float):
        furthest = int(distances.end)
    else:
        beyond = max(map(reach, children(formula))) + 1
        edge = time - structure.stream.first if backwards else structure.stream.last - time
        furthest = max(nearest, edge + beyond)
    if backwards:
        return range(time - nearest, time - furthest - 1, -1)
    return range(time + nearest, time + furthest + 1)


@cache
def reach(formula: Formula) -> int:
    """How far outside the timeline the truth of a formula can still change."""
    inner = max(map(reach, children(formula)), default=0)
    match formula:
        case Metric(interval=interval):
            return inner + max(_finite(interval.start), _finite(interval.end))
        case BinaryMetric(interval=interval):
            # Between a time point and the next, its left operand is not asked.
            return inner + max(_finite(interval.start), _finite(interval.end)) + 1
        case Windowed(window=TimeWindow() as window):
            return inner + _finite(window.last) + _finite(window.next) + window.slide
        case _:
            return inner


def _finite(end: Endpoint) -> int:
    return 0 if isinstance(end, float) else int(end)
