"""Window functions (LARS paper, Definitions 2 and 3)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from fractions import Fraction

from thalweg.model.formula import TimeWindow, TupleWindow, Value, Window
from thalweg.null import Null
from thalweg.testing.lars.stream import Stream, valuation
from thalweg.time.interval import Endpoint

Tuple = tuple[int, tuple[Value, ...]]
"""The time and the arguments of an atom."""


def window_of(window: Window, stream: Stream, time: int, predicates: Collection[str]) -> Stream:
    """w(S, t): the window of a stream at a time, for a formula that speaks of the predicates."""
    if isinstance(window, TimeWindow):
        return _time_window(window, stream, time)
    return _tuple_window(window, stream, time, predicates)


def _time_window(window: TimeWindow, stream: Stream, time: int) -> Stream:
    """Definition 3."""
    pivot = math.floor(Fraction(time, window.slide)) * window.slide
    first = _whole(max(stream.first, pivot - window.last))
    last = _whole(min(pivot + window.next, stream.last))
    return stream.restricted(first, last)


def _whole(time: Endpoint) -> int:
    assert time == math.floor(time)
    return math.floor(time)


def _tuple_window(window: TupleWindow, stream: Stream, time: int, predicates: Collection[str]) -> Stream:
    """The last and the next tuples of each part, on the shortest timeline that has what was looked through for them."""
    parts = {predicate: list(_parts(window, stream, predicate)) for predicate in sorted(predicates)}
    firsts = [_first(window, stream, time, tuples) for tuples in parts.values() or [[]]]
    lasts = [_last(window, stream, time, tuples) for tuples in parts.values() or [[]]]
    kept = [
        (when, (name, args))
        for name, each in parts.items()
        for part in each
        for when, args in _kept(window, time, part)
    ]
    return Stream(max(min(firsts), stream.first), min(max(lasts), stream.last), valuation(kept))


def _parts(window: TupleWindow, stream: Stream, predicate: str) -> Iterable[list[Tuple]]:
    """The tuples of a predicate, for a partition-based window by the values at its positions."""
    tuples = sorted(stream.tuples(predicate), key=_recency)
    if window.per is None:
        return [tuples]
    parts: dict[tuple[Value, ...], list[Tuple]] = {}
    for when, arguments in tuples:
        parts.setdefault(tuple(arguments[position] for position in window.per), []).append((when, arguments))
    return parts.values()


def _recency(tuple_: Tuple) -> tuple[int, list[tuple[int, Fraction | str]]]:
    """By time; then by arguments: numbers by size, before texts, before nulls as they are written."""
    time, arguments = tuple_
    return time, [_place(value) for value in arguments]


def _place(value: Value) -> tuple[int, Fraction | str]:
    match value:
        case Fraction():
            return 0, value
        case str():
            return 1, value
        case Null():
            return 2, str(value)


def _kept(window: TupleWindow, time: int, tuples: list[Tuple]) -> list[Tuple]:
    past = [each for each in tuples if each[0] <= time]
    future = [each for each in tuples if each[0] > time]
    return [*past[len(past) - min(window.last, len(past)) :], *future[: window.next]]


def _first(window: TupleWindow, stream: Stream, time: int, parts: Iterable[list[Tuple]]) -> int:
    """t_ℓ: back to the tuple that completes the number in every part that has begun, or to the timeline's start."""
    if not window.last:
        return time
    past = [[when for when, _ in tuples if when <= time] for tuples in parts]
    begun = [times for times in past if times]
    return min(
        (times[-window.last] if len(times) >= window.last else stream.first for times in begun), default=stream.first
    )


def _last(window: TupleWindow, stream: Stream, time: int, parts: Iterable[list[Tuple]]) -> int:
    """t_u: on to the tuple that completes the number in every part that goes on, or to the timeline's end."""
    if not window.next:
        return time
    future = [[when for when, _ in tuples if when > time] for tuples in parts]
    going_on = [times for times in future if times]
    return max(
        (times[window.next - 1] if len(times) >= window.next else stream.last for times in going_on),
        default=stream.last,
    )
