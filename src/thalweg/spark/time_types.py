"""Event time in Spark columns: timestamps, dates, integers and decimals, exactly, as counts of a step."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types

from thalweg.columnar.arrays import Bools, Ints
from thalweg.errors import DataError, Diagnostic, UsageError, did_you_mean
from thalweg.record.run_record import NUMBER, TIMESTAMP
from thalweg.time.interval import decimal_places, format_rational
from thalweg.time.ticks import FINITE_LIMIT, NEGATIVE_INFINITY, POSITIVE_INFINITY
from thalweg.time.timeline import Timeline
from thalweg.time.units import UNITS

MOST_PLACES = 18
_MOST_DAYS = (1 << 31) - 1


@dataclass(frozen=True)
class TimeType:
    """A type of time column: what one count of it is worth, in seconds or (integers, decimals) in units of the program.

    ``name`` is ``timestamp``, ``timestamp_ntz``, ``date``, ``integer``, ``decimal`` or ``text`` (exact fractions, only
    where no other type holds the answers).
    """

    name: str
    places: int = 0

    @property
    def clock(self) -> str:
        """The kind of time as the record of a run has it."""
        return {"timestamp_ntz": TIMESTAMP, "integer": NUMBER, "decimal": NUMBER}.get(self.name, self.name)

    @property
    def spark(self) -> types.DataType:
        """The type of an output column."""
        if self.name == "decimal":
            return types.DecimalType(38, self.places)
        return {
            "timestamp": types.TimestampType(),
            "timestamp_ntz": types.TimestampNTZType(),
            "date": types.DateType(),
            "integer": types.LongType(),
            "text": types.StringType(),
        }[self.name]

    @property
    def arrow(self) -> pa.DataType:
        """The Arrow type of an output column."""
        if self.name == "decimal":
            return pa.decimal128(38, self.places)
        return {
            "timestamp": pa.timestamp("us", "UTC"),
            "timestamp_ntz": pa.timestamp("us"),
            "date": pa.date32(),
            "integer": pa.int64(),
            "text": pa.string(),
        }[self.name]

    def step(self, unit: Fraction) -> Fraction:
        """What one count is worth, in a unit of so many seconds."""
        if self.name in ("timestamp", "timestamp_ntz"):
            return UNITS["us"] / unit
        if self.name == "date":
            return UNITS["d"] / unit
        return Fraction(1, 10**self.places)

    def counts(self, column: pa.Array) -> Ints:
        """The counts of a column without nulls."""
        if self.name in ("timestamp", "timestamp_ntz"):
            return np.asarray(column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64()))
        if self.name == "date":
            return np.asarray(column.cast(pa.int32())).astype(np.int64)
        if self.name == "decimal":
            return _unscaled(column, self.places)
        return np.asarray(column.cast(pa.int64()))


def time_type_of(kind: types.DataType) -> TimeType | None:
    """The time type of a Spark column; None if it is not one."""
    match kind:
        case types.TimestampType():
            return TimeType("timestamp")
        case types.TimestampNTZType():
            return TimeType("timestamp_ntz")
        case types.DateType():
            return TimeType("date")
        case types.ByteType() | types.ShortType() | types.IntegerType() | types.LongType():
            return TimeType("integer")
        case types.DecimalType():
            return TimeType("decimal", kind.scale) if kind.scale else TimeType("integer")
        case _:
            return None


def output_type(inputs: Mapping[str, TimeType], tick: Fraction, unit: Fraction) -> TimeType:
    """The type in which answers say when they hold: that of the input, unless answers fall between its values.

    ``inputs`` has the time types by the name of their columns. Raises :class:`DataError` where they do not agree, or
    where answers can fall between two timestamps.
    """
    kinds = {kind.name for kind in inputs.values()}
    if kinds <= {"timestamp", "date"} and kinds:
        chosen = TimeType("timestamp" if "timestamp" in kinds else "date")
    elif kinds <= {"timestamp_ntz", "date"} and kinds:
        chosen = TimeType("timestamp_ntz")
    elif kinds <= {"integer", "decimal"}:
        return _number_type(tick)
    else:
        shown = ", ".join(f"{name} is {kind.name}" for name, kind in inputs.items())
        message = f"the time columns are of different kinds: {shown}"
        raise DataError([Diagnostic("E461", None, message, "cast them to one type before reasoning")])
    if chosen.name == "date" and (tick / chosen.step(unit)).denominator != 1:
        # A date has no time zone, and neither has the time of day that follows from it.
        chosen = TimeType("timestamp_ntz")
    if (tick / chosen.step(unit)).denominator != 1:
        message = f"answers can fall between microseconds: times are multiples of {format_rational(tick * unit)} s"
        hint = "give intervals and delays in whole microseconds, or use a decimal column for time"
        raise DataError([Diagnostic("E462", None, message, hint)])
    return chosen


def codes_of(counts: Ints, step: Fraction, tick: Fraction, timeline: Timeline) -> tuple[Ints, Bools, Bools]:
    """Counts as codes of points; which of them the tick does not divide, and which are too far from 0."""
    per_tick = 2 if timeline is Timeline.RATIONAL else 1
    ratio = step / tick
    limit = (FINITE_LIMIT - 2) * ratio.denominator // (ratio.numerator * per_tick)
    # The lowest integer has no absolute value of its own, so compare both ways.
    far = (counts > limit) | (counts < -limit)
    scaled = np.where(far, 0, counts) * ratio.numerator
    between = scaled % ratio.denominator != 0
    return scaled // ratio.denominator * per_tick, between, far


def times_of(codes: Ints, tick: Fraction, timeline: Timeline, unit: Fraction, kind: TimeType) -> pa.Array:
    """Codes of points (even ones, on the rational timeline) as a column; infinite ones are null."""
    infinite = (codes == NEGATIVE_INFINITY) | (codes == POSITIVE_INFINITY)
    points = np.where(infinite, 0, codes) // (2 if timeline is Timeline.RATIONAL else 1)
    if kind.name == "text":
        return _texts(points, tick, infinite)
    ratio = tick / kind.step(unit)
    _check_divides(points, ratio)
    limit = ((1 << 63) - 1) * ratio.denominator // ratio.numerator
    if kind.name == "decimal":
        return _decimals(points, ratio, kind, infinite)
    if len(points) and int(np.abs(points).max()) > limit:
        raise _out_of_range(kind)
    counts = points * ratio.numerator // ratio.denominator if ratio.denominator != 1 else points * ratio.numerator
    if kind.name == "date":
        if len(counts) and int(np.abs(counts).max()) > _MOST_DAYS:
            raise _out_of_range(kind)
        return pa.array(counts.astype(np.int32), mask=infinite).cast(pa.date32())
    return pa.array(counts, mask=infinite).cast(kind.arrow)


def parse_duration(value: str | int | float | Fraction | Decimal | datetime.timedelta, unit: Fraction) -> Fraction:
    """A length of time in units of the program: ``"10 seconds"``, ``"5min"``, a timedelta, or a number of units."""
    if isinstance(value, datetime.timedelta):
        microseconds = (value.days * 86_400 + value.seconds) * 10**6 + value.microseconds
        return microseconds * UNITS["us"] / unit
    if not isinstance(value, str):
        return Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    match = _DURATION.fullmatch(value.strip())
    if not match:
        raise UsageError(f"{value!r} is not a length of time: write 10 seconds, 500ms or 2.5")
    length = Fraction(match["number"])
    if match["unit"] is None:
        return length
    name = _WORDS.get(match["unit"], match["unit"])
    if name not in UNITS:
        known = [*UNITS, *_WORDS]
        hint = did_you_mean(match["unit"], known) or f"the units are {', '.join(UNITS)}"
        raise UsageError(f"{match['unit']} is not a unit of time; {hint}")
    return length * UNITS[name] / unit


_DURATION = re.compile(r"(?P<number>\d+(?:\.\d+|/\d*[1-9]\d*)?)\s*(?P<unit>[a-z]+)?")
_WORDS = {
    **{
        word: short
        for short, words in {
            "ns": ("nanosecond", "nanoseconds"),
            "us": ("microsecond", "microseconds"),
            "ms": ("millisecond", "milliseconds"),
            "s": ("second", "seconds", "secs"),
            "min": ("minute", "minutes", "mins"),
            "h": ("hour", "hours"),
            "d": ("day", "days"),
        }.items()
        for word in words
    }
}


def _number_type(tick: Fraction) -> TimeType:
    if tick.denominator == 1:
        return TimeType("integer")
    places = decimal_places(tick.denominator)
    return TimeType("text") if places is None or places > MOST_PLACES else TimeType("decimal", places)


def _unscaled(column: pa.Array, places: int) -> Ints:
    """The digits of decimals as integers, from the low word of each; one that needs the high word is out of range."""
    wide = pa.decimal128(38, places)
    column = column if column.type == wide else column.cast(wide)
    words = np.frombuffer(column.buffers()[1], dtype=np.int64)[2 * column.offset : 2 * (column.offset + len(column))]
    low, high = words[::2], words[1::2]
    # Out of range in either direction: codes_of reports such a count as too far.
    counts: Ints = np.where(high == low >> 63, low, np.iinfo(np.int64).max)
    return counts


def _texts(points: Ints, tick: Fraction, infinite: Bools) -> pa.Array:
    distinct, inverse = np.unique(points, return_inverse=True)
    texts = pa.array([format_rational(int(point) * tick) for point in distinct], pa.string()).take(pa.array(inverse))
    return pc.if_else(pa.array(infinite), pa.scalar(None, pa.string()), texts)


def _decimals(points: Ints, ratio: Fraction, kind: TimeType, infinite: Bools) -> pa.Array:
    distinct, inverse = np.unique(points, return_inverse=True)
    scale = Decimal(1).scaleb(-kind.places)
    decimals = [Decimal(int(point * ratio)) * scale for point in distinct.tolist()]
    column = pa.array(decimals, kind.arrow).take(pa.array(inverse))
    return pc.if_else(pa.array(infinite), pa.scalar(None, kind.arrow), column)


def _check_divides(points: Ints, ratio: Fraction) -> None:
    assert ratio.denominator == 1 or not (points * ratio.numerator % ratio.denominator).any(), "the tick was checked"


def _out_of_range(kind: TimeType) -> DataError:
    message = f"an answer lies outside the times that a {kind.name} column can hold"
    return DataError([Diagnostic("E463", None, message, "bound the run by an end of time")])
