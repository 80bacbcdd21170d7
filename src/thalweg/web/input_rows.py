"""Facts from batches as rows for lanes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from thalweg.syntax.facts import FactBatch, format_value
from thalweg.time.interval import Endpoint, Interval
from thalweg.web.lanes import END_CLOSED, START_CLOSED, Row
from thalweg.web.wire_times import DATES, Wire, wire, wire_moment


def rows_of_batch(batch: FactBatch, clock: str, unit: Fraction) -> Iterator[Row]:
    """The facts of a batch."""
    columns = [([format_value(value) for value in column.values], column.codes.tolist()) for column in batch.arguments]
    starts, ends = ([_wire(time, clock, unit) for time in column.values] for column in (batch.starts, batch.ends))
    codes = zip(batch.starts.codes.tolist(), batch.ends.codes.tolist(), strict=True)
    closed = zip(batch.start_closed.tolist(), batch.end_closed.tolist(), strict=True)
    for row, ((start, end), flags) in enumerate(zip(codes, closed, strict=True)):
        arguments = [texts[places[row]] for texts, places in columns]
        yield arguments, starts[start], ends[end], START_CLOSED * flags[0] | END_CLOSED * flags[1]


def row_of_interval(arguments: list[str], interval: Interval, clock: str, unit: Fraction) -> Row:
    """One fact."""
    ends = START_CLOSED * interval.start_closed | END_CLOSED * interval.end_closed
    return arguments, _wire(interval.start, clock, unit), _wire(interval.end, clock, unit), ends


def _wire(time: Endpoint, clock: str, unit: Fraction) -> Wire:
    return wire_moment(time, unit) if clock in DATES else wire(time)
