"""Window functions (LARS paper, Definitions 2 and 3)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from fractions import Fraction

from thalweg.model.formula import TimeWindow, TupleWindow, Value, Window
from thalweg.testing.lars.stream import Stream, valuation
from thalweg.time.interval import Endpoint

Tuple = tuple[int, tuple[Value, ...]]
"""The time and the arguments of an atom."""

Part = tuple[str, list[Tuple]]
"""The tuples of one predicate that are counted together, from the oldest to the most recent."""


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
    parts = [part for predicate in sorted(predicates) for part in _parts(window, stream, predicate)]
    spans = [_span(window, stream, time, tuples) for _, tuples in parts or [("", [])]]
    first, last = min(first for first, _ in spans), max(last for _, last in spans)
    kept = [(when, (name, args)) for name, tuples in parts for when, args in _kept(window, time, tuples)]
    return Stream(max(first, stream.first), min(last, stream.last), valuation(kept))


def _parts(window: TupleWindow, stream: Stream, predicate: str) -> Iterable[Part]:
    """The tuples of a predicate, for a partition-based window by the values at its positions."""
    tuples = sorted(stream.tuples(predicate), key=_recency)
    if window.per is None:
        return [(predicate, tuples)]
    parts: dict[tuple[Value, ...], list[Tuple]] = {}
    for when, arguments in tuples:
        parts.setdefault(tuple(arguments[position] for position in window.per), []).append((when, arguments))
    return [(predicate, part) for part in parts.values()]


def _recency(tuple_: Tuple) -> tuple[int, list[tuple[bool, Value]]]:
    """By time; then by arguments: numbers by size, before texts."""
    time, arguments = tuple_
    return time, [(isinstance(value, str), value) for value in arguments]


def _kept(window: TupleWindow, time: int, tuples: list[Tuple]) -> list[Tuple]:
    past = [each for each in tuples if each[0] <= time]
    future = [each for each in tuples if each[0] > time]
    return [*past[len(past) - min(window.last, len(past)) :], *future[: window.next]]


def _span(window: TupleWindow, stream: Stream, time: int, tuples: list[Tuple]) -> tuple[int, int]:
    """[t_ℓ, t_u]: to the tuple that completes the number, or to the end of the timeline when there are fewer."""
    past = [when for when, _ in tuples if when <= time]
    future = [when for when, _ in tuples if when > time]
    first = last = time
    if window.last:
        first = past[-window.last] if len(past) >= window.last else stream.first
    if window.next:
        last = future[window.next - 1] if len(future) >= window.next else stream.last
    return first, last
