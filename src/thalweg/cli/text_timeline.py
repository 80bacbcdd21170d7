"""A timeline in a terminal: a line for each atom."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thalweg.drawing.axis import Axis, axis_of
from thalweg.drawing.timeline import Lane
from thalweg.time.interval import Endpoint, Interval

MOST_LANES = 30

_LEAST, _MOST_LABEL = 20, 30


def text_timeline(lanes: Sequence[Lane], width: int) -> str:
    """The lanes, the axis below them, and how many more there are.

    ``[`` and ``]`` are ends that belong to an interval, ``(`` and ``)`` ends that do not; ``●`` is a point, and ``◀``
    and ``▶`` go on for ever.
    """
    shown = lanes[:MOST_LANES]
    margin = min(max(len(lane.label) for lane in shown), _MOST_LABEL) + 2
    room = max(width - margin - 2, _LEAST)
    axis = axis_of((each for lane in shown for each in lane.intervals), room - 1)
    lines = [f"{_short(lane.label):<{margin}}{_bar(lane.intervals, axis, room)}" for lane in shown]
    lines += [" " * margin + line for line in _scale(axis, room)]
    lines += [f"… and {len(lanes) - len(shown):,} more"] if len(lanes) > len(shown) else []
    return "\n".join(line.rstrip() for line in lines)


def _short(label: str) -> str:
    return label if len(label) <= _MOST_LABEL else label[: _MOST_LABEL - 1] + "…"


def _bar(intervals: Sequence[Interval], axis: Axis, room: int) -> str:
    cells = [" "] * room
    for interval in intervals:
        start, end = _cell(interval.start, axis, room), _cell(interval.end, axis, room)
        if interval.is_punctual or start == end:
            cells[start] = "●" if interval.is_punctual else "▪"
            continue
        cells[start : end + 1] = "━" * (end + 1 - start)
        cells[start] = "◀" if interval.start == -math.inf else "[" if interval.start_closed else "("
        cells[end] = "▶" if interval.end == math.inf else "]" if interval.end_closed else ")"
    return "".join(cells)


def _scale(axis: Axis, room: int) -> tuple[str, str]:
    """The line with marks, and the line with their texts."""
    marks = axis.marks(max(room // 12, 2))
    line, texts = ["─"] * room, [" "] * (room + 12)
    free = 0
    for time, text in marks:
        place = _cell(time, axis, room)
        line[place] = "┬"
        if place >= free and place + len(text) <= len(texts):
            texts[place : place + len(text)] = text
            free = place + len(text) + 1
    return "".join(line), "".join(texts)


def _cell(time: Endpoint, axis: Axis, room: int) -> int:
    if isinstance(time, float):
        return 0 if time < 0 else room - 1
    return min(max(round(axis.place(time)), 0), room - 1)
