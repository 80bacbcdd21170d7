"""Changing the tick of encoded times."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from thalweg.columnar.arrays import Ints, is_infinite
from thalweg.columnar.relation import Relation
from thalweg.time.ticks import FINITE_LIMIT


def refine(relation: Relation, factor: int) -> Relation:
    """The same facts counted in ticks that are ``factor`` times finer."""
    return relation.with_time(
        _scaled(relation.start, factor, opens=1), _scaled(relation.end, factor, opens=-1), coalesced=relation.coalesced
    )


def coarsen(relation: Relation, factor: int) -> Relation:
    """The same facts counted in ticks that are ``factor`` times coarser, which must divide all their ends."""
    start = np.where(is_infinite(relation.start), relation.start, _points(relation.start, 1) // factor)
    end = np.where(is_infinite(relation.end), relation.end, _points(relation.end, -1) // factor)
    return relation.with_time(start + (relation.start & 1), end - (relation.end & 1), coalesced=relation.coalesced)


def common_factor(factor: int, relations: Iterable[Relation]) -> int:
    """The greatest divisor of a factor that divides the ticks of all finite ends."""
    for relation in relations:
        for codes, opens in ((relation.start, 1), (relation.end, -1)):
            if factor == 1:
                return 1
            points = _points(codes[~is_infinite(codes)], opens) // 2
            factor = math.gcd(factor, int(np.gcd.reduce(points, initial=0)))
    return factor


def _scaled(codes: Ints, factor: int, opens: int) -> Ints:
    """A point 2k becomes 2kf; a gap at a start becomes the gap just after its point, at an end just before."""
    infinite = is_infinite(codes)
    points = _points(codes, opens)
    finite = points[~infinite]
    if len(finite) and int(np.abs(finite).max()) * factor >= FINITE_LIMIT - 1:
        raise OverflowError("the times of the stream have no common divisor that 64 bits can count in")
    return np.where(infinite, codes, points * factor + opens * (codes & 1))


def _points(codes: Ints, opens: int) -> Ints:
    """The time points at the ends: an open start lies just after its point, an open end just before."""
    return codes - opens * (codes & 1)
