"""The figures of a run, from what its batches said of themselves."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from thalweg.record.progress import Progress
from thalweg.record.run_record import RunRecord
from thalweg.time.exact import exact
from thalweg.web.wire_times import DATES, wire_text

MOST_IN_HISTORY = 40
"""So many batches make up the small picture."""

_MOST_IN_RATE = 10
_LENGTHS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def figures(batches: Sequence[Progress], record: RunRecord) -> dict[str, Any] | None:
    """What the page says of a run, None before its first batch; counts are of all batches still recorded."""
    if not batches:
        return None
    last, unit = batches[-1], Fraction(record.unit)
    return {
        "rows": sum(each.rows for each in batches),
        "answers": sum(each.answers for each in batches),
        "late": sum(each.late for each in batches),
        "set_aside": sum(each.set_aside for each in batches),
        "stored": last.stored,
        "bound": last.bound,
        "waiting": last.waiting,
        "open": last.open,
        "lag": _lag(last, record),
        "rate": rate(batches[-_MOST_IN_RATE:]),
        "newest": wire_text(last.newest, record.clock, unit),
        "answered_before": wire_text(last.answered_before, record.clock, unit),
    }


def history(batches: Sequence[Progress]) -> dict[str, list[float]]:
    """How fast rows were worked in, batch by batch."""
    shown = batches[-MOST_IN_HISTORY:]
    return {"rate": [round(each.rows / each.seconds, 3) if each.seconds else 0.0 for each in shown]}


def rate(batches: Sequence[Progress]) -> float | None:
    """Rows a second, from the end of the first of some batches to the end of the last."""
    if len(batches) < 2:
        seconds = batches[0].seconds if batches else 0.0
        return batches[0].rows / seconds if seconds else None
    ends = [datetime.datetime.fromisoformat(each.at) for each in (batches[0], batches[-1])]
    seconds = (ends[1] - ends[0]).total_seconds()
    return sum(each.rows for each in batches[1:]) / seconds if seconds > 0 else None


def _lag(last: Progress, record: RunRecord) -> str | None:
    """How far answers are behind: in words where the program says how long the number 1 is."""
    if last.lag is None or last.lag.endswith("inf"):
        return None
    unit = Fraction(record.unit)
    if record.clock not in DATES and (unit == 1 or last.lag == "0"):
        return last.lag
    return length_in_words(exact(last.lag) * unit)


def length_in_words(seconds: Fraction) -> str:
    """A length of time, in the largest unit of which there is one."""
    for size, name in _LENGTHS:
        if seconds >= size:
            return f"{float(seconds / size):.3g} {name}"
    return f"{float(seconds * 1000):.3g} ms"
