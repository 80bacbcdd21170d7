"""Sets of time points: moved, shrunk, covered; and their codes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from thalweg.columnar.arrays import Ints
from thalweg.time.interval import ALWAYS, Endpoint, Interval
from thalweg.time.interval_set import IntervalSet
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline


def whole(interval: Interval, timeline: Timeline) -> IntervalSet:
    """The time points of an interval."""
    return IntervalSet((interval,), timeline)


def nothing(timeline: Timeline) -> IntervalSet:
    """No time point."""
    return IntervalSet((), timeline)


def dilated(times: IntervalSet, distances: Interval) -> IntervalSet:
    """{t + d | t in the set, d ∈ ϱ}; distances may be negative."""
    reach = distances.to_integers() if times.timeline is Timeline.INTEGER else distances
    if reach is None:
        return nothing(times.timeline)
    return IntervalSet(tuple(part.plus(reach) for part in times.intervals), times.timeline)


def eroded(times: IntervalSet, distances: Interval) -> IntervalSet:
    """{t | t − d in the set for all d ∈ ϱ}; distances may be negative."""
    reach = distances.to_integers() if times.timeline is Timeline.INTEGER else distances
    if reach is None:
        return whole(ALWAYS, times.timeline)
    fits = (part.oplus(reach) for part in times.intervals)
    return IntervalSet(tuple(fit for fit in fits if fit), times.timeline)


def hull(times: IntervalSet) -> Interval:
    """The smallest interval that contains a set that is not empty."""
    return times.intervals[0].hull(times.intervals[-1])


def is_subset(one: IntervalSet, other: IntervalSet) -> bool:
    """Whether all time points of the one are in the other."""
    return not one.difference(other)


def covering(wanted: IntervalSet, offers: Sequence[IntervalSet]) -> list[tuple[int, IntervalSet]]:
    """Few of the offers that together hold as much of the wanted times as all do, each with its share."""
    chosen: list[tuple[int, IntervalSet]] = []
    left = wanted
    waiting = {number: offer for number, offer in enumerate(offers) if offer}
    while left and waiting:
        shares = {number: offer.intersection(left) for number, offer in waiting.items()}
        waiting = {number: offer for number, offer in waiting.items() if shares[number]}
        if not waiting:
            break
        whole_ones = [number for number in waiting if shares[number] == left]
        best = whole_ones[0] if whole_ones else _next(left, shares, waiting)
        share = waiting.pop(best).intersection(left)
        chosen.append((best, share))
        left = left.difference(share)
    return chosen


def _next(left: IntervalSet, shares: dict[int, IntervalSet], waiting: Iterable[int]) -> int:
    """The offer that has the first time that any has, and from there on reaches furthest."""
    starts = {number: shares[number].intervals[0] for number in waiting}
    first = min((part.start, not part.start_closed) for part in starts.values())
    eager = [number for number, part in starts.items() if (part.start, not part.start_closed) == first]
    return max(eager, key=lambda number: (starts[number].end, starts[number].end_closed))


def encode_around(interval: Interval, ticks: Ticks) -> tuple[int, int]:
    """The codes of the cells that an interval touches; its ends need not be multiples of the tick."""
    if ticks.timeline is Timeline.INTEGER:
        integers = interval.to_integers()
        return (POSITIVE_INFINITY, NEGATIVE_INFINITY) if integers is None else ticks.encode(integers) or (1, 0)
    return _cell(interval.start, not interval.start_closed, ticks, 1), _cell(
        interval.end, not interval.end_closed, ticks, -1
    )


def _cell(time: Endpoint, is_open: bool, ticks: Ticks, inwards: int) -> int:
    if isinstance(time, float):
        return POSITIVE_INFINITY if time > 0 else NEGATIVE_INFINITY
    count = time / ticks.tick
    if count.denominator != 1:
        return 2 * math.floor(count) + 1
    return 2 * count.numerator + (inwards if is_open else 0)


def decode_all(starts: Ints, ends: Ints, ticks: Ticks) -> tuple[Interval, ...]:
    """The intervals of ranges of codes."""
    return tuple(ticks.decode(int(start), int(end)) for start, end in zip(starts, ends, strict=True))
