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


class Simulation:
    """The shards of a streaming pipeline; ``restarts`` makes each forget itself and read its log before a batch."""

    def __init__(self, pipeline, restarts=False):
        self.pipeline = pipeline
        self.restarts = restarts
        self.shards = [[Shard(pipeline, s.number, n) for n in range(s.shards)] for s in pipeline.stages]
        self.logs = [[[] for _ in stage] for stage in self.shards]
        self.outcomes = []

    def background(self, facts):
        """Take in facts before the stream begins."""
        sent = self._packed([facts], False)
        for shard, boxes in zip(self.shards[0], sent, strict=True):
            shard.background(boxes)

    def batch(self, *tasks, final=False):
        """One batch, read by several tasks; returns the outcomes of all shards."""
        found = []
        sent = self._packed(tasks or [()], final)
        for stage, shards in enumerate(self.shards):
            onward = []
            for number, boxes in enumerate(sent):
                if self.restarts and self.logs[stage][number]:
                    shards[number] = Shard(self.pipeline, stage, number)
                    shards[number].read(self.logs[stage][number])
                outcome = shards[number].process([Parcel.of_bytes(box.to_bytes()) for box in boxes])
                log = self.logs[stage][number]
                if len(log) % 4 == 3:
                    log[:] = [shards[number].base()]
                else:
                    log.append(shards[number].change())
                found.append(outcome)
                onward.append(outcome.onward)
            sent = list(zip(*onward, strict=True))
        self.outcomes += found
        return found

    def answers(self):
        """Everything answered so far."""
        return joined(self.pipeline.program, self.outcomes)

    def _packed(self, tasks, final):
        """For every shard of the first stage a parcel from every task."""
        sent = []
        for number, facts in enumerate(tasks):
            batches = program_batches(replace(self.pipeline.program, facts=tuple(facts)))
            packets = [pack_batch(batch, self.pipeline.program) for batch in batches]
            sent.append(parcels(self.pipeline, packets, rows=len(facts), is_final=final and number == 0))
        return list(zip(*sent, strict=True))


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
