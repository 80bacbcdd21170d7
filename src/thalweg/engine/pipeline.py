"""A program as stages of shards: what each stage reads, derives, answers and hands on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from thalweg.analysis.sharding import Sharding
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values
from thalweg.engine.divisions import Divisions
from thalweg.engine.limits import NO_LIMITS, Limits
from thalweg.engine.output_times import INTERVALS, OutputTimes
from thalweg.engine.packets import Packet, codes_per_tick
from thalweg.engine.routing import belonging_to, split
from thalweg.engine.window import SlidingWindow
from thalweg.model.program import Program, Rule
from thalweg.model.reads import reads
from thalweg.plan.plan import make_plan
from thalweg.time.interval import Endpoint
from thalweg.time.ticks import NEGATIVE_INFINITY
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class PipelineStage:
    """One stage.

    ``keys`` says by which argument the facts of a predicate are spread over the shards; facts of other predicates go
    to all of them. ``answers`` are the queries that are answered here; ``feeds`` the predicates derived here that
    later stages read, with the numbers of those stages. On a stream ``lag`` is how far its input is behind the
    data, because earlier stages look ahead; in a batch ``stretch`` is the time for which later stages need its facts.
    """

    number: int
    program: Program
    shards: int
    keys: Mapping[str, int]
    copied: frozenset[str]
    answers: tuple[str, ...]
    feeds: tuple[tuple[str, int], ...]
    lag: Fraction = Fraction(0)
    stretch: tuple[Endpoint, Endpoint] = (-math.inf, math.inf)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The predicates whose facts leave the stage."""
        return tuple(dict.fromkeys((*self.answers, *(name for name, _ in self.feeds))))

    def own(self, name: str, relation: Relation, values: Values, shard: int) -> Relation:
        """What a shard gives out of a predicate: where several shards derive it, only the facts of its own keys."""
        if name not in self.copied or name not in self.keys:
            return relation
        return belonging_to(relation, self.keys[name], values, shard, self.shards)

    def own_divisions(self, found: Divisions, shard: int) -> Divisions:
        """Those of a shard's divisions by zero that no other counts: the first counts what all of them see alike."""
        split = self.keys.keys() - self.copied
        shared = {rule.number for rule in self.program.rules if not split & {*_positive(rule)}}
        return {number: count for number, count in found.items() if shard == 0 or number not in shared}


