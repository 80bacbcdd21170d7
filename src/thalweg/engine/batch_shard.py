"""One shard of one stage in a batch: all its facts at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.shift import clip
from thalweg.columnar.values import Values
from thalweg.engine.divisions import Divisions
from thalweg.engine.intake import program_ends
from thalweg.engine.materialise import codes_of, saturated
from thalweg.engine.output_times import OutputTimes, at_points
from thalweg.engine.packets import Packet
from thalweg.engine.parcels import Parcel, packets_of
from thalweg.engine.pipeline import Pipeline, PipelineStage
from thalweg.engine.rescale import common_factor
from thalweg.engine.shard import Answers, Outcome, Progress
from thalweg.errors import UsageError
from thalweg.plan.stretch import Stretch
from thalweg.time.ticks import POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline


def run_batch(pipeline: Pipeline, stage_number: int, number: int, parcels: Sequence[Parcel]) -> Outcome:
    """What follows from the facts of a shard: answers, and parcels for the next stage."""
    stage = pipeline.stages[stage_number]
    packets = list(packets_of(parcels))
    own = [packet for packet in packets if packet.stage == stage_number]
    values, ticks = Values(), _ticks(pipeline, stage, own)
    divisions: Divisions = {}
    derived = {
        name: stage.own(name, relation, values, number)
        for name, relation in _derived(pipeline, stage, own, values, ticks, divisions).items()
    }
    times = sorted({time for parcel in parcels for time in parcel.times})
    answers = tuple(_answers(pipeline, stage, derived, values, ticks, times))
    onward: list[Parcel] = []
    if stage_number + 1 < len(pipeline.stages):
        fed = [
            replace(Packet.of_relation(name, derived[name], values, ticks), stage=later) for name, later in stage.feeds
        ]
        transit = [packet for packet in packets if packet.stage > stage_number]
        routed = pipeline.route([*fed, *transit], stage_number, number)
        onward = [Parcel(tuple(packets_), times=tuple(times)) for packets_ in routed]
    count, rows = sum(len(each.packet) for each in answers), sum(parcel.rows for parcel in parcels)
    held = sum(map(len, derived.values()))
    fine = math.lcm(*(_denominator(packet, ticks.timeline) for packet in own))
    progress = Progress(
        stage_number,
        number,
        rows=rows,
        late=0,
        answers=count,
        stored_window=held,
        stored_history=0,
        waiting=0,
        values=len(values),
        newest=None,
        before=None,
        denominator=fine,
        divisions=stage.own_divisions(divisions, number),
    )
    return Outcome(answers, (), tuple(onward), progress)


def _ticks(pipeline: Pipeline, stage: PipelineStage, packets: Sequence[Packet]) -> Ticks:
    program = stage.program
    if program.timeline is Timeline.INTEGER:
        return Ticks(Timeline.INTEGER)
    if program.tick is not None:
        return Ticks(Timeline.RATIONAL, program.tick)
    times = [*program_ends(program), *stage.stretch, pipeline.start, pipeline.end, *pipeline.output_times.exact_times]
    denominators = {time.denominator for time in times if isinstance(time, Fraction)}
    denominators |= {packet.tick.denominator for packet in packets}
    return Ticks(Timeline.RATIONAL, Fraction(1, math.lcm(*denominators)))


def _denominator(packet: Packet, timeline: Timeline) -> int:
    """The least common denominator of the times of a packet, which may lie on a coarser grid than its tick's."""
    denominator = packet.tick.denominator
    if timeline is Timeline.INTEGER:
        return 1
    return denominator // common_factor(denominator, [Relation((), packet.start, packet.end)])


def _derived(
    pipeline: Pipeline,
    stage: PipelineStage,
    packets: Sequence[Packet],
    values: Values,
    ticks: Ticks,
    divisions: Divisions,
) -> dict[str, Relation]:
    given: dict[str, list[Relation]] = {}
    for packet in packets:
        given.setdefault(packet.predicate, []).append(packet.relation(values, ticks))
    low, high = stage.stretch
    return saturated(
        stage.program,
        {name: concat(parts, parts[0].arity) for name, parts in given.items()},
        values,
        ticks,
        start=low,
        end=high,
        wanted=stage.wanted,
        limits=pipeline.limits,
        divisions=divisions,
    )


def _answers(
    pipeline: Pipeline,
    stage: PipelineStage,
    derived: Mapping[str, Relation],
    values: Values,
    ticks: Ticks,
    times: Sequence[Fraction],
) -> Iterator[Answers]:
    low, high = codes_of(Stretch(pipeline.start, pipeline.end), ticks)
    for name in stage.answers:
        relation = _wanted_points(clip(derived[name], low, high), pipeline.output_times, ticks, times)
        if len(relation):
            yield Answers(Packet.of_relation(name, relation, values, ticks))


def _wanted_points(relation: Relation, wanted: OutputTimes, ticks: Ticks, times: Sequence[Fraction]) -> Relation:
    """The relation at the time points at which answers are wanted, or as it is."""
    if wanted.kind == "intervals" or not len(relation):
        return relation
    low, high = int(relation.start.min()), int(relation.end.max())
    if wanted.kind == "every" and high == POSITIVE_INFINITY:
        raise UsageError("an answer holds for ever after: answers at every step need an end of time")
    data = np.array([codes_of(Stretch(time, time), ticks)[0] for time in times], dtype=np.int64)
    points = wanted.points(low, high, ticks.tick, ticks.timeline, data)
    assert points is not None
    return at_points(relation, points)
