"""Windows that are entered: what they hold, for each of their reference times.

The reference times of a frame (:class:`thalweg.plan.nodes.Frame`) are values of a variable, so that joins, boxes and
diamonds inside a window are the same as outside.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thalweg.columnar.arrays import Ints, expand_ranges, is_infinite
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.join import intersection_join, overlapping_pairs
from thalweg.columnar.relation import Relation
from thalweg.columnar.tuples import last_tuples, next_tuples
from thalweg.columnar.values import Values
from thalweg.columnar.windows import MOST_POINTS
from thalweg.engine.bindings import Bindings
from thalweg.engine.interpretation import Interpretation
from thalweg.engine.tuple_windows import Sequence, sequence_of, with_kept
from thalweg.model.formula import TimeWindow, TupleWindow
from thalweg.plan.nodes import (
    Entered,
    Frame,
    Instants,
    Left,
    Minus,
    Node,
    Scan,
    Throughout,
    WindowTimes,
    parts,
    scanned,
)
from thalweg.time.interval import Endpoint
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

Range = tuple[int, int]


@dataclass(frozen=True)
class References:
    """The reference times of a frame, with those of the frames around it, and the timeline of each window.

    ``columns`` hold the reference times as values, outermost first. A timeline may be empty.
    """

    columns: tuple[Ints, ...]
    low: Ints
    high: Ints

    @property
    def times(self) -> Ints:
        """The frame's own reference times."""
        return self.columns[-1] >> 1

    @property
    def timelines(self) -> Relation:
        """The timelines that are not empty."""
        return Relation(self.columns, self.low, self.high).take(self.low <= self.high)


