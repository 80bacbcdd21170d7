"""Written numbers, times and intervals made exact, and the limits they must respect."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

from thalweg.errors import Diagnostic
from thalweg.model.settings import Settings, length_of
from thalweg.source import Span
from thalweg.syntax import ast
from thalweg.time.interval import Endpoint, Interval, format_rational, interval_or_none
from thalweg.time.ticks import common_tick
from thalweg.time.timeline import Timeline

TIME_LIMIT = 2**59
"""Times count ticks in 64-bit integers, doubled and with room to add: fewer ticks than this from 0."""

INTEGER_LIMIT = 2**61
FRACTION_LIMIT = 2**62
"""Data integers, and numerators and denominators of other numbers, go no further from 0 than this."""


@dataclass
class Resolver:
    """Resolves numbers, times and intervals under a program's settings, and collects what is wrong.

    ``times`` remembers every finite time and where it was written: whether it can be counted in 64 bits
    is known only when all of them have been seen (:meth:`check_range`).
    """

    settings: Settings
    found: list[Diagnostic]
    times: list[tuple[Fraction, Span | None]] = field(default_factory=list)

    def report(self, code: str, span: Span | None, message: str, hint: str | None = None) -> None:
        """Add a diagnostic."""
        self.found.append(Diagnostic(code, span, message, hint))

    def value(self, number: ast.Number) -> Fraction | None:
        """A number as a data value; with a unit, that long a time counted in the program's unit."""
        value = length_of(number, self.settings.unit, self.found)
        return None if value is None else self.limited(value, number.span)

    def limited(self, value: Fraction, span: Span | None) -> Fraction | None:
        """The data value itself, or None, and a diagnostic, when 64 bits cannot hold it."""
        if value.denominator == 1:
            fits = abs(value.numerator) < INTEGER_LIMIT
        else:
            fits = max(abs(value.numerator), value.denominator) < FRACTION_LIMIT
        if fits:
            return value
        message = "this number is too large" if value.denominator == 1 else "this number is too large or too fine"
        hint = "integers go up to 2^61, numerators and denominators to 2^62; write a longer code in quotes"
        self.report("E235", span, message, hint)
        return None

    def time(self, bound: ast.Bound) -> Endpoint | None:
        """A time or duration in the program's unit, possibly infinite; None when something is wrong."""
        if isinstance(bound, ast.Infinity):
            return -math.inf if bound.negative else math.inf
        time = length_of(bound, self.settings.unit, self.found)
        if time is not None:
            self.times.append((time, bound.span))
        return time

    def operator_interval(self, text: ast.IntervalText) -> Interval | None:
        """The interval of a metric operator: non-empty and without negative time points."""
        start, end = self._ends(text)
        if start is None or end is None:
            return None
        if start < 0 or end < 0:
            message = f"the interval {_written(text)} of an operator has negative times"
            hint = "an interval says how far; the operator, minus or plus, says in which direction"
            self.report("E230", text.span, message, hint)
            return None
        return self._interval(text, start, end)

    def fact_interval(self, text: ast.IntervalText) -> Interval | None:
        """The interval of a fact."""
        start, end = self._ends(text)
        if start is None or end is None:
            return None
        origin = self.settings.timeline_start
        if origin is not None and -math.inf < start < origin:
            message = f"the fact begins before the start of the timeline, {format_rational(origin)}"
            self.report("E237", text.span, message, "declare an earlier start, or leave the fact out")
            return None
        last = self.settings.timeline_end
        if last is not None and math.inf > end > last:
            message = f"the fact ends after the end of the timeline, {format_rational(last)}"
            self.report("E237", text.span, message, "declare a later end, or leave the fact out")
            return None
        return self._interval(text, start, end)

    def check_range(self) -> None:
        """Refuse times too many ticks from 0; an undeclared tick is the gcd of the program's times."""
        tick = self.settings.tick
        step = tick or common_tick(time for time, _ in self.times)
        too_far = [(time, span) for time, span in self.times if abs(time / step) >= TIME_LIMIT]
        if tick is None and too_far:
            too_far = [max(too_far, key=lambda each: abs(each[0]))]
        for _, span in too_far:
            fault = "for the declared tick" if tick else "for the finest time in the program"
            hint = "2^59 ticks fit on either side of 0; use a coarser tick, or count time from a later 0"
            self.report("E234", span, f"this time is too far from 0 {fault}", hint)

    def _ends(self, text: ast.IntervalText) -> tuple[Endpoint | None, Endpoint | None]:
        bounds = (text.start,) if text.start is text.end else (text.start, text.end)
        times = [self.time(bound) for bound in bounds]
        fine = [
            time is not None and self._expressible(time, bound.span or text.span)
            for time, bound in zip(times, bounds, strict=True)
        ]
        return (times[0], times[-1]) if all(fine) else (None, None)

    def _expressible(self, time: Endpoint, span: Span | None) -> bool:
        """Whether the timeline and the tick have such a time."""
        if not isinstance(time, Fraction):
            return True
        if self.settings.timeline is Timeline.INTEGER and time.denominator != 1:
            message = "the integer timeline has no time between two integers"
            self.report("E226", span, message, "write an integer, or declare timeline rational.")
            return False
        tick = self.settings.tick
        if tick is not None and (time / tick).denominator != 1:
            message = f"this time is not a multiple of the tick, {format_rational(tick)}"
            self.report("E225", span, message, "round the time yourself, or declare a finer tick")
            return False
        return True

    def _interval(self, text: ast.IntervalText, start: Endpoint, end: Endpoint) -> Interval | None:
        interval = interval_or_none(start, end, text.start_closed, text.end_closed)
        if interval is not None and self.settings.timeline is Timeline.INTEGER:
            interval = interval.to_integers()
        if interval is None:
            self.report("E229", text.span, *_why_empty(text, start, end))
        return interval


def _why_empty(text: ast.IntervalText, start: Endpoint, end: Endpoint) -> tuple[str, str]:
    written = _written(text)
    if start > end:
        return f"the interval {written} ends before it starts", "write the smaller end first"
    if start in (math.inf, -math.inf) and start == end:
        return f"the interval {written} lies at infinity", "give it a finite end"
    if start == end:
        return (
            f"the interval {written} contains no time point",
            "close both brackets to mean that one time point",
        )
    return f"the interval {written} contains no integer", "close a bracket, or declare timeline rational."


def _written(text: ast.IntervalText) -> str:
    return text.span.text if text.span else "given"
