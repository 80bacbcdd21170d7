"""⊤ and ⊥ pushed out of formulas."""

from __future__ import annotations

from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    AnyBinaryMetric,
    At,
    Atom,
    BinaryMetric,
    Bottom,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Metric,
    Not,
    Or,
    Some,
    Top,
    Windowed,
    looks_back,
)
from thalweg.time.interval import Interval, point
from thalweg.time.timeline import Timeline


def simplify(formula: Formula, timeline: Timeline) -> Formula:
    """An equivalent formula with ⊤ and ⊥ at the top or under since and until only.

    Intervals are not empty, so diamonds and boxes of ⊤ and ⊥ are ⊤ and ⊥ themselves.
    """
    match formula:
        case Metric(interval=interval, operand=operand):
            inner = simplify(operand, timeline)
            return inner if isinstance(inner, Top | Bottom) else type(formula)(interval, inner, formula.span)
        case BinaryMetric():
            return _simplify_binary(formula, timeline)
        case And(operands=operands):
            return _simplify_and([simplify(operand, timeline) for operand in operands], formula)
        case Not(operand=operand):
            inner = simplify(operand, timeline)
            if isinstance(inner, Top | Bottom):
                return Bottom(formula.span) if isinstance(inner, Top) else Top(formula.span)
            return Not(inner, formula.span)
        case Atom() | Top() | Bottom() | Windowed() | Some() | All() | At() | Or() | Comparison() | Aggregate():
            return formula


def _simplify_binary(formula: AnyBinaryMetric, timeline: Timeline) -> Formula:
    left, right = simplify(formula.left, timeline), simplify(formula.right, timeline)
    diamond = DiamondMinus if looks_back(formula) else DiamondPlus
    if isinstance(right, Bottom):
        return right
    if isinstance(left, Top):
        return diamond(formula.interval, right, formula.span)
    if isinstance(left, Bottom):
        at_once = formula.interval.intersection(vacuous_distances(timeline))
        if at_once is None:
            return left
        return right if isinstance(right, Top) or at_once == point(0) else diamond(at_once, right, formula.span)
    return type(formula)(formula.interval, left, right, formula.span)


def _simplify_and(operands: list[Formula], formula: And) -> Formula:
    false = next((operand for operand in operands if isinstance(operand, Bottom)), None)
    if false is not None:
        return false
    kept = tuple(operand for operand in operands if not isinstance(operand, Top))
    if not kept:
        return Top(formula.span)
    return kept[0] if len(kept) == 1 else And(kept, formula.span)


def vacuous_distances(timeline: Timeline) -> Interval:
    """The distances in time between which since and until ask nothing of their left operand.

    No time point lies strictly between t and t, nor, on the integers, between t and t + 1.
    """
    return point(0) if timeline is Timeline.RATIONAL else Interval(point(0).start, point(1).start)
