"""Diamond, box and clipping: what happens to ranges of time, arguments aside.

An operator's interval comes encoded, as [low, high]. The operators that look ahead are the same kernels
with the interval mirrored to [−high, −low].
"""

from __future__ import annotations

import numpy as np

from thalweg.columnar.arrays import Ints, add_saturating
from thalweg.columnar.budget import reserve
from thalweg.columnar.relation import Relation
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY
from thalweg.time.timeline import Timeline


def diamond(relation: Relation, low: int, high: int, timeline: Timeline) -> Relation:
    """ϱ₁ + ϱ₂ on every row: where the operand held some time in the interval before.

    On the rational timeline the sum of two odd codes (open ends) is an open end too, one further in.
    """
    start, end = shift_range(relation.start, relation.end, low, high, timeline)
    return relation.with_time(start, end)


def shift_range(start: Ints, end: Ints, low: int, high: int, timeline: Timeline) -> tuple[Ints, Ints]:
    """The ranges {t + t' | t in [start, end], t' in [low, high]}."""
    reserve(len(start), 4)
    if timeline is Timeline.RATIONAL:
        from_, to = start - (start & low & 1), end + (end & high & 1)
    else:
        from_, to = start, end
    return _moved(from_, low), _moved(to, high)


def box(relation: Relation, low: int, high: int, timeline: Timeline) -> Relation:
    """ϱ₁ ⊕ ϱ₂ on every row of a coalesced relation: where the operand held all through the interval before."""
    assert relation.coalesced
    if high == POSITIVE_INFINITY or low == NEGATIVE_INFINITY:
        survives = np.ones(len(relation), dtype=np.bool_)
        if high == POSITIVE_INFINITY:
            survives &= relation.start == NEGATIVE_INFINITY
        if low == NEGATIVE_INFINITY:
            survives &= relation.end == POSITIVE_INFINITY
        relation = relation.take(survives)
    start, end = _eroded(relation.start, relation.end, low, high, timeline)
    keep = start <= end
    # Erosion only widens gaps: sorted, separate ranges stay so.
    eroded = relation.with_time(start, end, coalesced=True)
    return eroded if keep.all() else eroded.take(keep, coalesced=True)


def _eroded(start: Ints, end: Ints, low: int, high: int, timeline: Timeline) -> tuple[Ints, Ints]:
    reserve(len(start), 6)
    start_extra: Ints | int = 0
    end_extra: Ints | int = 0
    if timeline is Timeline.RATIONAL and (low | high) & 1:
        start_extra = (start & 1 ^ 1) * (high & 1)
        end_extra = (end & 1 ^ 1) * (low & 1)
    from_ = start if high == POSITIVE_INFINITY else add_saturating(start, high + start_extra)
    to = end if low == NEGATIVE_INFINITY else add_saturating(end, low - end_extra)
    return from_, to


def clip(relation: Relation, low: int, high: int) -> Relation:
    """The part of every row inside [low, high]."""
    if low == NEGATIVE_INFINITY and high == POSITIVE_INFINITY:
        return relation
    reserve(len(relation), 2)
    start, end = np.maximum(relation.start, low), np.minimum(relation.end, high)
    keep = start <= end
    clipped = relation.with_time(start, end, coalesced=relation.coalesced)
    return clipped if keep.all() else clipped.take(keep, coalesced=relation.coalesced)


def _moved(codes: Ints, amount: int) -> Ints:
    if amount in (NEGATIVE_INFINITY, POSITIVE_INFINITY):
        return np.full(len(codes), amount, dtype=np.int64)
    return add_saturating(codes, amount)
