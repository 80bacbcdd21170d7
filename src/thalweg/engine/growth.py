"""Whether a stage is certain to reach its fixpoint: a sufficient check.

Facts can only be new while their ends are: if all ends that a stage can ever derive lie in a finite stretch of
the tick's grid, and no rule makes up new values, the fixpoint is finite. The stretch is found by following the
rules once on hulls instead of facts, widening to the limit what keeps growing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from thalweg.columnar.relation import Relation
from thalweg.engine.interpretation import Interpretation
from thalweg.model.formula import Variable
from thalweg.plan.build import RulePlan
from thalweg.plan.nodes import (
    Always,
    Box,
    Carried,
    Clipped,
    Diamond,
    Ever,
    FromPivots,
    Join,
    Minus,
    NearPivots,
    Never,
    Node,
    Project,
    Scan,
    Sharp,
    Since,
    Union,
    Vacuous,
    Widened,
    inner,
)
from thalweg.plan.plan import Stage
from thalweg.syntax.ast import ComparisonOperator
from thalweg.time.interval import Interval
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks


@dataclass(frozen=True)
class Extent:
    """Facts hold only inside [low, high], and all their finite ends lie in [first, last]."""

    low: float
    high: float
    first: float = math.inf
    last: float = -math.inf

    def union(self, other: Extent) -> Extent:
        """The extent of either."""
        return Extent(
            min(self.low, other.low),
            max(self.high, other.high),
            min(self.first, other.first),
            max(self.last, other.last),
        )

    def intersection(self, other: Extent) -> Extent | None:
        """The extent of both at once; None when they cannot meet."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low > high:
            return None
        first, last = max(min(self.first, other.first), low), min(max(self.last, other.last), high)
        return Extent(low, high, first, last) if first <= last else Extent(low, high)

    def moved(self, low: float, high: float) -> Extent:
        """After a diamond or a box with the encoded interval [low, high]; only open ends, which are odd, may round."""
        finite = [offset for offset in (low, high) if math.isfinite(offset)]
        rounded = int(any(offset % 2 for offset in finite))
        return Extent(
            self.low + low - rounded,
            self.high + high + rounded,
            self.first + min(finite) - rounded if finite else math.inf,
            self.last + max(finite) + rounded if finite else -math.inf,
        )


Extents = dict[str, Extent | None]


def is_certain_to_end(
    stage: Stage, interpretation: Interpretation, ticks: Ticks, within: Mapping[str, tuple[int, int]]
) -> bool:
    """Whether the stage's fixpoint is certainly finite, given the facts below it."""
    if any(_makes_values(plan, stage) for plan in stage.rules):
        return False
    if all(
        low > NEGATIVE_INFINITY and high < POSITIVE_INFINITY for low, high in map(within.__getitem__, _heads(stage))
    ):
        return True
    bounds = {name: _clip(*within[name]) for name in stage.predicates if name in within}
    extents = _Hulls(interpretation, ticks)
    rounds = 2 * len(stage.rules) + 4
    for round_number in range(2 * rounds):
        before = {name: extents.of(name) for name in stage.predicates}
        for plan in stage.rules:
            if plan.head in bounds:
                extents.add(plan, bounds[plan.head])
        if all(extents.of(name) == before[name] for name in stage.predicates):
            break
        if round_number >= rounds:
            for name in stage.predicates & bounds.keys():
                extents.widen(name, before[name], bounds[name])
    return all(_is_finite(extents.of(name)) for name in stage.predicates)


