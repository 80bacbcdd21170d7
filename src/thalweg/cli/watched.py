"""What ``thalweg watch`` knows of a stream: counts, and what has just been decided."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.cli.hypotheses import apart, chosen
from thalweg.columnar.arrays import Ints
from thalweg.engine.arrivals import Arrivals, feed
from thalweg.engine.hypotheses.stream import HypothesisStream, HypotheticalAnswers
from thalweg.errors import UsageError
from thalweg.syntax.facts import FactBatch

MOMENT = 5.0
"""So many seconds what has been decided is shown, and the rate is that of so many seconds."""

MOST_RECENT = 5
_DECIDED = ("confirmed", "refuted", "dropped")


@dataclass
class Watched:
    """A stream that is fed and watched; times are those of a clock that the caller reads."""

    stream: HypothesisStream
    background: Sequence[FactBatch] = ()
    arrivals: Arrivals = field(default_factory=Arrivals)
    decided: Counter[str] = field(default_factory=Counter)
    facts: int = 0
    bad: int = 0
    _has_begun: bool = False
    _recent: deque[tuple[float, str]] = field(default_factory=lambda: deque(maxlen=MOST_RECENT))
    _came: deque[tuple[float, int]] = field(default_factory=deque)

    def begin(self, now: float, more: Sequence[FactBatch] = ()) -> None:
        """Take in what is known before any fact comes, and the facts of the program."""
        self._has_begun = True
        self._notice(self.stream.advance([*self.background, *more]), now)

    def take(self, facts: Sequence[FactBatch], now: float) -> None:
        """Take in facts that have come; background may be among the first only."""
        count = sum(map(len, facts))
        if not count:
            return
        given, others = apart(self.stream.program, facts)
        if given or not self._has_begun:
            self._begin_or_refuse(given, now)
        for arrival in self.arrivals(others):
            for answers in feed(self.stream, arrival):
                self._notice(answers, now)
        self.facts += count
        self._came.append((now, count))

    def _begin_or_refuse(self, given: Sequence[FactBatch], now: float) -> None:
        if self._has_begun:
            names = ", ".join(dict.fromkeys(batch.predicate for batch in given))
            raise UsageError(f"facts of {names}, which is background, must come before all others")
        self.begin(now, given)

    def recent(self, now: float) -> list[str]:
        """What was decided a moment ago, the newest last."""
        return [line for when, line in self._recent if now - when <= MOMENT]

    def rate(self, now: float) -> float:
        """Facts a second."""
        while self._came and now - self._came[0][0] > MOMENT:
            self._came.popleft()
        if not self._came:
            return 0.0
        return sum(count for _, count in self._came) / max(now - self._came[0][0], 1.0)

    def counts(self, now: float | None = None) -> str:
        """A line of counts; with the rate at a time."""
        decided = [f"{self.decided[status]} {status}" for status in _DECIDED[:2]]
        parts = [f"{self.stream.open_count} open", *decided, f"{self.stream.late_count} late"]
        parts.append(f"{self.stream.dropped_count} dropped")
        parts += [f"{self.bad} bad"] if self.bad else []
        present = self.arrivals.newest
        parts.append("nothing has come" if present is None else f"present {present}")
        parts.append(f"{self.facts} facts" if now is None else f"{self.rate(now):.0f} facts/s")
        return ", ".join(parts)

    def numbers(self) -> dict[str, int | None]:
        """The counts for programs."""
        decided = {status: self.decided[status] for status in _DECIDED[:2]}
        others = {"late": self.stream.late_count, "dropped": self.stream.dropped_count, "bad": self.bad}
        present = self.arrivals.newest
        return {
            "open": self.stream.open_count,
            **decided,
            **others,
            "present": None if present is None else int(present),
            "facts": self.facts,
        }

    def open(self, most: int) -> tuple[HypotheticalAnswers, int]:
        """The open answers with the newest evidence, the newest first, and how many there are."""
        answers = self.stream.open()
        order = np.argsort(-_newest(answers.rows.evidence), kind="stable")
        return chosen(answers, order[:most]), len(answers)

    def _notice(self, answers: HypotheticalAnswers, now: float) -> None:
        statuses = np.array(answers.rows.status.to_pylist(), dtype=object)
        self.decided.update(statuses.tolist())
        ended = np.isin(statuses, _DECIDED).nonzero()[0] if len(statuses) else np.empty(0, dtype=np.int64)
        lines = [*chosen(answers, ended[-MOST_RECENT:]).lines(), *_late(answers)]
        self._recent.extend((now, line) for line in lines)


def _late(answers: HypotheticalAnswers) -> Iterator[str]:
    return (f"late      {fact}" for fact in answers.late[-MOST_RECENT:])


def _newest(evidence: pa.Array) -> Ints:
    """The newest time in the evidence of each answer."""
    found = np.full(len(evidence), -(1 << 62), dtype=np.int64)
    times = pc.struct_field(evidence.flatten(), "time").fill_null(-(1 << 62))
    np.maximum.at(found, np.asarray(pc.list_parent_indices(evidence)), np.asarray(times))
    return found
