"""The value of plan nodes: in full, and the part that new facts bring."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from thalweg.columnar.arrays import add_saturating
from thalweg.columnar.bridge import bridge
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.join import containing_rows
from thalweg.columnar.relation import Relation, always, concat, empty, mirror
from thalweg.columnar.shift import box, clip, diamond
from thalweg.columnar.since import since, vacuous
from thalweg.columnar.values import Values
from thalweg.columnar.windows import from_pivots, instants, near_pivots, references, to_the_ends
from thalweg.engine.aggregates import aggregated
from thalweg.engine.bindings import Bindings, apply_conditions, join_all
from thalweg.engine.interpretation import Interpretation
from thalweg.engine.merged import MergedRules
from thalweg.engine.tuple_windows import held_tuples, with_kept
from thalweg.engine.window_frames import WindowFrames, fitting
from thalweg.plan.build import Literal
from thalweg.plan.nodes import (
    Aggregated,
    Always,
    Box,
    Carried,
    Clipped,
    Diamond,
    Entered,
    Ever,
    FromPivots,
    Instants,
    Join,
    Left,
    Minus,
    NearPivots,
    Never,
    Node,
    Project,
    Scan,
    Sharp,
    Since,
    Started,
    Throughout,
    Tuples,
    Union,
    Vacuous,
    Widened,
    WindowTimes,
    inner,
    scanned,
)
from thalweg.plan.rule_table import RuleTable
from thalweg.time.interval import Endpoint, Interval, point
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks

_Unary = Diamond | Box | Vacuous | Ever | Instants | Project | Clipped | Widened | FromPivots | NearPivots

ALL_TIME = NEGATIVE_INFINITY, POSITIVE_INFINITY


@dataclass
class _Slot:
    """What is known of a node or literal: the predicates it reads, and its values within stretches of time.

    The values are those for the predicates' facts in these versions.
    """

    predicates: frozenset[str]
    versions: tuple[int, ...] = ()
    values: dict[tuple[int, int], Bindings] = field(default_factory=dict)


class Evaluator:
    """Evaluates nodes over an interpretation.

    Full values are kept until a predicate they read changes. ``changes`` maps the predicates that changed in
    the last round to their new facts, which the interpretation already holds. ``timeline`` is the range of time points
    there are; windows are cut off at its ends. With ``is_single_point`` nothing is asked for but one time point, after
    all that is carried along.
    """

    def __init__(
        self, interpretation: Interpretation, values: Values, ticks: Ticks, timeline: tuple[int, int] = ALL_TIME
    ) -> None:
        self.interpretation = interpretation
        self.values = values
        self.ticks = ticks
        self.timeline = timeline
        self.frames = WindowFrames(interpretation, values, timeline)
        self.changes: Mapping[str, Relation] = {}
        self.is_single_point = False
        self._merged: dict[int, MergedRules] = {}
        self._slots: dict[Node | Literal, _Slot] = {}
        self._filled: dict[int, _Slot] = {}
        self._slots_by_identity: dict[int, tuple[Node | Literal, _Slot]] = {}
        self._codes_by_identity: dict[int, tuple[Interval, tuple[int, int]]] = {}

    def merged(self, table: RuleTable) -> MergedRules:
        """A table of rules as arrays."""
        if table.number not in self._merged:
            self._merged[table.number] = MergedRules.of(table, self.values)
        return self._merged[table.number]

    def forget(self) -> None:
        """Drop the kept values."""
        for slot in self._filled.values():
            slot.values.clear()
        self._filled.clear()
        self.frames.forget()

    def literal(self, literal: Literal, within: tuple[int, int]) -> Bindings:
        """The value of a literal inside a range of time."""
        known = self._kept(literal)
        if within not in known:
            known[within] = self.full(literal.node).clipped(*within).project(literal.variables)
        return known[within]

    def literal_change(self, literal: Literal, within: tuple[int, int]) -> Bindings:
        """What the changes add to a literal inside a range of time; it may repeat what held before."""
        return self.change(literal.node).clipped(*within).project(literal.variables)

    def full(self, node: Node) -> Bindings:
        """All that a node stands for, coalesced."""
        known = self._kept(node)
        if ALL_TIME not in known:
            known[ALL_TIME] = _coalesced(self._full(node))
        return known[ALL_TIME]

    def change(self, node: Node) -> Bindings:
        """What the changes add to a node; it may repeat what held before."""
        if self._slot(node).predicates.isdisjoint(self.changes):
            return Bindings(node.variables, empty(len(node.variables)))
        return self._change(node)

    def encoded(self, interval: Interval) -> tuple[int, int]:
        """An operator's interval as a closed range of codes; kept, as exact numbers are slow to divide."""
        known = self._codes_by_identity.get(id(interval))
        if known is None:
            codes = self.ticks.encode(interval)
            assert codes is not None, "an operator's interval without integers was refused before"
            known = self._codes_by_identity[id(interval)] = interval, codes
        return known[1]

    def _full(self, node: Node) -> Bindings:
        match node:
            case Scan():
                return self._scan(node, self.interpretation.relation(node.predicate, node.arity))
            case Always():
                return Bindings((), always())
            case Never(variables=variables):
                return Bindings(variables, empty(len(variables)))
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
            case Carried():
                return self._carried(node)
            case Minus(left=left, right=right):
                return self.full(left).without(self.full(right))
            case Started():
                first = np.array([self.timeline[0]])
                return Bindings((), Relation((), first, first, coalesced=True))
            case Tuples():
                return self._tuples(node)
            case Entered():
                return self.frames.entered(node)
            case WindowTimes():
                return self.frames.times(node)
            case Throughout():
                return self.frames.throughout(node, self.full(node.child))
            case Left():
                return self.frames.left(node, lambda: self.full(node.child))
            case Aggregated():
                domain = None if node.domain is None else self.full(node.domain)
                return aggregated(node, self.full(node.child), domain, self.values)
            case _:
                return self._unary(node, self.full(node.child))

    def _change(self, node: Node) -> Bindings:
        match node:
            case Scan():
                return self._scan(node, self.changes[node.predicate])
            case Sharp():
                return self._touched_by(node, _coalesced(self.change(node.facts)))
            case Box(child=child):
                # A box can grow wherever its operand did: look again at the whole ranges that were touched.
                return self._unary(node, self._touched(child))
            case Carried(child=Diamond() as child):
                return self.change(child)
            case Carried(child=child):
                return self._unary(child, self._touched_by_carried(node, self.change(child.child)))
            case Minus(left=left, right=right):
                return self.change(left).without(self.full(right))
            case Since(left=left, right=right):
                by_left = self._since(node, self._touched(left), self.full(right))
                by_right = self._since(node, self.full(left), self.change(right))
                return _concat(node.variables, [by_left, by_right])
            case Join():
                return self._join_change(node)
            case Union():
                return self._union(node, self.change)
            case Tuples() | Entered() | WindowTimes() | Throughout() | Left() | Aggregated():
                # What new facts bring to a window that was entered is not told apart from the rest.
                return self.full(node)
            case Always() | Never() | Started():
                return Bindings(node.variables, empty(len(node.variables)))
            case _:
                return self._unary(node, self.change(node.child))

    def carried(self, node: Carried) -> Bindings:
        """What is to be carried along: the value of a diamond, or the facts of a box; coalesced."""
        child = node.child
        known = self.interpretation.relation(node.name, len(child.variables))
        new = self.full(child if isinstance(child, Diamond) else child.child)
        both = concat((known, new.relation), len(child.variables))
        return Bindings(child.variables, coalesce(both))

    def _carried(self, node: Carried) -> Bindings:
        whole = self.carried(node)
        return whole if isinstance(node.child, Diamond) else self._unary(node.child, whole)

    def _touched_by_carried(self, node: Carried, change: Bindings) -> Bindings:
        """The whole ranges that a change is part of: carried, and new."""
        part = _coalesced(change).relation
        near = part.with_time(add_saturating(part.start, -1), add_saturating(part.end, 1))
        carried = self.interpretation.relation(node.name, part.arity)
        new = part if self.is_single_point else self.full(inner(node.child)[0]).relation
        touched = [containing_rows(relation, near) for relation in (carried, new)]
        whole = coalesce(concat((*touched, part), part.arity))
        return Bindings(node.child.variables, containing_rows(whole, part))

    def _tuples(self, node: Tuples) -> Bindings:
        facts = node.facts
        known = self.interpretation.relation(facts.predicate, facts.arity)
        known = with_kept(known, self.interpretation, facts.predicate, node.window)
        held = fitting(held_tuples(known, node.window, self.values), facts, self.values)
        if node.time is None:
            return Bindings(facts.variables, held.select_columns(facts.columns))
        if node.time in facts.variables:
            same = held.columns[-1] == held.columns[facts.columns[facts.variables.index(node.time)]]
            return Bindings(facts.variables, held.take(same).select_columns(facts.columns))
        return Bindings((*facts.variables, node.time), held.select_columns((*facts.columns, facts.arity)))

    def _instants(self, node: Instants, child: Bindings) -> Bindings:
        relation = clip(child.relation, *self.timeline)
        rows, times = instants(relation)
        start, end = np.full(len(times), NEGATIVE_INFINITY), np.full(len(times), POSITIVE_INFINITY)
        if node.window is not None:
            last, ahead = self._length(node.window.last), self._length(node.window.next)
            start, end = references(times, last, ahead, node.window.slide)
        exploded = Bindings(child.variables, Relation(tuple(c[rows] for c in relation.columns), start, end))
        if node.time in child.variables:
            column = exploded.relation.columns[child.variables.index(node.time)]
            return exploded.where(column == times * 2)
        return exploded.extended(node.time, times * 2)

    def _length(self, length: Endpoint) -> int:
        return POSITIVE_INFINITY if length == math.inf else int(length)

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

    def _unary(self, node: _Unary, child: Bindings) -> Bindings:
        relation = child.relation
        match node:
            case Instants():
                return self._instants(node, child)
            case Project(variables=variables):
                return child.project(variables)
            case Clipped(before=before, after=after):
                low, high = self.timeline
                low = NEGATIVE_INFINITY if before == math.inf else max(low - int(before), NEGATIVE_INFINITY)
                high = POSITIVE_INFINITY if after == math.inf else min(high + int(after), POSITIVE_INFINITY)
                relation = clip(relation, low, high)
            case Widened():
                relation = to_the_ends(relation, *self.timeline)
            case FromPivots(slide=slide):
                relation = from_pivots(relation, slide)
            case NearPivots(slide=slide, ahead=ahead):
                relation = near_pivots(clip(relation, *self.timeline), slide, ahead)
            case Diamond(interval=interval):
                relation = diamond(relation, *self.encoded(interval), self.ticks.timeline)
            case Box(interval=interval):
                relation = box(coalesce(relation), *self.encoded(interval), self.ticks.timeline)
            case Vacuous(interval=interval, future=future):
                relation = self._vacuous(relation, interval, future)
            case Ever():
                size = len(relation)
                start, end = np.full(size, NEGATIVE_INFINITY), np.full(size, POSITIVE_INFINITY)
                relation = coalesce(relation.with_time(start, end))
        return Bindings(child.variables, relation)

    def _vacuous(self, relation: Relation, interval: Interval, future: bool) -> Relation:
        low, high = self.encoded(interval)
        result = vacuous(mirror(relation) if future else relation, low, high, self.ticks.timeline)
        if result is None:
            return empty(relation.arity)
        return mirror(result) if future else result

    def _since(self, node: Since, left: Bindings, right: Bindings) -> Bindings:
        low, high = self.encoded(node.interval)
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

    def _kept(self, part: Node | Literal) -> dict[tuple[int, int], Bindings]:
        """The values of a node or literal that are still valid, by the range of time inside which they hold."""
        slot = self._slot(part)
        versions = tuple(map(self.interpretation.version, slot.predicates))
        if versions != slot.versions:
            slot.versions = versions
            slot.values.clear()
        if not slot.values:
            self._filled[id(slot)] = slot  # whoever asks fills it; a stage forgets its own values, not all there are
        return slot.values

    def _slot(self, part: Node | Literal) -> _Slot:
        """Equal parts share a slot; it is found by identity first, since hashes run through whole nodes."""
        known = self._slots_by_identity.get(id(part))
        if known is None:
            predicates = part.predicates if isinstance(part, Literal) else scanned(part)
            known = part, self._slots.setdefault(part, _Slot(predicates))
            self._slots_by_identity[id(part)] = known  # with the part, lest another one get its identity
        return known[1]


def _coalesced(bindings: Bindings) -> Bindings:
    return Bindings(bindings.variables, coalesce(bindings.relation))


def _concat(variables: tuple[str, ...], parts: list[Bindings]) -> Bindings:
    return Bindings(variables, concat([part.relation for part in parts], len(variables)))
