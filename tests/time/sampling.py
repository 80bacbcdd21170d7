"""Table 1 by brute force: sets of times as lists of booleans over a fine grid of sample times.

The intervals drawn here have integer ends. Within a unit, truth of an operand then changes only at the
integer, truth of a formula is decided at the integer and at the middle of the gap after it; times t' are
sampled at quarters and the times between t' and t at eighths, so that every distinct case is met.
On the integer timeline only the integers are sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from hypothesis import strategies as st

from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet
from thalweg.time.timeline import Timeline

FIRST, LAST = -16, 16
TIMELINES = tuple(Timeline)


def intervals() -> st.SearchStrategy[Interval]:
    """Intervals with integer ends, every bracket combination, infinite ends, points."""
    end = st.integers(-6, 6)
    return st.builds(_interval, st.just(-math.inf) | end, st.just(math.inf) | end, st.booleans(), st.booleans())


def operator_intervals() -> st.SearchStrategy[Interval]:
    """Intervals without negative numbers."""
    end = st.integers(0, 4)
    return st.builds(_interval, end, st.just(math.inf) | end, st.booleans(), st.booleans())


def interval_sets(timeline: Timeline) -> st.SearchStrategy[IntervalSet]:
    """Sets of up to four intervals."""
    return st.lists(intervals(), max_size=4).map(lambda parts: IntervalSet(tuple(parts), timeline))


def _interval(one: float, other: float, start_closed: bool, end_closed: bool) -> Interval:
    start, end = sorted((one, other))
    return Interval(start, end, start_closed or start == end, end_closed or start == end)


def time_of(eighth: int) -> Fraction:
    return Fraction(eighth, 8)


def times(timeline: Timeline, per_unit: int) -> Iterator[int]:
    """Sample times in eighths: so many per unit, one on the integer timeline."""
    step = 8 if timeline is Timeline.INTEGER else 8 // per_unit
    return iter(range(8 * FIRST, 8 * LAST + 1, step))


def inner_times(timeline: Timeline) -> list[Fraction]:
    """The times at which results are compared: far enough from the edge of the samples."""
    return [time_of(t) for t in times(timeline, 2) if -80 <= t <= 80]


class Samples:
    """A set of times, sampled at eighths and constant beyond the first and the last of them."""

    def __init__(self, intervals: IntervalSet) -> None:
        self.timeline = intervals.timeline
        self.holds = {t: intervals.contains(time_of(t)) for t in times(self.timeline, 8)}
        self.misses_before = self._count_misses()

    def _count_misses(self) -> dict[int, int]:
        misses, counts = 0, {}
        for t, held in self.holds.items():
            counts[t] = misses
            misses += not held
        return counts

    def hold_between(self, low: int, high: int) -> bool:
        """Whether all sampled t'' with low < t'' < high are in the set."""
        if high <= low:
            return True
        first_inside = low + (8 if self.timeline is Timeline.INTEGER else 1)
        return self.misses_before[high] == self.misses_before[first_inside]


def some(operand: IntervalSet, interval: Interval, sign: int) -> Callable[[Fraction], bool]:
    """◇: t − t' ∈ ϱ for sign 1, t' − t ∈ ϱ for sign −1."""
    samples, reached = Samples(operand), reach(operand.timeline, interval, sign)
    return lambda t: any(samples.holds[u] for u in reached(t))


def every(operand: IntervalSet, interval: Interval, sign: int) -> Callable[[Fraction], bool]:
    """□: as ``some``."""
    samples, reached = Samples(operand), reach(operand.timeline, interval, sign)
    return lambda t: all(samples.holds[u] for u in reached(t))


def unbroken(left: IntervalSet, right: IntervalSet, interval: Interval, sign: int) -> Callable[[Fraction], bool]:
    """Since for sign 1, until for sign −1."""
    held, ends, reached = Samples(left), Samples(right), reach(left.timeline, interval, sign)

    def at(t: Fraction) -> bool:
        now = int(t * 8)
        return any(ends.holds[u] and held.hold_between(min(now, u), max(now, u)) for u in reached(t))

    return at


def reach(timeline: Timeline, interval: Interval, sign: int) -> Callable[[Fraction], list[int]]:
    """The sampled t' with sign · (t − t') ∈ ϱ."""
    distances = {d for d in range(8 * (LAST - FIRST) + 1) if time_of(d) in interval}
    candidates = list(times(timeline, 4))
    return lambda t: [u for u in candidates if sign * (int(t * 8) - u) in distances]
