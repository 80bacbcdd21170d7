"""Intervals drawn on a line.

``[`` and ``]`` are ends that belong to them, ``(`` and ``)`` ends that do not; ``○`` is a missing point between two.
"""

from __future__ import annotations

from collections.abc import Iterable

from thalweg.syntax.facts import format_value
from thalweg.time.interval import Interval

_PER_UNIT = 4

Row = tuple[tuple[str, tuple[object, ...]], tuple[Interval, ...]]


def draw(rows: Iterable[Row], first: int, last: int) -> str:
    """A line of numbers and, for each atom, when it holds between the two."""
    named = [(_atom(*atom), intervals) for atom, intervals in rows]
    margin = max(len(name) for name, _ in named) + 3
    numbers = "".join(f"{number:<{_PER_UNIT}}" for number in range(first, last + 1))
    lines = [" " * margin + numbers]
    lines += [f"{name:<{margin}}{_row(intervals, first, last)}" for name, intervals in named]
    return "\n".join(line.rstrip() for line in lines)


def _row(intervals: Iterable[Interval], first: int, last: int) -> str:
    cells = [" "] * ((last - first) * _PER_UNIT + 1)
    for interval in intervals:
        start, end = _place(max(interval.start, first), first), _place(min(interval.end, last), first)
        before = cells[start]
        cells[start : end + 1] = "─" * (end + 1 - start)
        if start == end:
            cells[start] = "●"
            continue
        cells[start] = "◀" if interval.start < first else "[" if interval.start_closed else "("
        if before == ")":
            cells[start] = "○"
        cells[end] = "▶" if interval.end > last else "]" if interval.end_closed else ")"
    return "".join(cells)


def _place(time: object, first: int) -> int:
    place = (time - first) * _PER_UNIT  # type: ignore[operator]  # a Fraction, or one of the ends
    assert place == int(place), f"{time} has no place between two numbers"
    return int(place)


def _atom(predicate: str, values: tuple[object, ...]) -> str:
    return f"{predicate}({','.join(map(format_value, values))})" if values else predicate
