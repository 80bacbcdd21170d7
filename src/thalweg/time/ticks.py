"""Intervals as closed ranges of 64-bit integers.

On the rational timeline the point k · tick is the even code 2k, and the gap after it, up to the next such
point, is the odd code 2k + 1; so every interval, whatever its brackets, is a closed range of codes. On the
integer timeline the codes are the time points themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from thalweg.time.interval import Endpoint, Interval, format_rational
from thalweg.time.timeline import Timeline

NEGATIVE_INFINITY = -(1 << 62)
POSITIVE_INFINITY = 1 << 62

FINITE_LIMIT = 1 << 60
"""Codes of rational times are smaller than this, so that an infinity plus a code can be told from a time."""

_INFINITE_FROM = 1 << 61


def common_tick(values: Iterable[Fraction]) -> Fraction:
    """gcd (journal paper, Section 2): the greatest rational that divides all values; 1 when there is none."""
    numerator, denominator = 0, 1
    for value in map(Fraction, values):
        common = math.lcm(denominator, value.denominator)
        numerator = math.gcd(numerator * (common // denominator), value.numerator * (common // value.denominator))
        denominator = common
    return Fraction(numerator, denominator) if numerator else Fraction(1)


@dataclass(frozen=True)
class Ticks:
    """The encoding of a timeline's intervals with a given tick.

    The integer timeline has the tick 1: any other would make its operators skip time points.
    """

    timeline: Timeline
    tick: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.tick <= 0:
            raise ValueError(f"a tick must be positive, not {format_rational(self.tick)}")
        if self.timeline is Timeline.INTEGER and self.tick != 1:
            raise ValueError(f"the integer timeline has the tick 1, not {format_rational(self.tick)}")

    def encode(self, interval: Interval) -> tuple[int, int] | None:
        """The interval as a closed range of codes; None when the integer timeline has no point in it."""
        if self.timeline is Timeline.INTEGER:
            whole = interval.to_integers()
            return (self._code(whole.start), self._code(whole.end)) if whole else None
        after_start = not interval.start_closed and interval.start != -math.inf
        before_end = not interval.end_closed and interval.end != math.inf
        return self._code(interval.start) + after_start, self._code(interval.end) - before_end

    def decode(self, from_: int, to: int) -> Interval:
        """The interval of a closed range of codes.

        A code nearer to an infinity than to a rational time is infinite: it is an infinity that was shifted.
        """
        if self.timeline is Timeline.INTEGER:
            return Interval(self._time(from_), self._time(to))
        start, start_open = self._time(from_ - from_ % 2), from_ % 2
        end, end_open = self._time(to + to % 2), to % 2
        return Interval(start, end, not start_open, not end_open)

    def _code(self, time: Endpoint) -> int:
        """The code of a time point or of an infinity."""
        if isinstance(time, float):
            return POSITIVE_INFINITY if time > 0 else NEGATIVE_INFINITY
        count = time / self.tick
        if count.denominator != 1:
            raise ValueError(f"the tick {format_rational(self.tick)} does not divide the time {format_rational(time)}")
        code = count.numerator * self._codes_per_tick
        # One less than the limit, since an open end moves the code by one.
        if abs(code) >= FINITE_LIMIT - 1:
            raise OverflowError(
                f"the time {format_rational(time)} is too far from 0 to be counted in 64 bits"
                f" with the tick {format_rational(self.tick)}"
            )
        return code

    def _time(self, code: int) -> Endpoint:
        """The time point or infinity of a code that is not a gap's."""
        if abs(code) >= _INFINITE_FROM:
            return math.inf if code > 0 else -math.inf
        return Fraction(int(code), self._codes_per_tick) * self.tick

    @property
    def _codes_per_tick(self) -> int:
        return 2 if self.timeline is Timeline.RATIONAL else 1
