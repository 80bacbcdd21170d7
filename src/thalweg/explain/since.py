"""Which parts of its operands since needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from thalweg.explain.times import covering, dilated, nothing, whole
from thalweg.time.interval import Interval, interval_or_none
from thalweg.time.interval_set import IntervalSet
from thalweg.time.timeline import Timeline


def since_evidence(
    left: IntervalSet, right: IntervalSet, interval: Interval, times: IntervalSet
) -> tuple[IntervalSet, IntervalSet]:
    """Parts of the operands of since for which it still holds at these times."""
    timeline = times.timeline
    vacuous = interval.intersection(Interval(0, 1 if timeline is Timeline.INTEGER else 0))
    at_once = dilated(right, vacuous).intersection(times) if vacuous else nothing(timeline)
    used_right = nothing(timeline)
    if at_once and vacuous:
        used_right = right.intersection(dilated(at_once, vacuous.reflected()))
    used_left, rest = nothing(timeline), times.difference(at_once)
    offers = list(_offers(left, right, interval))
    for number, share in covering(rest, [offer.times for offer in offers]):
        offer = offers[number]
        for part in share.intervals:
            stretch = IntervalSet((part,), timeline)
            witness = offer.witness.intersection(dilated(stretch, interval.reflected()))
            used_right = used_right.union(witness)
            used_left = used_left.union(_between(offer.left, witness, part))
    return used_left, used_right


@dataclass(frozen=True)
class _Offer:
    """A stretch of the left operand, one of the right at its beginning or inside, and the times that see both."""

    left: IntervalSet
    witness: IntervalSet
    times: IntervalSet


def _offers(left: IntervalSet, right: IntervalSet, interval: Interval) -> Iterator[_Offer]:
    timeline = left.timeline
    step = Fraction(1 if timeline is Timeline.INTEGER else 0)
    for stretch in left.intervals:
        closed = Interval(stretch.start, stretch.end).plus(Interval(-step, step))
        bounds = whole(closed, timeline)
        for witness in right.intersection(bounds).intervals:
            held = whole(witness, timeline)
            times = dilated(held, interval).intersection(bounds)
            if times:
                yield _Offer(whole(stretch, timeline), held, times)


def _between(left: IntervalSet, witness: IntervalSet, part: Interval) -> IntervalSet:
    """The part of the left operand between the first witness and the last time."""
    first = witness.intervals[0].start
    between = interval_or_none(first, part.end, False, False)
    if between is None:
        return nothing(left.timeline)
    return left.intersection(whole(between, left.timeline))
