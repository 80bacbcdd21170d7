"""Tuple-based and partition-based windows over decided predicates, one at a time (LARS paper, Section 2.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from thalweg.columnar.values import Value, Values
from thalweg.engine.answers.decided import Arguments, Lookup
from thalweg.engine.answers.window import Instant, Tuples, Window
from thalweg.model.formula import TupleWindow

Partition = list[tuple[int, Arguments]]
"""Tuples in their order: by time, simultaneous ones by their arguments."""


def tuple_window(
    window: TupleWindow,
    counted: Collection[str],
    of: Window,
    time: int,
    decided: Lookup,
    values: Values,
    horizon: tuple[int, int],
) -> Window:
    """The window at a time point: the last and the next tuples of each partition, and the hull of their stretches."""
    low = int(max(of.low, horizon[0] - window.last))
    high = int(min(of.high, horizon[1] + window.next))
    chosen: dict[str, Tuples] = {}
    stretches: list[tuple[Instant, Instant]] = []
    for predicate in counted:
        present = [
            (at, arguments)
            for at, arguments in decided.points(predicate, low, high)
            if of.has(predicate, arguments, at)
        ]
        kept: Partition = []
        for partition in _partitions(present, window.per, values):
            last, following = _around(partition, window, time)
            kept += last + following
            stretches.append(_stretch(last, following, window, of, time))
        chosen[predicate] = frozenset(kept)
    if not stretches:
        stretches.append(_stretch([], [], window, of, time))
    start, end = min(start for start, _ in stretches), max(end for _, end in stretches)
    return Window(max(start, of.low), min(end, of.high), chosen)


def _partitions(present: Partition, per: tuple[int, ...] | None, values: Values) -> Iterator[Partition]:
    ordered = sorted(present, key=lambda each: (each[0], [_rank(values.value(code)) for code in each[1]]))
    if per is None:
        yield ordered
        return
    found: dict[Arguments, Partition] = {}
    for at, arguments in ordered:
        found.setdefault(tuple(arguments[position] for position in per), []).append((at, arguments))
    yield from found.values()


def _around(partition: Partition, window: TupleWindow, time: int) -> tuple[Partition, Partition]:
    past = [each for each in partition if each[0] <= time]
    future = [each for each in partition if each[0] > time]
    return past[len(past) - min(window.last, len(past)) :], future[: window.next]


def _stretch(
    last: Partition, following: Partition, window: TupleWindow, of: Window, time: int
) -> tuple[Instant, Instant]:
    """From the oldest tuple to the newest; where there are too few, to the ends of the stream."""
    start: Instant = time if window.last == 0 else last[0][0] if len(last) == window.last else of.low
    end: Instant = time if window.next == 0 else following[-1][0] if len(following) == window.next else of.high
    return start, end


def _rank(value: Value) -> tuple[bool, Value]:
    return isinstance(value, str), value
