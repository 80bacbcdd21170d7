"""Intervals of operators and facts."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from thalweg.testing.strategies.knobs import Knobs
from thalweg.time.interval import Endpoint, Interval, interval_or_none
from thalweg.time.timeline import Timeline

FIRST, LAST = -3, 15
"""Facts begin and end between these, or never."""

_STEPS = [Fraction(1)] * 5 + [Fraction(1, 2)] * 2 + [Fraction(1, 3), Fraction(1, 4)]


class Times:
    """The times of one case: operators and facts each keep to the multiples of a step."""

    def __init__(self, draw: DrawFn, knobs: Knobs) -> None:
        self.draw = draw
        self.knobs = knobs
        is_dense = knobs.timeline is Timeline.RATIONAL
        self.fact_step = draw(st.sampled_from(_STEPS)) if is_dense else Fraction(1)
        self.operator_step = draw(st.sampled_from(_STEPS)) if is_dense else Fraction(1)

    def operator_interval(self, most: int, unbounded: bool) -> Interval:
        """A positive interval that ends at ``most`` or before; with ``unbounded`` it may go on for ever.

        On the integer timeline its ends are closed, as they are in every program that was read from a text.
        """
        points = ["point"] if self.knobs.punctual else []
        shape = self.draw(st.sampled_from([*points, "range", "range", "range", *(["unbounded"] if unbounded else [])]))
        start = self._multiple(self.operator_step, 0, most)
        end = start if shape == "point" else self._multiple(self.operator_step, start, most)
        if start == end and not self.knobs.punctual:
            end += self.operator_step
        interval = self._with_brackets(start, math.inf if shape == "unbounded" else end)
        if self.knobs.timeline is Timeline.RATIONAL:
            return interval
        return interval.to_integers() or Interval(start, start)

    def fact_interval(self, bounded: bool) -> Interval:
        """When a fact holds."""
        start = self._multiple(self.fact_step, FIRST, LAST - 2)
        shape = self.draw(st.sampled_from(["range", "range", "range", "range", "point", "from", "to", "always"]))
        infinite = self.knobs.infinite_facts and not bounded
        if shape == "point":
            return Interval(start, start)
        end = self._multiple(self.fact_step, start, LAST)
        return self._with_brackets(
            -math.inf if infinite and shape in ("to", "always") else start,
            math.inf if infinite and shape in ("from", "always") else end,
        )

    def _multiple(self, step: Fraction, low: Fraction | int, high: int) -> Fraction:
        return step * self.draw(st.integers(math.ceil(low / step), math.floor(high / step)))

    def _with_brackets(self, start: Endpoint, end: Endpoint) -> Interval:
        """The interval with brackets drawn, closed where it would hold no time point otherwise."""
        open_start, open_end = self.draw(st.booleans()), self.draw(st.booleans())
        interval = interval_or_none(start, end, not open_start, not open_end)
        if interval is None or (self.knobs.timeline is Timeline.INTEGER and interval.to_integers() is None):
            return Interval(start, end)
        return interval
