"""The value of plan nodes: in full, and the part that new facts bring."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from thalweg.columnar.bridge import bridge
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.join import containing_rows
from thalweg.columnar.relation import Relation, always, concat, empty, mirror
from thalweg.columnar.shift import box, diamond
from thalweg.columnar.since import since, vacuous
from thalweg.columnar.values import Values
from thalweg.engine.bindings import Bindings, apply_conditions, join_all
from thalweg.engine.interpretation import Interpretation
from thalweg.plan.build import Literal
from thalweg.plan.nodes import (
    Always,
    Box,
    Diamond,
    Ever,
    Join,
    Never,
    Node,
    Scan,
    Sharp,
    Since,
    Union,
    Vacuous,
    scanned,
)
from thalweg.time.interval import Interval, point
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks


class Evaluator:
    """Evaluates nodes over an interpretation.

    Full values are kept until a predicate they read changes. ``changes`` maps the predicates that changed in
    the last round to their new facts, which the interpretation already holds.
    """

    def __init__(self, interpretation: Interpretation, values: Values, ticks: Ticks) -> None:
        self.interpretation = interpretation
        self.values = values
        self.ticks = ticks
        self.changes: Mapping[str, Relation] = {}
        self._kept: dict[Node, tuple[tuple[int, ...], Bindings]] = {}
        self._kept_literals: dict[Literal, tuple[tuple[int, ...], Bindings]] = {}

    def forget(self) -> None:
        """Drop the kept values."""
        self._kept.clear()
        self._kept_literals.clear()

    def literal(self, literal: Literal) -> Bindings:
        """The full value of a literal."""
        versions = self._versions(literal.node)
        known = self._kept_literals.get(literal)
        if known is None or known[0] != versions:
            known = versions, self.full(literal.node).project(literal.variables)
            self._kept_literals[literal] = known
        return known[1]

    def literal_change(self, literal: Literal) -> Bindings:
        """What the changes add to a literal; it may repeat what held before."""
        return self.change(literal.node).project(literal.variables)

    def full(self, node: Node) -> Bindings:
        """All that a node stands for, coalesced."""
        versions = self._versions(node)
        known = self._kept.get(node)
        if known is None or known[0] != versions:
            known = versions, _coalesced(self._full(node))
            self._kept[node] = known
        return known[1]

    def change(self, node: Node) -> Bindings:
        """What the changes add to a node; it may repeat what held before."""
        if not scanned(node) & self.changes.keys():
            return Bindings(node.variables, empty(len(node.variables)))
        return self._change(node)

    def _full(self, node: Node) -> Bindings:
        match node:
            case Scan():
                return self._scan(node, self.interpretation.relation(node.predicate, node.arity))
            case Always():
                return Bindings((), always())
            case Never():
                return Bindings((), empty(0))
            case Since():
                return self._since(node, self.full(node.left), self.full(node.right))
            case Join(children=children, conditions=conditions):
                joined = join_all(map(self.full, children))
                return apply_conditions(joined, conditions, self.values).project(node.variables)
            case Union():
                return self._union(node, self.full)
            case Sharp():
                facts, kept = self.full(node.facts), self.full(node.kept)
                joint = _concat(node.variables, [facts, kept])
                return Bindings(node.variables, bridge(joint.relation, self._gap(node)))
            case Diamond(child=child) | Box(child=child) | Vacuous(child=child) | Ever(child=child):
                return self._unary(node, self.full(child))

    def _change(self, node: Node) -> Bindings:
        match node:
            case Scan():
                return self._scan(node, self.changes[node.predicate])
            case Sharp():
                return self._touched_by(node, _coalesced(self.change(node.facts)))
            case Box(child=child):
                # A box can grow wherever its operand did: look again at the whole ranges that were touched.
                return self._unary(node, self._touched(child))
            case Diamond(child=child) | Vacuous(child=child) | Ever(child=child):
                return self._unary(node, self.change(child))
            case Since(left=left, right=right):
                by_left = self._since(node, self._touched(left), self.full(right))
                by_right = self._since(node, self.full(left), self.change(right))
                return _concat(node.variables, [by_left, by_right])
            case Join():
                return self._join_change(node)
            case Union():
                return self._union(node, self.change)
            case Always() | Never():
                return Bindings((), empty(0))

    def _scan(self, node: Scan, relation: Relation) -> Bindings:
        rows = np.ones(len(relation), dtype=np.bool_)
        for position, value in node.constants:
            rows &= relation.columns[position] == self.values.code(value)
        for one, other in node.equal:
            rows &= relation.columns[one] == relation.columns[other]
        if not rows.all():
            # Dropped columns hold one value each, or repeat another: the rest are still sorted and apart.
            relation = relation.take(rows, coalesced=relation.coalesced)
        conditions = {position for position, _ in node.constants} | {other for _, other in node.equal}
        kept = relation.select_columns(node.columns)
        if relation.coalesced and not kept.coalesced and len(node.columns) + len(conditions) == node.arity:
            kept = Relation(kept.columns, kept.start, kept.end, coalesced=True)
        return Bindings(node.variables, kept)

    def _unary(self, node: Diamond | Box | Vacuous | Ever, child: Bindings) -> Bindings:
        relation = child.relation
        match node:
            case Diamond(interval=interval):
                relation = diamond(relation, *self._encoded(interval), self.ticks.timeline)
            case Box(interval=interval):
                relation = box(coalesce(relation), *self._encoded(interval), self.ticks.timeline)
            case Vacuous(interval=interval, future=future):
                relation = self._vacuous(relation, interval, future)
            case Ever():
                size = len(relation)
                start, end = np.full(size, NEGATIVE_INFINITY), np.full(size, POSITIVE_INFINITY)
                relation = coalesce(relation.with_time(start, end))
        return Bindings(child.variables, relation)

    def _vacuous(self, relation: Relation, interval: Interval, future: bool) -> Relation:
        low, high = self._encoded(interval)
        result = vacuous(mirror(relation) if future else relation, low, high, self.ticks.timeline)
        if result is None:
            return empty(relation.arity)
        return mirror(result) if future else result

    def _since(self, node: Since, left: Bindings, right: Bindings) -> Bindings:
        low, high = self._encoded(node.interval)
        on = [
            (left.variables.index(name), position)
            for position, name in enumerate(right.variables)
            if name in left.variables
        ]
        one, other = left.relation, right.relation
        if node.future:
            one, other = mirror(one), mirror(other)
        relation = since(coalesce(one), other, on, low, high, self.ticks.timeline)
        return Bindings(node.variables, mirror(relation) if node.future else relation)

    def _touched(self, child: Node) -> Bindings:
        """The maximal ranges of a node's value that the changes are part of."""
        return self._touched_by(child, _coalesced(self.change(child)))

    def _touched_by(self, node: Node, change: Bindings) -> Bindings:
        if not len(change):
            return change
        full = self.full(node)
        return Bindings(full.variables, containing_rows(full.relation, change.relation))

    def _join_change(self, node: Join) -> Bindings:
        parts = []
        for position, child in enumerate(node.children):
            change = self.change(child)
            if len(change):
                others = [self.full(c) for i, c in enumerate(node.children) if i != position]
                joined = apply_conditions(join_all(others, change), node.conditions, self.values)
                parts.append(joined.project(node.variables))
        return _concat(node.variables, parts)

    def _union(self, node: Union, value: Callable[[Node], Bindings]) -> Bindings:
        return _concat(node.variables, [value(child).project(node.variables) for child in node.children])

    def _gap(self, node: Sharp) -> int:
        codes = self.ticks.encode(point(node.gap))
        assert codes is not None
        return codes[0]

    def _encoded(self, interval: Interval) -> tuple[int, int]:
        codes = self.ticks.encode(interval)
        assert codes is not None, "an operator's interval without integers was refused before"
        return codes

    def _versions(self, node: Node) -> tuple[int, ...]:
        return tuple(self.interpretation.version(predicate) for predicate in sorted(scanned(node)))


def _coalesced(bindings: Bindings) -> Bindings:
    return Bindings(bindings.variables, coalesce(bindings.relation))


def _concat(variables: tuple[str, ...], parts: list[Bindings]) -> Bindings:
    return Bindings(variables, concat([part.relation for part in parts], len(variables)))
