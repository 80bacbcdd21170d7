"""The end of a chase that goes on for ever, or for too long."""

from __future__ import annotations

from thalweg.errors import ThalwegError
from thalweg.model.program import Rule

MAX_NULLS = 1000
"""So many nulls the oracle makes unless it is told otherwise; with as many it takes its time."""


class TooManyNulls(ThalwegError):  # noqa: N818 -- what was asked for may well be infinite: that is no mistake
    """A chase makes more nulls than it may."""

    def __init__(self, rule: Rule, limit: int) -> None:
        self.rule = rule
        self.limit = limit
        super().__init__(f"the chase has made more than {limit} nulls, the last of them by {rule.name}")