@dataclass(frozen=True)
class Pipeline:
    """All stages, and what holds for the whole run.

    ``readers`` has for every predicate the stages that read given facts of it; where it is derived, only that one.
    ``delay`` is how late facts may come; ``end`` the last time of interest; ``changes`` asks for beginnings and ends in
    place of intervals; ``keeps_evidence`` for the facts that came in time, to explain answers with.
    """

    program: Program
    stages: tuple[PipelineStage, ...]
    readers: Mapping[str, tuple[int, ...]]
    delay: Fraction = Fraction(0)
    start: Endpoint = -math.inf
    end: Endpoint = math.inf
    output_times: OutputTimes = INTERVALS
    changes: bool = False
    limits: Limits = NO_LIMITS
    keeps_evidence: bool = False

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """Everything that is answered."""
        return tuple(name for stage in self.stages for name in stage.answers)

    def window(self, stage: PipelineStage) -> SlidingWindow:
        """The empty window of a shard."""
        return SlidingWindow(
            stage.program,
            stage.wanted,
            self.output_times,
            limits=self.limits,
            lengths=[time for time in (self.delay, self.end) if isinstance(time, Fraction)],
        )

    @cached_property
    def look_ahead(self) -> Fraction:
        """By how much answers can be behind the data because rules look ahead."""
        behind = [stage.lag + self.window(stage).plan.delays[name] for stage in self.stages for name in stage.answers]
        return max(behind, default=Fraction(0))

    def newest(self, packets: Iterable[Packet]) -> Fraction | None:
        """The latest time at which a fact starts."""
        return max((time for packet in packets if (time := self._latest(packet)) is not None), default=None)

    def _latest(self, packet: Packet) -> Fraction | None:
        """An interval counts by its start."""
        finite = packet.start[packet.start != NEGATIVE_INFINITY]
        return self.time_of(int(finite.max()), packet) if len(finite) else None

    def time_of(self, code: int, packet: Packet) -> Fraction:
        """The time of a code of a packet."""
        return (code // codes_per_tick(self.program.timeline)) * packet.tick

    def inputs(self, packet: Packet) -> list[Packet]:
        """A packet of given facts, once for every stage that reads it; the first stands for it in reports."""
        readers = self.readers.get(packet.predicate, ())
        return [replace(packet, stage=number, reports=number == readers[0]) for number in readers]

    def route(self, packets: Iterable[Packet], after: int, shard: int = 0) -> list[list[Packet]]:
        """The packets for each shard of the stage after a number; those for later stages go there on the way.

        ``shard`` is the number of the sending shard; packets in transit spread over the shards by it.
        """
        onward = self.stages[after + 1]
        parcels: list[list[Packet]] = [[] for _ in range(onward.shards)]
        for packet in packets:
            if packet.stage > after + 1:
                parcels[shard % onward.shards].append(packet)
                continue
            for part, parcel in zip(self._spread(packet, onward), parcels, strict=True):
                parcel += [] if part is None else [part]
        return parcels

    def _spread(self, packet: Packet, stage: PipelineStage) -> Sequence[Packet | None]:
        return split(packet, stage.keys.get(packet.predicate), stage.shards)


def declared_delay(program: Program) -> Fraction:
    """The longest delay that a program declares; 0 when it declares none."""
    longest = max((delay.length for delay in program.delays), default=Fraction(0))
    assert isinstance(longest, Fraction), "a delay without an end is refused where it is declared (E228)"
    return longest


def make_pipeline(
    program: Program,
    sharding: Sharding,
    shards: int,
    *,
    streaming: bool,
    delay: Fraction = Fraction(0),
    start: Endpoint = -math.inf,
    end: Endpoint = math.inf,
    output_times: OutputTimes = INTERVALS,
    changes: bool = False,
    limits: Limits = NO_LIMITS,
) -> Pipeline:
    """The pipeline of a program; raises :class:`ProgramError` where a stage cannot run on a stream."""
    if program.timeline is Timeline.INTEGER and streaming:
        # A delay or a last time between two integers means what the lower one means.
        delay = Fraction(math.floor(delay))
        end = Fraction(math.floor(end)) if isinstance(end, Fraction) else end
    derived = {name: number for number, stage in enumerate(sharding.stages) for name in stage.predicates}
    readers = {name: (number,) for name, number in derived.items()}
    feeds: list[list[tuple[str, int]]] = [[] for _ in sharding.stages]
    answered = _answered(sharding)
    for number, stage in enumerate(sharding.stages):
        for name in dict.fromkeys((*stage.reads, *(n for n in answered[number] if n not in derived))):
            if name in derived:
                feeds[derived[name]].append((name, number))
            else:
                readers[name] = (*readers.get(name, ()), number)
    stages = tuple(
        PipelineStage(
            number,
            replace(program, rules=stage.rules, facts=()),
            shards if stage.is_split else 1,
            stage.keys,
            stage.copied,
            answered[number],
            tuple(feeds[number]),
        )
        for number, stage in enumerate(sharding.stages)
    )
    pipeline = Pipeline(
        program,
        stages,
        readers,
        delay,
        start,
        end,
        output_times,
        changes,
        limits,
    )
    return _with_lags(pipeline) if streaming else _with_stretches(pipeline)


def _answered(sharding: Sharding) -> list[tuple[str, ...]]:
    """The queries each stage answers."""
    found: list[list[str]] = [[] for _ in sharding.stages]
    for name in sharding.queries:
        found[sharding.stage_of(name)].append(name)
    return [tuple(names) for names in found]


def _with_lags(pipeline: Pipeline) -> Pipeline:
    """The stages with how far behind the data each reads: what it reads may be derived by looking ahead."""
    stages: list[PipelineStage] = []
    behind: dict[tuple[str, int], Fraction] = {}
    for stage in pipeline.stages:
        lag = max((late for (_, number), late in behind.items() if number == stage.number), default=Fraction(0))
        stages.append(replace(stage, lag=lag))
        delays = pipeline.window(stage).plan.delays
        behind |= {(name, number): lag + delays[name] for name, number in stage.feeds}
    return replace(pipeline, stages=tuple(stages))


def _with_stretches(pipeline: Pipeline) -> Pipeline:
    """The stages with the time for which their facts are needed, for the answers to be exact from start to end."""
    if len(pipeline.stages) == 1 or (pipeline.start, pipeline.end) == (-math.inf, math.inf):
        stages = [replace(stage, stretch=(pipeline.start, pipeline.end)) for stage in pipeline.stages]
        return replace(pipeline, stages=tuple(stages))
    needs = make_plan(pipeline.program, start=pipeline.start, end=pipeline.end, wanted=pipeline.queries).needs
    stages = []
    for stage in pipeline.stages:
        stretches = [needs[name] for name in stage.wanted if name in needs]
        low = min((s.low for s in stretches), default=pipeline.start)
        high = max((s.high for s in stretches), default=pipeline.end)
        stages.append(replace(stage, stretch=(min(low, pipeline.start), max(high, pipeline.end))))
    return replace(pipeline, stages=tuple(stages))


def _positive(rule: Rule) -> Iterator[str]:
    """The predicates that a rule reads outside negations."""
    return (read.atom.predicate for literal in rule.body for read in reads(literal) if not read.negative)
