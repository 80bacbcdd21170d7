"""One shard of one stage on a stream: parcels in, answers and parcels for the next stage out."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from thalweg.columnar.arrays import Bools
from thalweg.columnar.relation import Relation, concat, empty
from thalweg.columnar.values import Values
from thalweg.engine.changes import changes
from thalweg.engine.fact_texts import holds_until
from thalweg.engine.frames import pack, unpack
from thalweg.engine.packets import Packet
from thalweg.engine.parcels import Parcel, latest, minimum, packets_of
from thalweg.engine.pipeline import Pipeline
from thalweg.engine.shard_log import Held, Logged, ShardLog, State
from thalweg.engine.state_errors import damaged, reading
from thalweg.time.exact import exact, exact_endpoint
from thalweg.time.interval import Endpoint, format_endpoint
from thalweg.time.ticks import POSITIVE_INFINITY
from thalweg.time.timeline import Timeline

KIND = "answers"
BEGAN, ENDED = "began", "ended"


class PackedAnswers(Protocol):
    """Answers of one query on their way out."""

    @property
    def query(self) -> str:
        """The predicate."""

    def __len__(self) -> int: ...

    def to_bytes(self) -> bytes:
        """The answers as bytes."""


@dataclass(frozen=True)
class Answers:
    """The answers of one query for the stretch of time that has become complete; ``change`` for beginnings and ends."""

    packet: Packet
    change: str | None = None

    @property
    def query(self) -> str:
        """The predicate."""
        return self.packet.predicate

    def __len__(self) -> int:
        return len(self.packet)

    def to_bytes(self) -> bytes:
        """The answers as bytes."""
        return pack(KIND, {**self.packet.header(), "change": self.change}, [self.packet.to_table()])

    @classmethod
    def of_bytes(cls, data: bytes) -> Answers:
        """The answers of :meth:`to_bytes`."""
        header, tables = unpack(KIND, data)
        with reading():
            (table,) = tables
            if header["change"] not in (None, BEGAN, ENDED):
                raise damaged("answers are neither beginnings nor ends")
            return cls(Packet.of_table(header, table), header["change"])


@dataclass(frozen=True)
class Progress:
    """Where a shard stands after a batch, for people and for metrics.

    ``denominator`` is that of the tick which the times of the facts need; ``domain`` the number of different values in
    the facts held, None where it was not counted; ``divisions`` those by zero, by the number of the rule; ``dropped``
    counts the open answers that were given up so far.
    """

    stage: int
    shard: int
    rows: int
    late: int
    answers: int
    stored_window: int
    stored_history: int
    waiting: int
    values: int
    newest: str | None
    before: str | None
    denominator: int = 1
    domain: int | None = None
    divisions: Mapping[int, int] = field(default_factory=dict)
    dropped: int = 0


@dataclass(frozen=True)
class Kept:
    """Facts that came in time, each in one shard only; ``until`` is the latest end of those that have one."""

    packet: Packet
    until: Endpoint

    @property
    def summary(self) -> str:
        """How many, until when those with an end hold, and whether there are others."""
        endless = bool((self.packet.end == POSITIVE_INFINITY).any())
        return f"{len(self.packet)} {format_endpoint(self.until)} {'endless' if endless else ''}"

    def to_bytes(self) -> bytes:
        """The facts as bytes, to be read by :meth:`Answers.of_bytes`."""
        return Answers(self.packet).to_bytes()


@dataclass(frozen=True)
class Outcome:
    """What leaves a shard after a batch; ``kept`` only where evidence is wanted."""

    answers: tuple[PackedAnswers, ...] = ()
    late: tuple[Packet, ...] = ()
    onward: tuple[Parcel, ...] = ()
    progress: Progress | None = None
    kept: tuple[Kept, ...] = ()


class AnyShard(Logged):
    """What the parcels of one shard go to, batch by batch."""

    number: int

    @abstractmethod
    def background(self, parcels: Sequence[Parcel]) -> None:
        """Take in facts that are there before the stream begins."""

    @abstractmethod
    def process(self, parcels: Sequence[Parcel]) -> Outcome:
        """One batch."""


@dataclass
class Shard(AnyShard):
    """A window, and how far time has come.

    The present moves by the data (our own frontier): when the newest fact of the whole stream starts at τ, nothing
    that starts before τ − delay may still come, and all answers before then are due. Later ones are late.
    """

    pipeline: Pipeline
    stage_number: int
    number: int
    newest: Fraction | None = None
    before: Endpoint = -math.inf
    log: ShardLog = field(default_factory=ShardLog)

    def __post_init__(self) -> None:
        self.stage = self.pipeline.stages[self.stage_number]
        self.window = self.pipeline.window(self.stage)
        self._known_until: dict[str, int] = {}
        if self.pipeline.changes:
            self.window.beside = {name: empty(self._arity(name)) for name in self.stage.answers}

    def background(self, parcels: Sequence[Parcel]) -> None:
        """Take in facts that are there before the stream begins."""
        self._take_in([packet for packet in packets_of(parcels) if packet.stage == self.stage_number])

    def process(self, parcels: Sequence[Parcel]) -> Outcome:
        """One batch: take in its facts, advance as far as they allow, hand on what has become complete."""
        self.window.forget_nulls()
        packets, late = self._in_time(packets_of(parcels))
        self._take_in([packet for packet in packets if packet.stage == self.stage_number])
        times = tuple(time for parcel in parcels for time in parcel.times)
        self._note_times(times)
        self.newest = latest([*parcels, Parcel(newest=self.newest)])
        before = self._due(parcels)
        derived = self._advance(before)
        answers = tuple(self._answers(derived))
        onward = [packet for packet in packets if packet.stage > self.stage_number]
        is_final = any(parcel.is_final for parcel in parcels)
        return Outcome(
            answers,
            tuple(late),
            tuple(self._onward(derived, onward, is_final, times)),
            self._progress(parcels, late, answers),
            tuple(self._kept(packets)) if self.pipeline.keeps_evidence else (),
        )

    def _kept(self, packets: Iterable[Packet]) -> Iterator[Kept]:
        """What came in time, as the first stage sees it; of facts that go to several shards, one copy."""
        for packet in packets:
            if self.stage_number == 0 and packet.reports and len(packet):
                yield Kept(packet, holds_until(packet, self.pipeline.program.timeline))

    def _in_time(self, packets: Iterable[Packet]) -> tuple[list[Packet], list[Packet]]:
        """The facts that come in time, and those that do not; only the first stage sees facts as they arrive."""
        if self.stage_number or self.before == -math.inf:
            return list(packets), []
        timely, late = [], []
        for packet in packets:
            is_late = starts_before(packet, self.before, self.pipeline.program.timeline)
            if not is_late.any():
                timely.append(packet)
                continue
            timely.append(packet.take(~is_late))
            late += [packet.take(is_late)] if packet.reports else []
        return timely, late

    def _take_in(self, packets: Sequence[Packet]) -> None:
        self.window.fit_tick({packet.tick.denominator for packet in packets})
        arrived: dict[str, list[Relation]] = {}
        for packet in packets:
            relation = packet.relation(self.window.values, self.window.ticks)
            arrived.setdefault(packet.predicate, []).append(relation)
        self.window.take_in({name: concat(parts, parts[0].arity) for name, parts in arrived.items()})

    def _note_times(self, times: Sequence[Fraction]) -> None:
        if times:
            self.window.fit_tick({time.denominator for time in times})
            self.window.note_data_times([np.array([self.window.code(time) for time in times], dtype=np.int64)])

    def _due(self, parcels: Sequence[Parcel]) -> Endpoint:
        """The time before which no fact is missing any more, in this batch."""
        if self.stage_number:
            return minimum(parcel.before for parcel in parcels)
        if any(parcel.is_final for parcel in parcels):
            return math.inf
        return -math.inf if self.newest is None else self.newest - self.pipeline.delay

    def _advance(self, before: Endpoint) -> dict[str, Relation]:
        """Move the window; returns what is now complete, without what other shards report too."""
        self.before = max(self.before, before)
        stop = self._stop(self.before)
        self._known_until = {name: self.window.answered_until(name) for name in self.stage.answers}
        if stop is None or stop <= self.window.now:
            return {name: empty(self._arity(name)) for name in self.stage.wanted}
        moved = self.window.move(stop)
        joined = {name: self.window.joined(name, [moved[name]]) for name in self.stage.wanted}
        return {name: self.stage.own(name, joined[name], self.window.values, self.number) for name in joined}

    def _stop(self, before: Endpoint) -> int | None:
        """The last code before a time, as far as this stage's input is complete then."""
        if before == -math.inf:
            return None
        last = POSITIVE_INFINITY if isinstance(self.pipeline.end, float) else self._code(self.pipeline.end)
        return last if isinstance(before, float) else min(last, self._code(before - self.stage.lag) - 1)

    def _arity(self, name: str) -> int:
        return self.pipeline.program.signatures[name].arity

    def _code(self, time: Fraction) -> int:
        self.window.fit_tick({time.denominator})
        return self.window.code(time)

    def _answers(self, derived: Mapping[str, Relation]) -> Iterator[Answers]:
        for name in self.stage.answers:
            if not self.pipeline.changes:
                yield from self._packed(name, derived[name], None)
                continue
            until = self.window.answered_until(name)
            found = changes(self.window.beside[name], derived[name], self._known_until[name], until)
            self.window.beside[name] = found.going_on
            yield from self._packed(name, found.began, BEGAN)
            yield from self._packed(name, found.ended, ENDED)

    def _packed(self, name: str, relation: Relation, change: str | None) -> Iterator[Answers]:
        if len(relation):
            yield Answers(self._packet(name, relation), change)

    def _packet(self, name: str, relation: Relation) -> Packet:
        return Packet.of_relation(name, relation, self.window.values, self.window.ticks)

    def _onward(
        self, derived: Mapping[str, Relation], transit: list[Packet], is_final: bool, times: tuple[Fraction, ...]
    ) -> Iterator[Parcel]:
        """A parcel for every shard of the next stage, empty or not: each must learn how far time has come."""
        if self.stage_number + 1 == len(self.pipeline.stages):
            return
        fed = [replace(self._packet(name, derived[name]), stage=stage) for name, stage in self.stage.feeds]
        for packets in self.pipeline.route([*fed, *transit], self.stage_number, self.number):
            yield Parcel(tuple(packets), None, self.before, is_final, 0, times)

    def _progress(self, parcels: Sequence[Parcel], late: Sequence[Packet], answers: Sequence[Answers]) -> Progress:
        stored = self.window.stored
        divisions, self.window.divisions_by_zero = self.window.divisions_by_zero, {}
        return Progress(
            stage=self.stage_number,
            shard=self.number,
            rows=sum(parcel.rows for parcel in parcels),
            late=sum(map(len, late)),
            answers=sum(map(len, answers)),
            stored_window=stored.window,
            stored_history=stored.history,
            waiting=self.window.waiting,
            values=len(self.window.values),
            newest=None if self.newest is None else str(self.newest),
            before=None if self.before == -math.inf else format_endpoint(self.before),
            denominator=self.window.ticks.tick.denominator,
            domain=self.window.domain_size,
            divisions=self.stage.own_divisions(divisions, self.number),
        )

    @property
    def values(self) -> Values:
        """The values of the window."""
        return self.window.values

    def state(self) -> State:
        """The window, and how far time has come."""
        relations = {
            name: Held(relation, *self.window.reach(name))
            for name, relation in self.window.held().items()
            if name != "now"
        }
        relations["T"] = Held(_apart(relations["T"].relation))
        rest: dict[str, Any] = {
            "now": self.window.now,
            "newest": None if self.newest is None else str(self.newest),
            "before": format_endpoint(self.before),
        }
        return State(relations, self.window.values, self.window.ticks.tick, rest)

    def hold(self, state: State) -> None:
        """Go on from a state."""
        held = {name: each.relation for name, each in state.relations.items()}
        held["T"] = Relation((), held["T"].start, held["T"].end)
        said = state.rest["now"], state.rest["newest"], state.rest["before"]
        if type(said[0]) is not int or abs(said[0]) > POSITIVE_INFINITY:
            raise damaged("it does not say which time it is")
        now = np.array([said[0]], dtype=np.int64)
        newest, before = None if said[1] is None else exact(said[1]), exact_endpoint(said[2])
        self.window.hold({**held, "now": Relation((), now, now)}, state.values, state.tick)
        self.newest, self.before = newest, before


def _apart(times: Relation) -> Relation:
    """Time points with themselves as arguments, so that neighbours do not become one interval in the log."""
    return Relation((times.start * 2,), times.start, times.end)


def starts_before(packet: Packet, time: Endpoint, timeline: Timeline) -> Bools:
    """Which facts of a packet start before a time."""
    if isinstance(time, float):
        return np.full(len(packet), time > 0)
    per_tick = 2 if timeline is Timeline.RATIONAL else 1
    late: Bools = packet.start < math.ceil(time / packet.tick) * per_tick
    return late
