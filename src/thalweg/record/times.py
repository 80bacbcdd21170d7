"""Times of any kind in one exact form: texts of numbers, in units of the program; and how to show them."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa

from thalweg.record.run_record import DATE, TIMESTAMP
from thalweg.time.exact import exact
from thalweg.time.interval import format_rational
from thalweg.time.moments import seconds_since_1970
from thalweg.time.units import UNITS

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND, _DAY = UNITS["us"], UNITS["d"]


def exact_times(column: pa.Array, clock: str, unit: Fraction) -> pa.Array:
    """A column of times as texts such as ``7.5`` or ``1/3``, in units of so many seconds; null stays null."""
    if pa.types.is_integer(column.type):
        return column.cast(pa.string())
    encoded = column.dictionary_encode()
    texts = [exact_time(value, clock, unit) for value in _distinct(encoded.dictionary)]
    return pa.array(texts, pa.string()).take(encoded.indices)


def exact_time(value: Any, clock: str, unit: Fraction) -> str | None:
    """One time: a number, the text of one, a timestamp, a date, or the text of one of these."""
    if value is None:
        return None
    if isinstance(value, str) and clock in (TIMESTAMP, DATE):
        value = _moment(value)
    if isinstance(value, datetime.datetime):
        return format_rational(seconds_since_1970(value) / unit)
    if isinstance(value, datetime.date):
        return format_rational((value - _EPOCH.date()).days * _DAY / unit)
    return plain_number(value)


def shown_time(text: str | None, clock: str, unit: Fraction) -> str | None:
    """An exact time for people: a moment (UTC) or a day where times are such, otherwise the number."""
    if text is None or clock not in (TIMESTAMP, DATE) or text.endswith("inf"):
        return text
    microseconds = exact(text) * unit / _MICROSECOND
    try:
        moment = _EPOCH + datetime.timedelta(microseconds=int(microseconds))
    except OverflowError:
        return text
    if clock == DATE and microseconds * _MICROSECOND % _DAY == 0:
        return moment.date().isoformat()
    return moment.replace(tzinfo=None).isoformat(" ")


def _distinct(values: pa.Array) -> list[Any]:
    if pa.types.is_timestamp(values.type):
        # Parquet may hold nanoseconds, of which only whole microseconds are ever written.
        values = values.cast(pa.timestamp("us", values.type.tz))
    return list(values.to_pylist())


def _moment(text: str) -> datetime.datetime | Fraction:
    """A moment as tables have it, or the number that facts have in its place."""
    try:
        return exact(text)
    except ValueError:
        return datetime.datetime.fromisoformat(text)


def plain_number(value: Decimal | float) -> str:
    """A number as the language prints it."""
    return format_rational(Fraction(repr(value) if isinstance(value, float) else value))
