"""Intervals over the rationals (journal paper, Section 2) and the operations on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

Endpoint = Fraction | float
"""An exact rational, or ``math.inf`` / ``-math.inf``; no other float ever occurs."""


@dataclass(frozen=True, order=False)
class Interval:
    """A non-empty interval with rational or infinite endpoints. Infinite ends are always open."""

    start: Endpoint
    end: Endpoint
    start_closed: bool = True
    end_closed: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", exact(self.start))
        object.__setattr__(self, "end", exact(self.end))
        if self.start == -math.inf and self.start_closed:
            object.__setattr__(self, "start_closed", False)
        if self.end == math.inf and self.end_closed:
            object.__setattr__(self, "end_closed", False)
        if not is_valid(self.start, self.end, self.start_closed, self.end_closed):
            raise ValueError(f"{self} is empty")

    def __contains__(self, time: Fraction) -> bool:
        after_start = self.start < time or (self.start_closed and self.start == time)
        before_end = time < self.end or (self.end_closed and self.end == time)
        return after_start and before_end

    def __str__(self) -> str:
        left, right = "[" if self.start_closed else "(", "]" if self.end_closed else ")"
        return f"{left}{format_endpoint(self.start)},{format_endpoint(self.end)}{right}"

    @property
    def length(self) -> Endpoint:
        """|ϱ|."""
        return add(self.end, -self.start)

    @property
    def is_punctual(self) -> bool:
        """Whether the interval is a single time point."""
        return self.start == self.end

    @property
    def is_bounded(self) -> bool:
        """Whether both endpoints are rational."""
        return -math.inf < self.start and self.end < math.inf

    def plus(self, other: Interval) -> Interval:
        """ϱ + ϱ' = {t + t' | t ∈ ϱ, t' ∈ ϱ'}."""
        return Interval(
            add(self.start, other.start),
            add(self.end, other.end),
            self.start_closed and other.start_closed,
            self.end_closed and other.end_closed,
        )

    def minus(self, other: Interval) -> Interval:
        """ϱ − ϱ' = {t − t' | t ∈ ϱ, t' ∈ ϱ'}."""
        return self.plus(other.reflected())

    def oplus(self, other: Interval) -> Interval | None:
        """ϱ ⊕ ϱ' = {t | {t} − ϱ' ⊆ ϱ}; None when empty."""
        start: Endpoint
        end: Endpoint
        if self.start == -math.inf:
            start, start_closed = -math.inf, False
        elif other.end == math.inf:
            return None
        else:
            start, start_closed = add(self.start, other.end), self.start_closed or not other.end_closed
        if self.end == math.inf:
            end, end_closed = math.inf, False
        else:
            end, end_closed = add(self.end, other.start), self.end_closed or not other.start_closed
        return interval_or_none(start, end, start_closed, end_closed)

    def reflected(self) -> Interval:
        """{−t | t ∈ ϱ}."""
        return Interval(-self.end, -self.start, self.end_closed, self.start_closed)

    def intersection(self, other: Interval) -> Interval | None:
        """ϱ ∩ ϱ', or None when empty."""
        start, start_closed = max(
            (self.start, self.start_closed), (other.start, other.start_closed), key=lambda s: (s[0], not s[1])
        )
        end, end_closed = min((self.end, self.end_closed), (other.end, other.end_closed), key=lambda e: (e[0], e[1]))
        return interval_or_none(start, end, start_closed, end_closed)

    def touches(self, other: Interval) -> bool:
        """Whether ϱ ∪ ϱ' is an interval: no time point lies between the two."""
        return self._reaches(other) and other._reaches(self)

    def union(self, other: Interval) -> Interval:
        """ϱ ∪ ϱ' of two intervals that touch."""
        if not self.touches(other):
            raise ValueError(f"the union of {self} and {other} is not an interval")
        return self.hull(other)

    def hull(self, other: Interval) -> Interval:
        """The smallest interval that contains both."""
        start, open_start = min((self.start, not self.start_closed), (other.start, not other.start_closed))
        end, end_closed = max((self.end, self.end_closed), (other.end, other.end_closed))
        return Interval(start, end, not open_start, end_closed)

    def difference(self, other: Interval) -> tuple[Interval, ...]:
        """ϱ \\ ϱ': none, one or two intervals, in order."""
        before = interval_or_none(-math.inf, other.start, False, not other.start_closed)
        after = interval_or_none(other.end, math.inf, not other.end_closed, False)
        parts = (self.intersection(side) for side in (before, after) if side)
        return tuple(part for part in parts if part)

    def to_integers(self) -> Interval | None:
        """The integers in ϱ, as an interval with closed or infinite ends; None when there are none."""
        start, end = self.start, self.end
        if not isinstance(start, float):
            start = Fraction(math.ceil(start) if self.start_closed else math.floor(start) + 1)
        if not isinstance(end, float):
            end = Fraction(math.floor(end) if self.end_closed else math.ceil(end) - 1)
        return interval_or_none(start, end, True, True)

    def _reaches(self, other: Interval) -> bool:
        """Whether no time point lies after this interval and before the other."""
        return self.end > other.start or (self.end == other.start and (self.end_closed or other.start_closed))


def point(time: Fraction | int) -> Interval:
    """The punctual interval [t, t]."""
    return Interval(Fraction(time), Fraction(time))


def exact(value: Endpoint) -> Endpoint:
    """The value as a Fraction or an infinite float; any other float is refused, since it is not exact."""
    if isinstance(value, float):
        if not math.isinf(value):
            raise ValueError(f"{value!r} is not an exact time; write a Fraction")
        return value
    return value if isinstance(value, Fraction) else Fraction(value)


def add(left: Endpoint, right: Endpoint) -> Endpoint:
    """Exact addition; the infinite operands, if any, have one sign.

    Python would convert a Fraction to float before adding an infinity to it, and a large one overflows.
    """
    if isinstance(left, float):
        return left
    return right if isinstance(right, float) else left + right


def is_valid(start: Endpoint, end: Endpoint, start_closed: bool, end_closed: bool) -> bool:
    """Whether the endpoints and brackets describe a non-empty interval."""
    if start == math.inf or end == -math.inf:
        return False
    return start < end or (start == end and start_closed and end_closed)


def interval_or_none(start: Endpoint, end: Endpoint, start_closed: bool, end_closed: bool) -> Interval | None:
    """The interval, or None when it is empty."""
    closed = start_closed and start != -math.inf, end_closed and end != math.inf
    return Interval(start, end, *closed) if is_valid(start, end, *closed) else None


def format_endpoint(value: Endpoint) -> str:
    """``inf``, ``-inf``, an integer, an exact decimal where there is one, otherwise a fraction."""
    if value == math.inf:
        return "inf"
    if value == -math.inf:
        return "-inf"
    return format_rational(Fraction(value))


def format_rational(value: Fraction) -> str:
    """An integer, an exact decimal where there is one, otherwise ``p/q``."""
    if value.denominator == 1:
        return str(value.numerator)
    places = decimal_places(value.denominator)
    if places is None:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def decimal_places(denominator: int) -> int | None:
    """How many decimal places write 1/denominator exactly; None if no number does."""
    twos = fives = 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    return max(twos, fives) if denominator == 1 else None


ALWAYS = Interval(-math.inf, math.inf, False, False)