class WindowFrames:
    """What the frames of a program hold, in an interpretation.

    ``timeline`` is the range of the stream's time points; ``asked_for`` that of the reference times for which answers
    are wanted, and no further than which they are worked out.
    """

    def __init__(self, interpretation: Interpretation, values: Values, timeline: Range) -> None:
        self._interpretation = interpretation
        self._values = values
        self._timeline = timeline
        self.asked_for: Range = (NEGATIVE_INFINITY, POSITIVE_INFINITY)
        self._ranges: dict[str, Range] = {}
        self._margins: dict[str, int] = {}
        self._references: dict[Frame, References] = {}
        self._contents: dict[tuple[Frame, str], Relation] = {}

    def forget(self) -> None:
        """Drop what is kept."""
        self._ranges.clear()
        self._references.clear()
        self._contents.clear()

    def entered(self, node: Entered) -> Bindings:
        """The facts that fit an atom, in the windows of a frame."""
        facts = node.facts
        content = fitting(self._content(node.frame, facts.predicate, facts.arity), facts, self._values)
        kept = (*facts.columns, *range(facts.arity, content.arity))
        return Bindings((*facts.variables, *node.frame.times), content.select_columns(kept))

    def times(self, node: WindowTimes) -> Bindings:
        """The timelines of a frame's windows, or all time for each of its reference times."""
        references = self._references_of(node.frame)
        if not node.whole:
            return Bindings(node.frame.times, references.timelines)
        size = len(references.low)
        always = np.full(size, NEGATIVE_INFINITY), np.full(size, POSITIVE_INFINITY)
        return Bindings(node.frame.times, Relation(references.columns, *always))

    def throughout(self, node: Throughout, child: Bindings) -> Bindings:
        """What holds on the whole of a window, as facts that hold always."""
        timelines = self._references_of(node.frame).timelines
        relation = coalesce(child.relation)
        on = [(child.variables.index(name), position) for position, name in enumerate(node.frame.times)]
        rows, windows = overlapping_pairs(relation, timelines, on)
        covers = (relation.start[rows] <= timelines.start[windows]) & (relation.end[rows] >= timelines.end[windows])
        held = relation.take(np.unique(rows[covers]))
        size = len(held)
        always = np.full(size, NEGATIVE_INFINITY), np.full(size, POSITIVE_INFINITY)
        return Bindings(child.variables, coalesce(held.with_time(*always)))

    def left(self, node: Left, child: Callable[[], Bindings]) -> Bindings:
        """What holds in the windows at their own reference times.

        Outside the range in which anything happens, nothing changes: what holds at its ends goes on beyond them.
        """
        outermost = node.frame.parent is None
        if outermost:
            self._begin(node)
        inside = child()
        position = inside.variables.index(node.frame.time)
        relation = inside.relation
        times = relation.columns[position] >> 1
        rows = np.flatnonzero((relation.start <= times) & (times <= relation.end))
        kept = [i for i in range(relation.arity) if i != position]
        start = end = times[rows]
        if outermost:
            low, high = self._ranges[node.frame.time]
            start = np.where(start == low, NEGATIVE_INFINITY, start)
            end = np.where(end == high, POSITIVE_INFINITY, end)
        columns = tuple(relation.columns[i][rows] for i in kept)
        return Bindings(node.variables, Relation(columns, start, end))

    def _begin(self, node: Left) -> None:
        """Settle the range of the reference times that are gone through one by one."""
        low, high = _between(self.asked_for, self._around_timeline(node))
        ends = [self._ends(name) for name in scanned(node)]
        known = np.concatenate([np.empty(0, dtype=np.int64), *ends])
        if high == POSITIVE_INFINITY or high - low > _FEW:
            low, high = self._shortened(node, known, (low, high))
        if low == NEGATIVE_INFINITY or high == POSITIVE_INFINITY:
            raise OverflowError("a window would have to be looked at from infinitely many time points")
        if high - low > MOST_POINTS:
            raise OverflowError(f"a window would have to be looked at from {high - low + 1} time points")
        self._ranges[node.frame.time] = low, high
        self._margins[node.frame.time] = node.settles
        # What was kept of these frames belongs to other facts.
        self._references = {frame: r for frame, r in self._references.items() if _outermost(frame) != node.frame}
        self._contents = {key: c for key, c in self._contents.items() if _outermost(key[0]) != node.frame}

    def _around_timeline(self, node: Left) -> Range:
        """The timeline, and as far beyond it as operators around the window look: at most until nothing changes."""
        first, last = self._timeline
        back, ahead = node.frame.offsets.start, node.frame.offsets.end
        back = -node.settles if back == -math.inf else min(0, int(back))
        ahead = node.settles if ahead == math.inf else max(0, int(ahead))
        return (
            first if first == NEGATIVE_INFINITY else first + back,
            last if last == POSITIVE_INFINITY else last + ahead,
        )

    def _shortened(self, node: Left, known: Ints, wanted: Range) -> Range:
        """The stretch of reference times between the first event and the last, as long as they may matter.

        At the beginning of the timeline a sliding window may be empty, so that stays in.
        """
        if is_infinite(known).any() or _counts_what_is_not(node):
            return wanted
        low, high = wanted
        first, last = (int(known.min()), int(known.max())) if len(known) else (low, low)
        high = min(high, max(last + node.settles, low + node.settles))
        near_start = first - 2 * node.settles <= self._timeline[0]
        return (low if near_start else max(low, first - node.settles)), high

    def _ends(self, name: str) -> Ints:
        relation = self._interpretation.relation(name, 0)
        return np.concatenate((relation.start, relation.end))

    def _references_of(self, frame: Frame) -> References:
        known = self._references.get(frame)
        if known is None:
            known = self._references[frame] = self._make_references(frame)
        return known

    def _make_references(self, frame: Frame) -> References:
        low, high = self._ranges[_outermost(frame).time]
        if frame.parent is None:
            times = np.arange(low, high + 1)
            columns: tuple[Ints, ...] = (times * 2,)
            around = np.full(len(times), self._timeline[0]), np.full(len(times), self._timeline[1])
        else:
            outer = self._references_of(frame.parent)
            first, last = _plus(outer.times, frame.offsets.start), _plus(outer.times, frame.offsets.end)
            margin = self._margins[_outermost(frame).time]
            first = np.where(first == NEGATIVE_INFINITY, min(low, self._timeline[0]) - margin, first)
            last = np.where(last == POSITIVE_INFINITY, high + margin, last)
            if (last - first).clip(0).sum() > MOST_POINTS:
                raise OverflowError("windows in windows would have to be looked at from too many time points")
            owner, times = expand_ranges(first, last + 1)
            columns = (*(column[owner] for column in outer.columns), times * 2)
            around = outer.low[owner], outer.high[owner]
        if isinstance(frame.window, TimeWindow):
            return References(columns, *_time_window(frame.window, times, *around))
        return self._tuple_timelines(frame, frame.window, References(columns, *around))

    def _tuple_timelines(self, frame: Frame, window: TupleWindow, around: References) -> References:
        """The shortest timelines that hold as many tuples as asked for (LARS paper, after Definition 2)."""
        times = around.times
        low = times if window.last == 0 else around.low
        high = times if window.next == 0 else around.high
        if frame.counted:
            low, high = np.full(len(times), POSITIVE_INFINITY), np.full(len(times), NEGATIVE_INFINITY)
        reference = Relation(around.columns[:-1], times, times)
        for predicate, arity in frame.counted:
            sequence = self._sequence(frame, window, predicate, arity)
            reached_low, reached_high = sequence.reached(window, reference, around.low, around.high)
            low, high = np.minimum(low, reached_low), np.maximum(high, reached_high)
        return References(around.columns, np.maximum(low, around.low), np.minimum(high, around.high))

    def _content(self, frame: Frame, predicate: str, arity: int) -> Relation:
        """The facts of a predicate in the windows of a frame: arguments, reference times, and when."""
        known = self._contents.get((frame, predicate))
        if known is not None:
            return known
        if isinstance(frame.window, TimeWindow):
            timelines = self._references_of(frame).timelines
            base = self._around(frame, predicate, arity)
            on = [(arity + i, i) for i in range(len(frame.times) - 1)]
            content = intersection_join(base, timelines, on)
        else:
            content = self._counted(frame, frame.window, predicate, arity)
        self._contents[frame, predicate] = content
        return content

    def _around(self, frame: Frame, predicate: str, arity: int) -> Relation:
        if frame.parent is not None:
            return self._content(frame.parent, predicate, arity)
        return self._interpretation.relation(predicate, arity)

    def _counted(self, frame: Frame, window: TupleWindow, predicate: str, arity: int) -> Relation:
        sequence = self._sequence(frame, window, predicate, arity)
        references = self._references_of(frame)
        reference = Relation(references.columns, references.times, references.times)
        last = last_tuples(sequence.times, sequence.key, window.last)
        ahead = next_tuples(sequence.times, sequence.key, window.next)
        found: list[tuple[Ints, Ints]] = []
        for start, end in (last, ahead):
            held = Relation(sequence.columns[arity:], start, end)
            rows = np.flatnonzero(start <= end)
            on = [(i, i) for i in range(held.arity)]
            pairs = overlapping_pairs(held.take(rows), reference, on)
            found.append((rows[pairs[0]], pairs[1]))
        row, at = (np.concatenate(each) for each in zip(*found, strict=True))
        columns = (*(column[row] for column in sequence.columns), references.columns[-1][at])
        return Relation(columns, sequence.times[row], sequence.times[row])

    def _sequence(self, frame: Frame, window: TupleWindow, predicate: str, arity: int) -> Sequence:
        base = self._around(frame, predicate, arity)
        if frame.parent is None:
            base = with_kept(base, self._interpretation, predicate, window)
        return sequence_of(base, arity, window, self._values)


