"""The facts of a packet as texts, as :func:`thalweg.syntax.facts.read_facts` reads them, row by row."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.columnar.arrays import Ints
from thalweg.engine.packets import Column, Packet, codes_per_tick
from thalweg.syntax.facts import format_value
from thalweg.time.interval import Endpoint, format_endpoint
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline


def fact_texts(packet: Packet, timeline: Timeline) -> pa.Array:
    """One text a row, in the order of the rows."""
    pieces: list[pa.Array | pa.Scalar] = [pa.scalar(packet.predicate)]
    for position, column in enumerate(packet.columns):
        pieces += [pa.scalar("," if position else "("), value_texts(column)]
    pieces += [pa.scalar(")@" if packet.columns else "@"), _intervals(packet, timeline)]
    return pc.binary_join_element_wise(*pieces, "")


def holds_until(packet: Packet, timeline: Timeline) -> Endpoint:
    """The latest end of those facts that have one; −∞ where none has."""
    ends = packet.end[packet.end != POSITIVE_INFINITY]
    return -(-int(ends.max()) // codes_per_tick(timeline)) * packet.tick if len(ends) else -math.inf


def value_texts(column: Column) -> pa.Array:
    """The rows of a column as facts write them: a text that could be taken for something else has quotes."""
    if column.kind == "integer":
        return column.array.cast(pa.string())
    return pa.array([format_value(value) for value in column.distinct()], pa.string()).take(column.array.indices)


def _intervals(packet: Packet, timeline: Timeline) -> pa.Array:
    ticks = Ticks(timeline, packet.tick)
    starts, start_rows = np.unique(packet.start, return_inverse=True)
    ends, end_rows = np.unique(packet.end, return_inverse=True)
    left = pa.array([_left(ticks, int(code)) for code in starts], pa.string()).take(_indices(start_rows))
    right = pa.array([_right(ticks, int(code)) for code in ends], pa.string()).take(_indices(end_rows))
    return pc.binary_join_element_wise(left, right, ",")


def _left(ticks: Ticks, code: int) -> str:
    interval = ticks.decode(code, POSITIVE_INFINITY)
    return f"{'[' if interval.start_closed else '('}{format_endpoint(interval.start)}"


def _right(ticks: Ticks, code: int) -> str:
    interval = ticks.decode(NEGATIVE_INFINITY, code)
    return f"{format_endpoint(interval.end)}{']' if interval.end_closed else ')'}"


def _indices(rows: Ints) -> pa.Array:
    return pa.array(rows, pa.int64())
