"""The granularity gran(Π) (journal paper, Section 6)."""

from __future__ import annotations

import math

from thalweg.model.formula import intervals
from thalweg.model.program import Program
from thalweg.time.interval import Endpoint


def granularity(normal: Program) -> Endpoint:
    """The minimal length of the intervals in a program in normal form, ∞ if it has none.

    It is 0 exactly when the program mentions a punctual interval.
    """
    lengths = (
        interval.length
        for rule in normal.rules
        for formula in (rule.head, *rule.body)
        for interval in intervals(formula)
    )
    return min(lengths, default=math.inf)