class _Hulls:
    """Extents of predicates: of the facts there are, then of those that rules may add."""

    def __init__(self, interpretation: Interpretation, ticks: Ticks) -> None:
        self._interpretation = interpretation
        self._ticks = ticks
        self._known: Extents = {}

    def of(self, predicate: str) -> Extent | None:
        if predicate not in self._known:
            self._known[predicate] = _hull(self._interpretation.relation(predicate, 0))
        return self._known[predicate]

    def add(self, plan: RulePlan, bound: Extent) -> None:
        assert plan.head is not None
        extent = self._body(plan)
        low, high = self._offsets(plan.reach)
        extent = extent and extent.moved(low, high).intersection(bound)
        known = self.of(plan.head)
        self._known[plan.head] = extent if known is None else known if extent is None else known.union(extent)

    def widen(self, predicate: str, before: Extent | None, bound: Extent) -> None:
        now = self.of(predicate)
        if now is None or before is None:
            return
        self._known[predicate] = Extent(
            bound.low if now.low < before.low else now.low,
            bound.high if now.high > before.high else now.high,
            bound.low if now.first < before.first else now.first,
            bound.high if now.last > before.last else now.last,
        )

    def _body(self, plan: RulePlan) -> Extent | None:
        extent: Extent | None = _EVERYWHERE
        for literal in plan.positive:
            other = self._node(literal.node)
            extent = extent and other and extent.intersection(other)
        for literal in plan.negative:
            other = self._node(literal.node)
            if extent and other:
                ends = Extent(extent.low, extent.high, other.first, other.last)
                extent = extent.intersection(ends)
        return extent

    def _node(self, node: Node) -> Extent | None:
        match node:
            case Scan(predicate=predicate):
                return self.of(predicate)
            case Always() | Ever():
                return _EVERYWHERE
            case Never():
                return None
            case Diamond(interval=interval, child=child) | Box(interval=interval, child=child):
                extent = self._node(child)
                return extent and extent.moved(*self._offsets(interval))
            case Vacuous(child=child):
                extent = self._node(child)
                return extent and extent.moved(-1, 1)
            case Since():
                return self._since(node)
            case Sharp():
                return self._node(node.facts)
            case Join():
                joined: Extent | None = _EVERYWHERE
                for child in inner(node):
                    other = self._node(child)
                    joined = joined and other and joined.intersection(other)
                return joined
            case Clipped() | Widened() | Project() | NearPivots() | Minus() | Carried():
                return self._node(inner(node)[0])
            case FromPivots(slide=slide, child=child):
                extent = self._node(child)
                return extent and extent.moved(-slide, slide)
            case Union():
                extents = [extent for child in inner(node) if (extent := self._node(child))]
                united = extents[0] if extents else None
                for extent in extents[1:]:
                    united = united and united.union(extent)
                return united
            case _:
                return _ANYWHERE

    def _since(self, node: Since) -> Extent | None:
        left, right = self._node(node.left), self._node(node.right)
        if not left or not right:
            return None
        low, high = self._offsets(node.interval.reflected() if node.future else node.interval)
        moved = right.moved(min(low, 0), max(high, 0))
        reach = left.moved(-1, 1)
        return moved.intersection(reach)

    def _offsets(self, interval: Interval) -> tuple[float, float]:
        codes = self._ticks.encode(interval)
        assert codes is not None
        return _number(codes[0]), _number(codes[1])


_EVERYWHERE = Extent(-math.inf, math.inf)
_ANYWHERE = Extent(-math.inf, math.inf, -math.inf, math.inf)
"""Of facts of which nothing is known."""


def _makes_values(plan: RulePlan, stage: Stage) -> bool:
    """Whether a recursive rule computes or makes up values, so that it might never run out of new ones."""
    recursive = any(literal.predicates & stage.predicates for literal in plan.positive)
    if recursive and plan.nulls:
        return True
    bound = {name for literal in plan.positive for name in literal.variables}
    return recursive and any(
        condition.operator is ComparisonOperator.EQUAL
        and any(isinstance(s, Variable) and s.name not in bound for s in (condition.left, condition.right))
        for condition in plan.conditions
    )


def _heads(stage: Stage) -> set[str]:
    return {plan.head for plan in stage.rules if plan.head is not None}


def _hull(relation: Relation) -> Extent | None:
    if not len(relation):
        return None
    ends = np.concatenate((relation.start, relation.end))
    finite = ends[(ends != NEGATIVE_INFINITY) & (ends != POSITIVE_INFINITY)]
    hull = Extent(_number(int(relation.start.min())), _number(int(relation.end.max())))
    return replace(hull, first=int(finite.min()), last=int(finite.max())) if len(finite) else hull


def _clip(low: int, high: int) -> Extent:
    """Of what is cut off at both ends: where they are finite, facts may end there."""
    cuts = [cut for cut in map(_number, (low, high)) if math.isfinite(cut)]
    return Extent(_number(low), _number(high), min(cuts, default=math.inf), max(cuts, default=-math.inf))


def _is_finite(extent: Extent | None) -> bool:
    return extent is None or (extent.first > -math.inf and extent.last < math.inf)


def _number(code: int) -> float:
    return -math.inf if code == NEGATIVE_INFINITY else math.inf if code == POSITIVE_INFINITY else code
