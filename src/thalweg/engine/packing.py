"""Facts as read, packed for the shards that need them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from thalweg.columnar.values import Values
from thalweg.engine.intake import Intake
from thalweg.engine.packets import Column, Packet, codes_per_tick
from thalweg.engine.parcels import Parcel
from thalweg.engine.pipeline import Pipeline
from thalweg.model.program import Program
from thalweg.syntax.fact_batch import FactBatch
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline


def pack_batch(batch: FactBatch, program: Program) -> Packet:
    """The facts of a batch, in the declared tick or the coarsest 1/n that divides their times."""
    ticks = Ticks(program.timeline, _tick(batch, program))
    start, end = Intake(Values(), ticks).times(batch)
    columns = tuple(Column.of_values(column.values, column.codes) for column in batch.arguments)
    return Packet(batch.predicate, columns, start, end, ticks.tick)


def parcels(pipeline: Pipeline, packets: Sequence[Packet], *, rows: int, is_final: bool = False) -> list[Parcel]:
    """A parcel for every shard of the first stage, with what all of them must know.

    ``rows`` counts what was read, and goes to the first shard only.
    """
    timeline, newest = pipeline.program.timeline, pipeline.newest(packets)
    times = tuple(_data_times(packets, timeline)) if pipeline.output_times.kind == "data" else ()
    routed = pipeline.route([part for packet in packets for part in pipeline.inputs(packet)], -1)
    return [
        Parcel(tuple(part), newest, None, is_final, 0 if shard else rows, times) for shard, part in enumerate(routed)
    ]


def _tick(batch: FactBatch, program: Program) -> Fraction:
    if program.tick is not None or program.timeline is Timeline.INTEGER:
        return program.tick or Fraction(1)
    ends = {end for column in (batch.starts, batch.ends) for end in column.values if isinstance(end, Fraction)}
    return Fraction(1, math.lcm(*(end.denominator for end in ends)))


def _data_times(packets: Sequence[Packet], timeline: Timeline) -> list[Fraction]:
    found: set[Fraction] = set()
    for packet in packets:
        codes = np.unique(np.concatenate([packet.start, packet.end]))
        codes = codes[(codes > NEGATIVE_INFINITY) & (codes < POSITIVE_INFINITY)]
        points = codes[codes % codes_per_tick(timeline) == 0] // codes_per_tick(timeline)
        found |= {int(point) * packet.tick for point in points}
    return sorted(found)
