"""Answers as changes: when each began to hold, and when it ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation, concat
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY


@dataclass(frozen=True)
class Changes:
    """The answers that began and that ended, each at one code, and those that go on.

    ``going_on`` has them from when they began, without an end, so that it stays as it is while they do.
    """

    began: Relation
    ended: Relation
    going_on: Relation


def changes(going_on: Relation, new: Relation, before: int, until: int) -> Changes:
    """What changed, given what went on at the code ``before`` and what holds in (before, until]."""
    known = going_on.with_time(going_on.start, np.full(len(going_on), before))
    joined = coalesce(concat((known, new), new.arity))
    began = joined.take((joined.start > before) | (before == NEGATIVE_INFINITY))
    is_open = joined.end == until
    ended = joined.take(~is_open)
    still = joined.take(is_open, coalesced=True)
    return Changes(
        began.with_time(began.start, began.start),
        ended.with_time(ended.end, ended.end),
        still.with_time(still.start, np.full(len(still), POSITIVE_INFINITY), coalesced=True),
    )
