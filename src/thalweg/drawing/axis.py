"""Where an axis of time has marks, and what they say: exact numbers, or dates."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from thalweg.time.interval import Interval, format_rational

_ROUND = (1, 2, 5)
_SPANS = tuple(
    Fraction(seconds)
    for seconds in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
)
"""Steps between dates, in seconds, up to a day; beyond it, round numbers of days."""

_DAY = Fraction(86400)
_EPOCH = datetime.datetime(1970, 1, 1)
_PADDING = Fraction(1, 40)


@dataclass(frozen=True)
class Axis:
    """A stretch of time [start, end] over a width.

    With ``date_unit``, the length in seconds of the number 1, times are counted from 1970 and shown as dates.
    """

    start: Fraction
    end: Fraction
    width: float
    date_unit: Fraction | None = None

    def place(self, time: Fraction) -> float:
        """How far from the left a time lies."""
        return float((time - self.start) / (self.end - self.start)) * self.width

    def marks(self, most: int = 8) -> list[tuple[Fraction, str]]:
        """At most so many round times, and their texts."""
        step = self._step(most)
        first, last = math.ceil(self.start / step), math.floor(self.end / step)
        times = [step * count for count in range(first, last + 1)]
        return [(time, self._text(time, step)) for time in times]

    def day(self, most: int = 8) -> str:
        """The day on which the axis begins, where its marks are times of day."""
        if self.date_unit is None or self._step(most) * self.date_unit >= _DAY:
            return ""
        return date_text(self.start * self.date_unit, _DAY)

    def _step(self, most: int) -> Fraction:
        span = self.end - self.start
        if self.date_unit is None:
            return _round_step(span / most)
        seconds = span * self.date_unit / most
        if seconds < 1:
            return _round_step(seconds) / self.date_unit
        if seconds <= _DAY:
            return next(each for each in _SPANS if each >= seconds) / self.date_unit
        return max(_round_step(seconds / _DAY), Fraction(1)) * _DAY / self.date_unit

    def _text(self, time: Fraction, step: Fraction) -> str:
        if self.date_unit is None:
            return format_rational(time)
        return date_text(time * self.date_unit, step * self.date_unit)


def axis_of(intervals: Iterable[Interval], width: float, date_unit: Fraction | None = None) -> Axis:
    """The axis on which all finite ends lie, with a little room on both sides."""
    ends = [end for each in intervals for end in (each.start, each.end) if isinstance(end, Fraction)]
    low, high = (min(ends), max(ends)) if ends else (Fraction(0), Fraction(1))
    room = (high - low) * _PADDING if high > low else Fraction(1)
    return Axis(low - room, high + room, width, date_unit)


def date_text(seconds: Fraction, step: Fraction) -> str:
    """A time in seconds since 1970, as finely as steps of so many seconds need; a number where it is no date."""
    try:
        moment = _EPOCH + datetime.timedelta(seconds=float(seconds))
    except OverflowError:
        return format_rational(seconds)
    if step >= _DAY:
        return moment.strftime("%Y-%m-%d")
    if moment.hour == moment.minute == moment.second == moment.microsecond == 0:
        return moment.strftime("%b %d")
    if step >= 60:
        return moment.strftime("%H:%M")
    return moment.strftime("%H:%M:%S") if step >= 1 else moment.strftime("%H:%M:%S.%f").rstrip("0")


def _round_step(least: Fraction) -> Fraction:
    """The least of 1, 2 and 5 times a power of ten that is not below a number."""
    # The logarithm of a fraction, since its float may be too large or too small.
    magnitude = math.log10(least.numerator) - math.log10(least.denominator)
    power = Fraction(10) ** (math.floor(magnitude) - 1)
    while True:
        for factor in _ROUND:
            if power * factor >= least:
                return power * factor
        power *= 10
