"""Changing the tick of encoded times."""

from __future__ import annotations

import numpy as np

from thalweg.columnar.arrays import Ints, is_infinite
from thalweg.columnar.relation import Relation
from thalweg.time.ticks import FINITE_LIMIT


def refine(relation: Relation, factor: int) -> Relation:
    """The same facts counted in ticks that are ``factor`` times finer."""
    return relation.with_time(
        _scaled(relation.start, factor, opens=1), _scaled(relation.end, factor, opens=-1), coalesced=relation.coalesced
    )


def refine_points(codes: Ints, factor: int) -> Ints:
    """Codes of time points counted in finer ticks."""
    return _scaled(codes, factor, opens=0)


def _scaled(codes: Ints, factor: int, opens: int) -> Ints:
    """A point 2k becomes 2kf; a gap at a start becomes the gap just after its point, at an end just before."""
    infinite = is_infinite(codes)
    points = codes - opens * (codes & 1)
    finite = points[~infinite]
    if len(finite) and int(np.abs(finite).max()) * factor >= FINITE_LIMIT - 1:
        raise OverflowError("the times of the stream have no common divisor that 64 bits can count in")
    return np.where(infinite, codes, points * factor + opens * (codes & 1))
