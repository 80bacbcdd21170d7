"""A pipeline of shards in one process: the parcels that Spark would carry are handed over by hand."""

from dataclasses import replace

from thalweg.columnar.values import Values
from thalweg.engine.batch_shard import run_batch
from thalweg.engine.intake import program_batches
from thalweg.engine.packing import pack_batch, parcels
from thalweg.engine.parcels import Parcel
from thalweg.engine.shard import Shard
from thalweg.time.interval_set import IntervalSet
from thalweg.time.ticks import Ticks


class Logged:
    """A shard whose log outlives it, as in Spark.

    ``memory`` says what happens between batches: it ``stays``; it is lost, so that each batch reads the log
    (``lost``); or two processes take turns, each with what it remembers (``turns``).
    """

    def __init__(self, pipeline, stage, number, memory, kind=Shard):
        self.make = lambda: kind(pipeline, stage, number)
        self.memory = memory
        self.log, self.batches = [], 0
        self.copies = [self.make(), self.make()] if memory == "turns" else [self.make()]
        self.seen = [0] * len(self.copies)

    @property
    def shard(self):
        return self.copies[self.turn]

    @property
    def turn(self):
        return self.batches % len(self.copies)

    def process(self, parcels):
        self._recall()
        outcome = self.shard.process([Parcel.of_bytes(box.to_bytes()) for box in parcels])
        if len(self.log) % 4 == 3:
            self.log[:] = [self.shard.base()]
            self.seen = [0] * len(self.copies)
        else:
            self.log.append(self.shard.change())
        self.seen[self.turn] = len(self.log)
        self.batches += 1
        return outcome

    def background(self, parcels):
        self.shard.background(parcels)
        self.log.append(self.shard.change())
        self.seen[self.turn] = len(self.log)

    def _recall(self):
        seen, turn = self.seen[self.turn], self.turn
        if not self.log or (seen == len(self.log) and self.memory != "lost"):
            return
        if seen and self.memory == "turns":
            self.shard.catch_up(self.log[seen:])
        else:
            self.copies[turn] = self.make()
            self.shard.read(self.log)


class Simulation:
    """The shards of a streaming pipeline."""

    def __init__(self, pipeline, memory="stays", kind=Shard):
        self.pipeline = pipeline
        self.shards = [[Logged(pipeline, s.number, n, memory, kind) for n in range(s.shards)] for s in pipeline.stages]
        self.outcomes = []

    def background(self, facts):
        """Take in facts before the stream begins."""
        packets = self._packets(facts)
        newest = self.pipeline.newest(packets)
        routed = self.pipeline.route([part for packet in packets for part in self.pipeline.inputs(packet)], -1)
        for shard, part in zip(self.shards[0], routed, strict=True):
            shard.background([Parcel(tuple(part), newest)])

    def batch(self, *tasks, final=False):
        """One batch, read by several tasks; returns the outcomes of all shards."""
        found = []
        sent = self._packed(tasks or [()], final)
        for shards in self.shards:
            outcomes = [shard.process(boxes) for shard, boxes in zip(shards, sent, strict=True)]
            found += outcomes
            sent = list(zip(*(outcome.onward for outcome in outcomes), strict=True))
        self.outcomes += found
        return found

    def answers(self):
        """Everything answered so far."""
        return joined(self.pipeline.program, self.outcomes)

    def _packed(self, tasks, final):
        """For every shard of the first stage a parcel from every task."""
        sent = []
        for number, facts in enumerate(tasks):
            packets = self._packets(facts)
            sent.append(parcels(self.pipeline, packets, rows=len(facts), is_final=final and number == 0))
        return list(zip(*sent, strict=True))

    def _packets(self, facts):
        batches = program_batches(replace(self.pipeline.program, facts=tuple(facts)))
        return [pack_batch(batch, self.pipeline.program) for batch in batches]


def batch_answers(pipeline, facts):
    """The answers of a batch pipeline."""
    batches = program_batches(replace(pipeline.program, facts=tuple(facts)))
    packets = [pack_batch(batch, pipeline.program) for batch in batches]
    sent = [[box] for box in parcels(pipeline, packets, rows=len(facts))]
    outcomes = []
    for stage in pipeline.stages:
        found = [
            run_batch(pipeline, stage.number, number, [Parcel.of_bytes(box.to_bytes()) for box in boxes])
            for number, boxes in enumerate(sent)
        ]
        outcomes += found
        sent = list(zip(*(outcome.onward for outcome in found), strict=True))
    return joined(pipeline.program, outcomes)


def joined(program, outcomes):
    """The facts of all answers, their intervals joined."""
    found = {}
    for outcome in outcomes:
        for answers in outcome.answers:
            packet = answers.packet
            for key, interval in rows(program, packet):
                found.setdefault(key, []).append(interval)
    return {key: IntervalSet(tuple(held), program.timeline).intervals for key, held in found.items()}


def rows(program, packet):
    """The facts of a packet, one at a time."""
    values, ticks = Values(), Ticks(program.timeline, packet.tick)
    relation = packet.relation(values, ticks)
    columns = [values.decode(column) for column in relation.columns]
    for row in range(len(relation)):
        atom = packet.predicate, tuple(column[row] for column in columns)
        yield atom, ticks.decode(int(relation.start[row]), int(relation.end[row]))
