"""Answers on the driver: packed rows of a run as one materialisation, and what else the run tells."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.values import Values
from thalweg.engine.divisions import added_up
from thalweg.engine.intake import program_ends
from thalweg.engine.materialisation import Materialisation
from thalweg.engine.packets import Packet
from thalweg.engine.rescale import coarsen, refine
from thalweg.engine.shard import Answers
from thalweg.errors import DataError, Diagnostic
from thalweg.model.program import Program
from thalweg.spark.answers import Clock, quarantine_batch
from thalweg.spark.failures import spark_errors
from thalweg.spark.reasoning import Reasoning
from thalweg.spark.signals import interruptible
from thalweg.spark.tasks import HearTasks, task_watcher
from thalweg.spark.transport import ANSWERS, PROGRESS, QUARANTINE, UNUSED
from thalweg.time.interval import Endpoint
from thalweg.time.ticks import Ticks
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class SetAside:
    """A row that could not be a fact, or came too late."""

    predicate: str | None
    row: str
    reason: str


@dataclass(frozen=True)
class Collected:
    """What a batch gives: its answers, what was set aside, and the predicates that the program does not mention."""

    model: Materialisation
    set_aside: tuple[SetAside, ...]
    unused: tuple[str, ...]


def collect(planned: Reasoning, hear: HearTasks | None = None) -> Collected:
    """Run a batch and bring what it gives to the driver; ``hear`` is told of the tasks of Spark's jobs."""
    rows = packed_rows(planned, hear)
    told = [json.loads(bytes(row.payload)) for row in rows if row.tag == PROGRESS]
    bounds = (planned.options.start, planned.options.end)
    ticks = _ticks(planned.program, bounds, [said["denominator"] for said in told])
    packets = [Answers.of_bytes(bytes(row.payload)).packet for row in rows if row.tag == ANSWERS]
    model = materialisation(packets, planned.queries, planned.program, ticks)
    model.divisions_by_zero = added_up(said["divisions"] for said in told)
    return Collected(model, tuple(set_aside(rows, planned.clock)), unused_predicates(rows))


def packed_rows(planned: Reasoning, hear: HearTasks | None = None) -> Sequence[Any]:
    """Everything that a batch gives, packed, on the driver."""
    with spark_errors():
        look = task_watcher(planned.spark, hear) if hear is not None else lambda: None
        return interruptible(planned.spark, planned.transport.collect, look)


def materialisation(
    packets: Iterable[Packet], queries: Sequence[str], program: Program, ticks: Ticks | None = None
) -> Materialisation:
    """Packets of several shards put together; the tick is the coarsest that fits them unless it is given."""
    packets = list(packets)
    if ticks is None:
        denominators = [packet.tick.denominator for packet in packets]
        ticks = Ticks(program.timeline, Fraction(1, math.lcm(*denominators)))
    values = Values()
    relations: dict[str, list[Relation]] = {name: [] for name in queries}
    for packet in packets:
        relations[packet.predicate].append(_relation(packet, values, ticks))
    whole = {name: concat(parts, program.signatures[name].arity) for name, parts in relations.items()}
    return Materialisation(whole, values, ticks, program.signatures)


def set_aside(rows: Iterable[Any], clock: Clock) -> list[SetAside]:
    """What the rows of a run say was set aside."""
    batches = (quarantine_batch(bytes(row.payload), clock) for row in rows if row.tag == QUARANTINE)
    return [SetAside(**row) for batch in batches for row in batch.to_pylist()]


def unused_predicates(rows: Iterable[Any]) -> tuple[str, ...]:
    """The predicates of facts that the program does not mention."""
    return tuple(dict.fromkeys(row.name for row in rows if row.tag == UNUSED))


def _ticks(program: Program, bounds: Iterable[Endpoint], denominators: Sequence[int]) -> Ticks:
    """The tick that reasoning in one process would choose: answers in tables have as many decimals as it needs."""
    if program.timeline is Timeline.INTEGER:
        return Ticks(Timeline.INTEGER)
    if program.tick is not None:
        return Ticks(Timeline.RATIONAL, program.tick)
    ends = [end.denominator for end in (*program_ends(program), *bounds) if isinstance(end, Fraction)]
    return Ticks(Timeline.RATIONAL, Fraction(1, math.lcm(*ends, *denominators)))


def _relation(packet: Packet, values: Values, ticks: Ticks) -> Relation:
    """The facts of a packet in another tick, which may be finer or, where they all lie on it, coarser."""
    relation = Relation(tuple(column.codes(values) for column in packet.columns), packet.start, packet.end)
    ratio = packet.tick / ticks.tick
    if ratio == 1:
        return relation
    try:
        return coarsen(refine(relation, ratio.numerator), ratio.denominator)
    except OverflowError as error:
        hint = "times go up to 2^59 ticks from 0, and all times must be multiples of one tick"
        raise DataError([Diagnostic("E431", None, f"{packet.predicate}: {error}", hint)]) from error