def fitting(relation: Relation, facts: Scan, values: Values) -> Relation:
    """The rows whose arguments fit an atom; further columns stay."""
    rows = np.ones(len(relation), dtype=np.bool_)
    for position, value in facts.constants:
        rows &= relation.columns[position] == values.code(value)
    for one, other in facts.equal:
        rows &= relation.columns[one] == relation.columns[other]
    return relation if rows.all() else relation.take(rows, coalesced=relation.coalesced)


_FEW = 1000
"""So many reference times are gone through without asking whether anything happens at them."""


def _time_window(window: TimeWindow, times: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """The timelines [max(low, t' − ℓ), min(t' + u, high)] (LARS paper, Definition 3)."""
    pivot = times // window.slide * window.slide
    return np.maximum(low, _plus(pivot, -window.last)), np.minimum(_plus(pivot, window.next), high)


def _plus(times: Ints, amount: Endpoint) -> Ints:
    if isinstance(amount, float):
        return np.full(len(times), POSITIVE_INFINITY if amount > 0 else NEGATIVE_INFINITY)
    return times + int(amount)


def _between(one: Range, other: Range) -> Range:
    return max(one[0], other[0]), min(one[1], other[1])


def _outermost(frame: Frame) -> Frame:
    while frame.parent is not None:
        frame = frame.parent
    return frame


def _counts_what_is_not(node: Left) -> bool:
    """Whether a time variable may stand for time points at which nothing happens."""
    timed = (part.child for part in parts(node) if isinstance(part, Instants))
    return any(isinstance(part, Minus) or _is_all_time(part) for child in timed for part in parts(child))


def _is_all_time(part: Node) -> bool:
    return isinstance(part, WindowTimes) and part.whole
