"""Sets of time points as intervals, and the metric operators on them: the reference for all faster code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from thalweg.time.interval import ALWAYS, Interval, add
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class IntervalSet:
    """A set of time points: sorted intervals of which no two touch, so that equal sets are equal objects.

    On the integer timeline the ends are closed integers or infinite, and [1,2] touches [3,4]. Any
    intervals may be given; they are brought into this form.
    """

    intervals: tuple[Interval, ...] = ()
    timeline: Timeline = Timeline.RATIONAL

    def __post_init__(self) -> None:
        object.__setattr__(self, "intervals", tuple(_coalesce(self.intervals, self.timeline)))

    def __contains__(self, time: Fraction) -> bool:
        if self.timeline is Timeline.INTEGER and Fraction(time).denominator != 1:
            return False
        return any(time in interval for interval in self.intervals)

    def __bool__(self) -> bool:
        return bool(self.intervals)

    def __str__(self) -> str:
        return " ∪ ".join(map(str, self.intervals)) or "∅"

    def contains(self, time: Fraction) -> bool:
        """Whether the time point is in the set."""
        return time in self

    def union(self, other: IntervalSet) -> IntervalSet:
        """The time points in either set."""
        _check_same_timeline(self, other)
        return IntervalSet(self.intervals + other.intervals, self.timeline)

    def intersection(self, other: IntervalSet) -> IntervalSet:
        """The time points in both sets."""
        _check_same_timeline(self, other)
        common = (mine.intersection(its) for mine in self.intervals for its in other.intervals)
        return IntervalSet(tuple(part for part in common if part), self.timeline)

    def difference(self, other: IntervalSet) -> IntervalSet:
        """The time points in this set and not in the other."""
        return self.intersection(other.complement())

    def complement(self) -> IntervalSet:
        """The time points of the timeline that are not in the set."""
        outside = [ALWAYS]
        for interval in self.intervals:
            outside[-1:] = outside[-1].difference(interval) if outside else ()
        return IntervalSet(tuple(outside), self.timeline)

    def reflected(self) -> IntervalSet:
        """{−t | t in the set}."""
        return IntervalSet(tuple(interval.reflected() for interval in self.intervals), self.timeline)


def diamond_minus(operand: IntervalSet, interval: Interval) -> IntervalSet:
    """The t with some t' in the operand such that t − t' ∈ ϱ (journal paper, Table 1)."""
    reach = _reach(interval, operand.timeline)
    if reach is None:
        return IntervalSet((), operand.timeline)
    return IntervalSet(tuple(part.plus(reach) for part in operand.intervals), operand.timeline)


def diamond_plus(operand: IntervalSet, interval: Interval) -> IntervalSet:
    """The t with some t' in the operand such that t' − t ∈ ϱ (journal paper, Table 1)."""
    return diamond_minus(operand.reflected(), interval).reflected()


def box_minus(operand: IntervalSet, interval: Interval) -> IntervalSet:
    """The t for which every t' with t − t' ∈ ϱ is in the operand (journal paper, Table 1)."""
    reach = _reach(interval, operand.timeline)
    if reach is None:
        return IntervalSet((ALWAYS,), operand.timeline)
    # {t} − ϱ has no hole, so it fits into the set only if it fits into one of its intervals.
    fits = (part.oplus(reach) for part in operand.intervals)
    return IntervalSet(tuple(fit for fit in fits if fit), operand.timeline)


def box_plus(operand: IntervalSet, interval: Interval) -> IntervalSet:
    """The t for which every t' with t' − t ∈ ϱ is in the operand (journal paper, Table 1)."""
    return box_minus(operand.reflected(), interval).reflected()


def since(left: IntervalSet, right: IntervalSet, interval: Interval) -> IntervalSet:
    """The t with some t' in right, t − t' ∈ ϱ, such that (t', t) lies in left (journal paper, Table 1)."""
    _check_same_timeline(left, right)
    result = _vacuous_since(right, interval)
    for stretch in left.intervals:
        bounds = IntervalSet((_bounds(stretch, left.timeline),), left.timeline)
        result = result.union(diamond_minus(right.intersection(bounds), interval).intersection(bounds))
    return result


def until(left: IntervalSet, right: IntervalSet, interval: Interval) -> IntervalSet:
    """The t with some t' in right, t' − t ∈ ϱ, such that (t, t') lies in left (journal paper, Table 1)."""
    return since(left.reflected(), right.reflected(), interval).reflected()


def _vacuous_since(right: IntervalSet, interval: Interval) -> IntervalSet:
    """Since where (t', t) has no time point: t' = t, and on the integers also t' = t − 1."""
    longest = 1 if right.timeline is Timeline.INTEGER else 0
    vacuous = interval.intersection(Interval(0, longest))
    return diamond_minus(right, vacuous) if vacuous else IntervalSet((), right.timeline)


def _bounds(stretch: Interval, timeline: Timeline) -> Interval:
    """Where t' and t may lie when (t', t) is not empty and lies in the stretch."""
    step = Fraction(1 if timeline is Timeline.INTEGER else 0)
    return Interval(add(stretch.start, -step), add(stretch.end, step))


def _reach(interval: Interval, timeline: Timeline) -> Interval | None:
    """The distances an operator quantifies over; None when the integer timeline has none of them."""
    if interval.start < 0:
        raise ValueError(f"the interval {interval} of an operator must not contain negative numbers")
    return interval.to_integers() if timeline is Timeline.INTEGER else interval


def _check_same_timeline(left: IntervalSet, right: IntervalSet) -> None:
    if left.timeline is not right.timeline:
        raise ValueError(f"a {left.timeline.value} set cannot meet the {right.timeline.value} one")


def _coalesce(intervals: Iterable[Interval], timeline: Timeline) -> list[Interval]:
    """The same time points as sorted intervals that do not touch."""
    if timeline is Timeline.INTEGER:
        intervals = [whole for interval in intervals if (whole := interval.to_integers())]
    merged: list[Interval] = []
    for interval in sorted(intervals, key=lambda part: (part.start, not part.start_closed)):
        if merged and _touches(merged[-1], interval, timeline):
            merged[-1] = merged[-1].hull(interval)
        else:
            merged.append(interval)
    return merged


def _touches(earlier: Interval, later: Interval, timeline: Timeline) -> bool:
    """Whether no time point of the timeline lies between the two."""
    if timeline is Timeline.INTEGER:
        return later.start <= add(earlier.end, Fraction(1))
    return earlier.touches(later)
