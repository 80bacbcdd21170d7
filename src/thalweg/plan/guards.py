"""Where a rule can fire at all, judged by the facts that are given."""

from __future__ import annotations

import math
from collections.abc import Mapping

from thalweg.model.formula import (
    And,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Since,
    Until,
)
from thalweg.model.program import Rule
from thalweg.plan.stretch import Stretch

Extents = Mapping[str, Stretch | None]
"""The stretch in which all facts of a predicate lie; None when it has none. Derived predicates are not there."""

EVERYWHERE = Stretch(-math.inf, math.inf)


def guard(rule: Rule, extents: Extents) -> Stretch | None:
    """A stretch outside which the rule's body is certainly false; None when it is false everywhere."""
    return _conjunction(rule.body, extents)


def _conjunction(formulas: tuple[Formula, ...], extents: Extents) -> Stretch | None:
    common: Stretch | None = EVERYWHERE
    for formula in formulas:
        extent = _extent(formula, extents)
        common = common and extent and common.intersection(extent)
    return common


def _extent(formula: Formula, extents: Extents) -> Stretch | None:
    """A stretch that holds all times at which a formula may be true."""
    match formula:
        case Atom(predicate=predicate):
            return extents.get(predicate, EVERYWHERE)
        case Bottom():
            return None
        case DiamondMinus(interval=interval, operand=operand) | BoxMinus(interval=interval, operand=operand):
            inside = _extent(operand, extents)
            return inside and inside.looking(interval)
        case DiamondPlus(interval=interval, operand=operand) | BoxPlus(interval=interval, operand=operand):
            inside = _extent(operand, extents)
            return inside and inside.looking(interval.reflected())
        case Since(interval=interval, right=right):
            inside = _extent(right, extents)
            return inside and inside.looking(interval)
        case Until(interval=interval, right=right):
            inside = _extent(right, extents)
            return inside and inside.looking(interval.reflected())
        case And(operands=operands):
            return _conjunction(operands, extents)
        case _:
            return EVERYWHERE
