"""What may still become true, from the status rows of a run: the last word on every answer that is not decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pyarrow as pa

from thalweg.record.run_record import RunRecord
from thalweg.time.exact import exact
from thalweg.time.interval import Interval, format_endpoint
from thalweg.web.answer_rows import arguments_of
from thalweg.web.wire_times import wire_text

MOST_SHOWN = 200
"""So many open answers go to the page."""

MOST_CONFIRMED = 20_000
"""Of so many confirmed answers it is remembered what they rest on."""

_STAYS_OPEN = ("opened", "extended")
_UNTIL = " until "

Answer = tuple[str, tuple[str, ...], str | None]


@dataclass(frozen=True)
class Way:
    """One way to an answer: what it has and what it waits for."""

    evidence: tuple[str, ...]
    awaited: tuple[str, ...]
    deadline: str | None
    confidence: float | None

    def is_open(self, newest: Fraction | None) -> bool:
        """Whether all that it awaits may still come, when no time before ``newest`` is open any more."""
        return newest is None or all(_last_time(each) >= newest for each in self.awaited if not each.startswith("not "))


@dataclass
class OpenHypotheses:
    """Open answers, each with its ways, in the order in which they were opened."""

    record: RunRecord
    _open: dict[Answer, dict[Way, None]] = field(default_factory=dict)
    _confirmed: dict[Answer, tuple[str, ...]] = field(default_factory=dict)

    def take(self, query: str, table: pa.Table) -> None:
        """Take in the rows of a batch."""
        columns = ("start", "status", "evidence", "hypotheses", "deadline", "confidence")
        said = zip(*(table.column(name).to_pylist() for name in columns), strict=True)
        for arguments, (time, status, evidence, awaited, deadline, confidence) in zip(
            arguments_of(table), said, strict=True
        ):
            answer = query, arguments, time
            if status in _STAYS_OPEN:
                way = Way(tuple(evidence), tuple(awaited), deadline, confidence)
                self._open.setdefault(answer, {})[way] = None
                continue
            self._open.pop(answer, None)
            if status == "confirmed" and len(self._confirmed) < MOST_CONFIRMED:
                self._confirmed[answer] = tuple(evidence)

    def rests_on(self, atom: tuple[str, tuple[str, ...]] | None, interval: Interval) -> dict[str, Any]:
        """What a confirmed answer rests on, in words; of several time points, the first."""
        found = self._confirmed.get((*atom, format_endpoint(interval.start))) if atom else None
        if found is None:
            return {"refused": "It is confirmed; what it rests on is not kept any more."}
        facts = "\n".join(f"  {fact}" for fact in found)
        return {"refused": f"It is confirmed. It rests on\n{facts}"}

    def to_json(self, newest: str | None) -> dict[str, Any]:
        """The open ways, those that are decided first before the others."""
        present = None if newest is None or newest.endswith("inf") else exact(newest)
        found = [(answer, way) for answer, ways in self._open.items() for way in _minimal(ways, present)]
        found.sort(key=lambda each: (each[1].deadline is None, exact(each[1].deadline or "0")))
        shown = [self._hypothesis(answer, way) for answer, way in found[:MOST_SHOWN]]
        return {"count": len(found), "open": shown}

    def _hypothesis(self, answer: Answer, way: Way) -> dict[str, Any]:
        query, arguments, time = answer
        return {
            "text": f"{query}({', '.join(arguments)})" if arguments else query,
            "time": self._wire(time),
            "deadline": self._wire(way.deadline),
            "confidence": way.confidence,
            "has": [self._atom(text) for text in way.evidence],
            "awaits": [self._atom(text) for text in way.awaited],
        }

    def _atom(self, text: str) -> dict[str, Any]:
        said, _, until = text.rpartition(_UNTIL) if _UNTIL in text.rpartition("@")[2] else (text, "", "")
        atom, at, time = said.rpartition("@")
        negated = text.startswith("not ")
        return {
            "text": (atom if at else said).removeprefix("not "),
            "time": self._wire(time if at and time != "?" else None),
            "until": self._wire(until or None),
            "negated": negated,
        }

    def _wire(self, time: str | None) -> Any:
        return wire_text(time, self.record.clock, Fraction(self.record.unit))


def _minimal(ways: Iterable[Way], newest: Fraction | None) -> list[Way]:
    """The open ways that do not await all that another one awaits, and more: what has come is awaited no longer."""
    still = [(way, frozenset(way.awaited)) for way in ways if way.is_open(newest)]
    return [way for way, awaited in still if not any(other < awaited for _, other in still)]


def _last_time(awaited: str) -> Fraction | float:
    _, until, time = awaited.rpartition(_UNTIL)
    try:
        return exact(time) if until else float("inf")
    except ValueError:
        return float("inf")
