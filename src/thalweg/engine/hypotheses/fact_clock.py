"""The present, moved by what comes: which facts are late, and which time points are over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thalweg.engine.hypotheses.changes import Change
from thalweg.engine.hypotheses.pattern_rows import Facts
from thalweg.engine.hypotheses.point_facts import PointFacts, concat_facts
from thalweg.engine.hypotheses.reasoner import HypothesisReasoner


@dataclass
class FactClock:
    """Feeds a reasoner. The present is the newest time seen; its time point is not over, since more may come in it."""

    reasoner: HypothesisReasoner
    newest: int | None = None
    late: int = 0

    def advance(
        self, facts: dict[str, PointFacts], to: int | None = None, newest: int | None = None
    ) -> tuple[list[Change], dict[str, PointFacts]]:
        """Take in a batch; returns what changes, and the facts that came too late.

        Lateness is judged by what was over before the batch. ``to`` is a time point that is over afterwards; without it
        the present decides. ``newest`` is the newest time that others have seen.
        """
        timely, late = self._sorted_out(facts)
        seen = [int(each.times.max()) for each in facts.values() if len(each)]
        seen += [time for time in (self.newest, newest) if time is not None]
        self.newest = max(seen, default=None)
        closed = self.reasoner.closed
        if to is not None:
            closed = to
        elif self.newest is not None:
            closed = self.newest - 1
        self.late += sum(map(len, late.values()))
        return self.reasoner.advance(timely, closed), late

    def numbers(self) -> dict[str, Any]:
        """What must be found again."""
        return {"newest": self.newest, "late": self.late}

    def _sorted_out(self, facts: dict[str, PointFacts]) -> tuple[Facts, dict[str, PointFacts]]:
        timely, late = {}, {}
        for name, each in facts.items():
            in_time = self.reasoner.in_time(name, each)
            timely[name] = each if in_time.all() else each.take(in_time)
            if not in_time.all():
                late[name] = each.take(~in_time)
        return timely, late


def with_background(reasoner: HypothesisReasoner, more: Facts) -> HypothesisReasoner:
    """A new reasoner for the same query that knows more facts which hold always, before anything has come."""
    background = dict(reasoner.background)
    for name, facts in more.items():
        background[name] = concat_facts([background[name], facts]) if name in background else facts
    return HypothesisReasoner(reasoner.unfolding, reasoner.values, background, reasoner.otherwise, reasoner.pruning)
