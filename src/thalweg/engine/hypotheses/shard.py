"""One shard of a query for hypothetical answers: parcels in, what has become of answers out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.changes import Change, Status
from thalweg.engine.hypotheses.fact_clock import FactClock, with_background
from thalweg.engine.hypotheses.pattern_rows import NEVER
from thalweg.engine.hypotheses.pipeline import HypothesisPipeline
from thalweg.engine.hypotheses.point_facts import PointFacts, concat_facts, points_of
from thalweg.engine.hypotheses.state import held, remembered_count, rest, restored
from thalweg.engine.hypotheses.status_rows import StatusRows
from thalweg.engine.hypotheses.table import answer_rows
from thalweg.engine.packets import Packet
from thalweg.engine.parcels import Parcel, latest, packets_of
from thalweg.engine.pipeline import Pipeline
from thalweg.engine.shard import AnyShard, Outcome, Progress
from thalweg.engine.shard_log import Held, ShardLog, State
from thalweg.time.interval import format_endpoint
from thalweg.time.ticks import Ticks
from thalweg.time.timeline import Timeline

_GIVEN = "given/"
_TICKS = Ticks(Timeline.INTEGER)
Points = dict[str, PointFacts]


@dataclass
class HypothesisShard(AnyShard):
    """A reasoner and its clock.

    The present is the newest time of the whole stream, which all shards hear of. Facts of the program and of static
    tables are there when the stream begins: what is background is known at once, the others come with the first batch.
    """

    pipeline: Pipeline
    stage_number: int
    number: int
    log: ShardLog = field(default_factory=ShardLog)

    def __post_init__(self) -> None:
        assert isinstance(self.pipeline, HypothesisPipeline)
        self.clock = FactClock(self.pipeline.reasoner())
        self._given: Points = {}
        self._has_begun = False

    def background(self, parcels: Sequence[Parcel]) -> None:
        """Take in facts that are there before the stream begins."""
        always, others = self._known_always(self._points(packets_of(parcels)))
        self._learn(always)
        self._given = _joined(self._given, others)
        self._hear(parcels)

    def process(self, parcels: Sequence[Parcel]) -> Outcome:
        """One batch: take in its facts, and close the time points that are over."""
        changes, late = self._advance(parcels)
        answers = self._packed(changes)
        return self._outcome(parcels, answers, late)

    def process_all(self, parcels: Sequence[Parcel]) -> Outcome:
        """All that has come, in one go: what is confirmed now, and what is open."""
        changes, late = self._advance(parcels)
        answers = self._packed([change for change in changes if change.status is Status.CONFIRMED])
        answers += self._packed([*self.clock.reasoner.open_rows()])
        return self._outcome(parcels, answers, late)

    @property
    def values(self) -> Values:
        """The values of the reasoner."""
        return self.clock.reasoner.values

    def state(self) -> State:
        """The reasoner, its clock, and what waits for the first batch."""
        reasoner = self.clock.reasoner
        given = {f"{_GIVEN}{name}": coalesce(facts.relation()) for name, facts in self._given.items()}
        relations = {name: Held(relation) for name, relation in {**held(reasoner), **given}.items()}
        numbers: dict[str, Any] = {**rest(reasoner), **self.clock.numbers(), "begun": self._has_begun}
        return State(relations, reasoner.values, Fraction(1), numbers)

    def hold(self, state: State) -> None:
        """Go on from a state."""
        relations = {name: each.relation for name, each in state.relations.items()}
        own = {name: each for name, each in relations.items() if not name.startswith(_GIVEN)}
        self.clock = FactClock(
            restored(self.clock.reasoner, own, state.values, state.rest), state.rest["newest"], state.rest["late"]
        )
        self._given = {
            name.removeprefix(_GIVEN): points_of(name, relation)
            for name, relation in relations.items()
            if name.startswith(_GIVEN)
        }
        self._has_begun = state.rest["begun"]

    def _advance(self, parcels: Sequence[Parcel]) -> tuple[list[Change], Points]:
        always, facts = self._known_always(self._points(packets_of(parcels)))
        if not self._has_begun:
            self._learn(always)
            facts, self._given, always = _joined(self._given, facts), {}, {}
        self._has_begun = True
        self._hear(parcels)
        is_final = any(parcel.is_final for parcel in parcels)
        changes, late = self.clock.advance(facts, NEVER if is_final else None)
        # Background that comes when facts have come already is too late for them; all shards see it, one says so.
        return changes, {**late, **(always if self.number == 0 else {})}

    def _hear(self, parcels: Sequence[Parcel]) -> None:
        """Note the newest time that anybody has seen."""
        newest = latest(parcels)
        times = [time for time in (self.clock.newest, newest) if time is not None]
        self.clock.newest = max(map(int, times), default=None)

    def _points(self, packets: Iterable[Packet]) -> Points:
        arrived: dict[str, list[Relation]] = {}
        for packet in packets:
            arrived.setdefault(packet.predicate, []).append(packet.relation(self.values, _TICKS))
        relations = {name: concat(parts, parts[0].arity) for name, parts in arrived.items()}
        background = self.pipeline.program.background
        return {
            name: PointFacts(each.columns, each.start) if name in background else points_of(name, each)
            for name, each in relations.items()
        }

    def _known_always(self, points: Points) -> tuple[Points, Points]:
        """The facts of background, and the others."""
        background = self.pipeline.program.background
        always = {name: facts for name, facts in points.items() if name in background}
        return always, {name: facts for name, facts in points.items() if name not in always}

    def _learn(self, always: Points) -> None:
        if always:
            reasoner = with_background(self.clock.reasoner, always)
            self.clock = FactClock(reasoner, self.clock.newest, self.clock.late)

    def _packed(self, changes: Sequence[Change]) -> list[StatusRows]:
        rows = answer_rows(self.clock.reasoner, changes, self.clock.reasoner.closed)
        (query,) = self.pipeline.queries
        return [StatusRows.of_rows(query, rows, self.values)] if len(rows) else []

    def _outcome(self, parcels: Sequence[Parcel], answers: Sequence[StatusRows], late: Points) -> Outcome:
        set_aside = [Packet.of_relation(name, facts.relation(), self.values, _TICKS) for name, facts in late.items()]
        return Outcome(tuple(answers), tuple(set_aside), (), self._progress(parcels, answers, set_aside))

    def _progress(self, parcels: Sequence[Parcel], answers: Sequence[StatusRows], late: Sequence[Packet]) -> Progress:
        reasoner = self.clock.reasoner
        before = math.inf if reasoner.closed == NEVER else reasoner.closed + 1
        return Progress(
            stage=self.stage_number,
            shard=self.number,
            rows=sum(parcel.rows for parcel in parcels),
            late=sum(map(len, late)),
            answers=sum(map(len, answers)),
            stored_window=reasoner.open_count,
            stored_history=remembered_count(reasoner),
            waiting=sum(map(len, reasoner.waiting.values())),
            values=len(self.values),
            newest=None if self.clock.newest is None else str(self.clock.newest),
            before=None if reasoner.closed == -NEVER else format_endpoint(before),
            dropped=reasoner.given_up.count,
        )


def run_all(pipeline: Pipeline, stage_number: int, number: int, parcels: Sequence[Parcel]) -> Outcome:
    """What a shard has to say when all its facts come at once."""
    return HypothesisShard(pipeline, stage_number, number).process_all(parcels)


def _joined(one: Points, other: Points) -> Points:
    return {
        name: concat_facts([points[name] for points in (one, other) if name in points]) for name in {**one, **other}
    }
