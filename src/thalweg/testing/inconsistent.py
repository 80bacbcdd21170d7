"""The state in which a rule with head ⊥ fires."""

from __future__ import annotations

from thalweg.errors import ThalwegError
from thalweg.model.program import Rule
from thalweg.time.interval import Interval


class Inconsistent(ThalwegError):  # noqa: N818 -- what was asked for is the state, not a mistake
    """A rule with head ⊥ fires."""

    def __init__(self, rule: Rule, interval: Interval) -> None:
        self.rule = rule
        self.interval = interval
        super().__init__(f"{rule.name} derives ⊥: its body holds at {interval}")
