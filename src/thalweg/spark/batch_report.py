"""What a streaming batch tells of itself, and the line in which a person reads it."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from thalweg.engine.divisions import Divisions, added_up
from thalweg.engine.promised_bound import promised_bound
from thalweg.record.progress import Progress
from thalweg.spark.backlog import NOTHING_KNOWN, Backlog
from thalweg.spark.reasoning import Reasoning
from thalweg.spark.transport import PROGRESS
from thalweg.time.interval import Endpoint, format_endpoint, format_rational

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MOST_DIGITS = 15
_FEW = 1000
_UNEVEN = 1.5


@dataclass(frozen=True)
class BatchReport:
    """Counts of one batch, over all shards, and how far time has come.

    ``newest`` is the latest time at which a fact starts; no fact that starts before ``before`` is missing. ``shards``
    has what each shard said; ``set_aside`` counts the rows that were; ``backlog`` is what has not been read yet.
    """

    number: int
    seconds: float
    shards: tuple[dict[str, Any], ...]
    set_aside: int = 0
    backlog: Backlog = NOTHING_KNOWN

    @classmethod
    def of(cls, number: int, rows: Iterable[Any], seconds: float, set_aside: int = 0) -> BatchReport:
        """From the packed rows of a batch."""
        told = (json.loads(bytes(row.payload)) for row in rows if row.tag == PROGRESS)
        return cls(number, seconds, tuple(told), set_aside)

    def count(self, name: str) -> int:
        """A count, summed over the shards."""
        return sum(said[name] for said in self.shards)

    @property
    def stored(self) -> int:
        """How many facts are held in windows and histories."""
        return self.count("stored_window") + self.count("stored_history")

    @property
    def state_bytes(self) -> int | None:
        """How large the logs of the shards are together; None where shards keep none."""
        return _sum([said.get("state_bytes") for said in self.shards])

    @property
    def divisions(self) -> Divisions:
        """How often rules divided by zero."""
        return added_up(said["divisions"] for said in self.shards)

    @property
    def newest(self) -> Fraction | None:
        """The latest time at which a fact starts."""
        return max((Fraction(said["newest"]) for said in self.shards if said["newest"]), default=None)

    @property
    def before(self) -> Endpoint:
        """The time before which no fact is missing."""
        ends = [said["before"] for said in self.shards if said["before"]]
        return min((float(end) if end.endswith("inf") else Fraction(end) for end in ends), default=-math.inf)


@dataclass
class ProgressLine:
    """Writes reports as lines for a run."""

    planned: Reasoning
    _values: dict[int, int] = field(default_factory=dict)
    """The most values that each stage has held at once."""
    _bounds: dict[tuple[int, int, int], int | None] = field(default_factory=dict)

    def write(self, report: BatchReport, now: datetime.datetime) -> str:
        """One line."""
        rows, answers, seconds = report.count("rows"), report.count("answers"), max(report.seconds, 1e-3)
        parts = [
            f"batch {report.number}: {rows:,} rows in {seconds:.1f} s ({rows / seconds:,.0f}/s)",
            f"{answers:,} answer{'' if answers == 1 else 's'}",
            *([f"{late:,} late"] if (late := report.count("late")) else []),
            *([f"{by_zero:,} divisions by zero"] if (by_zero := sum(report.divisions.values())) else []),
            *self._times(report, now),
            self._stored(report),
            *([f"{waiting:,} waiting"] if (waiting := report.count("waiting")) else []),
            *([f"{files:,} files left"] if (files := report.backlog.files) else []),
            *([f"{records:,} records left"] if (records := report.backlog.records) else []),
            *skew(report),
        ]
        return ", ".join(parts)

    def record(self, report: BatchReport, now: datetime.datetime) -> Progress:
        """The same for programs to read."""
        answered = self._answered(report)
        is_finite = report.newest is not None and not isinstance(answered, float)
        behind = self._behind(answered, now) if is_finite and self._has_timestamps else None
        return Progress(
            batch=report.number,
            rows=report.count("rows"),
            seconds=round(report.seconds, 3),
            answers=report.count("answers"),
            late=report.count("late"),
            set_aside=report.set_aside,
            newest=None if report.newest is None else format_rational(report.newest),
            answered_before=None if answered == -math.inf else format_endpoint(answered),
            lag=format_endpoint(report.newest - answered) if is_finite and report.newest is not None else None,
            lag_seconds=None if behind is None else float(behind * self.planned.program.unit),
            waiting=report.count("waiting"),
            values=report.count("values"),
            state_bytes=report.state_bytes,
            files_left=report.backlog.files,
            records_left=report.backlog.records,
            divisions=sum(report.divisions.values()),
            at=now.isoformat(timespec="milliseconds"),
            **self._held(report),
        )

    def _answered(self, report: BatchReport) -> Endpoint:
        """The time before which everything has been answered."""
        return report.before - self.planned.pipeline.look_ahead

    def _held(self, report: BatchReport) -> dict[str, Any]:
        """How much is held, against what was promised."""
        return {
            "stored": report.stored,
            "history": report.count("stored_history"),
            "bound": self._bound(report),
        }

    def _behind(self, answered: Endpoint, now: datetime.datetime) -> Endpoint:
        """How far the answers are behind the clock on the wall."""
        return Fraction((now - _EPOCH).total_seconds()) / self.planned.program.unit - answered

    def _times(self, report: BatchReport, now: datetime.datetime) -> list[str]:
        answered = self._answered(report)
        if report.newest is None or answered == -math.inf:
            return []
        if isinstance(answered, float):
            return ["answered to the end"]
        shown = [f"answered before {self._moment(answered)}", f"lag {self._length(report.newest - answered)}"]
        if self._has_timestamps:
            shown[-1] += f", {self._length(Fraction(self._behind(answered, now)))} behind now"
        return shown

    @property
    def _has_timestamps(self) -> bool:
        return self.planned.clock.kind.name in ("timestamp", "timestamp_ntz", "date")

    def _moment(self, time: Fraction) -> str:
        if not self._has_timestamps:
            return format_rational(time)
        try:
            moment = _EPOCH + datetime.timedelta(seconds=float(time * self.planned.program.unit))
        except OverflowError:
            return format_rational(time)
        return moment.replace(tzinfo=None).isoformat(" ", "milliseconds")

    def _length(self, time: Fraction) -> str:
        return _duration(float(time * self.planned.program.unit)) if self._has_timestamps else format_rational(time)

    def _stored(self, report: BatchReport) -> str:
        bound = self._bound(report)
        promised = "" if bound is None else f" (promised: at most {_shown(bound)})"
        history = report.count("stored_history")
        for_ever = f", {history:,} of them in the history" if history else ""
        return f"stored {report.stored:,}{promised}{for_ever}"

    def _bound(self, report: BatchReport) -> int | None:
        """The bounds of Theorems 12 and 15 for each stage, with all values that its shards hold, added up.

        A bound for two sets of values together is no less than the sum of the bounds for each.
        """
        total = 0
        for stage in self.planned.pipeline.stages:
            told = [said for said in report.shards if said["stage"] == stage.number]
            values = _sum([said["domain"] for said in told])
            if values is None:
                return None
            values = self._values[stage.number] = max(values, self._values.get(stage.number, 1))
            key = stage.number, values, math.lcm(*(said["denominator"] for said in told))
            if key not in self._bounds:
                self._bounds = {known: b for known, b in self._bounds.items() if known[0] != stage.number}
                self._bounds[key] = promised_bound(stage.program, values, Fraction(1, key[2]))
            bound = self._bounds[key]
            if bound is None:
                return None
            total += bound
        return total


def skew(report: BatchReport) -> list[str]:
    """Which stages are split so unevenly that one shard has half as much again as its share, once that matters."""
    found = []
    for stage in sorted({said["stage"] for said in report.shards}):
        held = [
            said["stored_window"] + said["stored_history"] + said["waiting"]
            for said in report.shards
            if said["stage"] == stage
        ]
        total, largest = sum(held), max(held)
        if len(held) > 1 and total >= _FEW and largest * len(held) > _UNEVEN * total:
            found.append(f"uneven: one of {len(held)} shards of stage {stage + 1} holds {largest / total:.0%}")
    return found


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _duration(seconds: float) -> str:
    """A length of time in the unit that suits it."""
    for unit, size in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if abs(seconds) >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:.3g} s"


def _shown(bound: int) -> str:
    digits = str(bound)
    return f"{bound:,}" if len(digits) <= _MOST_DIGITS else f"10^{len(digits)}"
