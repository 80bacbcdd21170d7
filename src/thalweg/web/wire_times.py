"""Times on their way to the page and back, exact on both.

The page gets a number where a number in JSON says it exactly, the text of a fraction (``1/3``) where it does not, and
null for an infinite end. Timestamps and dates are whole microseconds since 1970, in UTC.
"""

from __future__ import annotations

import math
from fractions import Fraction

from thalweg.errors import UsageError
from thalweg.record.run_record import DATE, TIMESTAMP
from thalweg.time.exact import exact
from thalweg.time.interval import Endpoint, Interval, format_rational

Wire = int | float | str | None

DATES = (TIMESTAMP, DATE)
"""The clocks whose times are moments, not numbers."""

_SAFE = 2**53
_MICROSECONDS = 1_000_000


def wire(time: Endpoint) -> Wire:
    """A number for the page; None for an infinite one."""
    if isinstance(time, float) and math.isinf(time):
        return None
    time = Fraction(time)
    if time.denominator == 1 and abs(time) < _SAFE:
        return int(time)
    near = float(time)
    return near if abs(near) < _SAFE and Fraction(repr(near)) == time else format_rational(time)


def wire_moment(time: Endpoint, unit: Fraction) -> Wire:
    """A time in units since 1970 as microseconds; what lies between two of them is cut off."""
    return None if isinstance(time, float) else math.floor(Fraction(time) * unit * _MICROSECONDS)


def wire_text(text: str | None, clock: str, unit: Fraction) -> Wire:
    """An exact time in units of the program, as records have it; None for none, or an infinite one."""
    if text is None or text.endswith("inf"):
        return None
    return wire_moment(exact(text), unit) if clock in DATES else wire(exact(text))


def unwire(text: str, clock: str, unit: Fraction, infinite: float) -> Endpoint:
    """The time that the page was told, in units of the program; an empty text is ``infinite``."""
    if not text:
        return infinite
    try:
        number = exact(text)
    except ValueError:
        raise UsageError(f"{text} is not a time") from None
    return number / _MICROSECONDS / unit if clock in DATES else number


def unwire_interval(start: str, end: str, ends: int, clock: str, unit: Fraction) -> Interval:
    """The interval between two times that the page was told; ``ends`` as in :mod:`thalweg.web.lanes`."""
    low, high = unwire(start, clock, unit, -math.inf), unwire(end, clock, unit, math.inf)
    try:
        return Interval(low, high, bool(ends & 1), bool(ends & 2))
    except ValueError as error:
        raise UsageError(str(error)) from None
