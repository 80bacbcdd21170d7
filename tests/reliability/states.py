"""State of every kind that outlives a process or leaves it, with how to read it back and go on with it."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

import thalweg
from thalweg.analysis.sharding import plan_shards
from thalweg.columnar.values import Values
from thalweg.engine.frames import pack, unpack
from thalweg.engine.hypotheses.pipeline import make_hypothesis_pipeline
from thalweg.engine.hypotheses.shard import HypothesisShard
from thalweg.engine.hypotheses.status_rows import StatusRows
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.engine.intake import program_batches
from thalweg.engine.packets import Column, Packet
from thalweg.engine.packing import pack_batch, parcels
from thalweg.engine.parcels import Parcel
from thalweg.engine.pipeline import make_pipeline
from thalweg.engine.shard import Answers, Shard
from thalweg.engine.stream import StreamReasoner
from thalweg.spark.operator import Head
from thalweg.time.ticks import Ticks
from thalweg.time.timeline import Timeline

METRIC = """
input P(string, integer). input R(any). background B(string). output Ever. output Now. output On.
Ever(X) :- diamondminus[0,inf) P(X, Y), B(X).
Now(X) :- boxminus[0,2] diamondminus[0,1] P(X, Y), Y > 1.
On(X) :- P(X, Y) since[0,inf) R(X).
B("b, c"). B(a).
"""
METRIC_FACTS = [
    'P(a,1)@0\nP("b, c",7)@[1/3,2)\nR(a)@0\nR(2.5)@1',
    "P(a,3)@[2.5,6)\nR(é)@3\nP(z,9)@40",
    "P(a,-4)@[41,inf)\nP(a,2)@(42,45)\nP(z,9)@46",
]

WINDOWS = """
timeline integer.
input P(string). output Last. output Sum.
Last(X) :- window[last 2 tuples] some P(X).
Sum(N) :- N = count { X : window[last 5] some P(X) }.
"""
EXISTENTIAL = """
timeline integer. input P(string). output Has.
exists Z: Has(X, Z) :- P(X).
exists W: Knows(Z, W) :- Has(X, Z), window[last 3] some P(X).
Has(W, X) :- Knows(X, W), P(a).
"""

TURBINES = """
timeline integer.
input Temp(turbine: string, level: string). input Off(turbine: string). background Known(string).
output Malf(turbine: string).
delay Temp(_, _) = 2. delay Off(_) = 1.
probability Temp(_, _) = 1/2.
Known(a). Known(b).
Flag(X) at T :- Temp(X, high) at T, Known(X).
Malf(X) at T :- Flag(X) at T, Flag(X) at T+1, Flag(X) at T+2, not Off(X) at T.
"""
TURBINE_FACTS = [
    "Temp(a,high)@11\nTemp(b,high)@11\nTemp(a,high)@10",
    "Temp(a,high)@12\nOff(b)@11",
    "Temp(a,high)@13\nTemp(b,high)@13",
]


@dataclass(frozen=True)
class Form:
    """Bytes of one kind; ``read`` goes on from them and gives what follows, ``expected`` is that without a break."""

    name: str
    kind: str
    data: bytes
    read: Any
    expected: Any

    def resigned(self, header=None, tables=None):
        """The bytes with another header or other tables, and a checksum that is right."""
        old, kept = unpack(self.kind, self.data)
        return pack(self.kind, old if header is None else header, kept if tables is None else tables)


def forms():
    """All kinds of state, by name."""
    found = [
        stream_form("metric stream", METRIC, ("Ever", "Now", "On"), METRIC_FACTS, [Fraction(3, 2), 6, 60]),
        stream_form("windows", WINDOWS, ("Last", "Sum"), ["P(a)@0\nP(b)@1", "P(c)@3\nP(a)@4", "P(d)@6"], [2, 5, 9]),
        stream_form("existential stream", EXISTENTIAL, ("Has",), ["P(a)@0", "P(b)@2\nP(a)@2", "P(c)@3"], [1, 2, 9]),
        hypothesis_form(),
        *shard_forms(),
        head_form(),
        parcel_form(),
        answers_form(),
    ]
    return {form.name: form for form in found}


def stream_form(name, text, queries, batches, times):
    def make():
        return StreamReasoner(thalweg.parse(text), queries)

    def go_on(reasoner):
        return reasoner.advance(batches[-1], times[-1]).to_text().splitlines()

    def read(data):
        again = make()
        again.restore(data)
        return go_on(again)

    reasoner = make()
    for facts, time in zip(batches[:-1], times[:-1], strict=True):
        reasoner.advance(facts, time)
    return Form(name, "snapshot", reasoner.snapshot(), read, go_on(reasoner))


def hypothesis_form():
    def make():
        return HypothesisStream(thalweg.parse(TURBINES), "Malf", delay=1, max_open=4)

    def go_on(stream):
        told = [stream.open(), stream.advance(TURBINE_FACTS[-1]), stream.finish()]
        return [sorted(each.lines()) for each in told]

    def read(data):
        again = make()
        again.restore(data)
        return go_on(again)

    stream = make()
    for facts in TURBINE_FACTS[:-1]:
        stream.advance(facts)
    return Form("hypotheses", "shard", stream.snapshot(), read, go_on(stream))


def facts_as_parcel(pipeline, text):
    program = pipeline.program
    packets = [
        pack_batch(batch, program)
        for batch in program_batches(thalweg.parse(f"{declarations(program)} {text}"))
        if batch.predicate in pipeline.readers
    ]
    (parcel,) = parcels(pipeline, packets, rows=len(packets))
    return parcel


def declarations(program):
    return "timeline integer." if program.timeline is Timeline.INTEGER else ""


def shard_forms():
    program = thalweg.parse(METRIC)
    metric = make_pipeline(program, plan_shards(program, ["Now", "On"]), 1, streaming=True)
    yield from _shard("shard", metric, Shard, METRIC_FACTS)
    turbines = make_hypothesis_pipeline(thalweg.parse(TURBINES), "Malf", 1)
    yield from _shard("hypothesis shard", turbines, HypothesisShard, TURBINE_FACTS)


def _shard(name, pipeline, kind, batches):
    batches = [f"{'Known(a). ' if number == 0 else ''}{dotted(each)}" for number, each in enumerate(batches)]
    if kind is Shard:
        batches = [dotted(each) for each in METRIC_FACTS]

    def go_on(shard):
        outcome = shard.process([facts_as_parcel(pipeline, batches[2])])
        return [_shown(answers) for answers in outcome.answers]

    def read(segments):
        again = kind(pipeline, 0, 0)
        again.read(segments)
        return go_on(again)

    shard = kind(pipeline, 0, 0)
    shard.process([facts_as_parcel(pipeline, batches[0])])
    base = shard.base()
    shard.process([facts_as_parcel(pipeline, batches[1])])
    change = shard.change()
    skipped = kind(pipeline, 0, 0)
    skipped.process([facts_as_parcel(pipeline, batches[0])])
    yield Form(f"{name} base", "shard", base, lambda data: read([data]), go_on(skipped))
    yield Form(f"{name} change", "shard", change, lambda data: read([base, data]), go_on(shard))


def dotted(lines):
    return "".join(f"{line}. " for line in lines.splitlines())


def _shown(answers):
    if isinstance(answers, StatusRows):
        return [answers.query, sorted(str(row) for row in answers.rest.to_pylist())]
    packet = answers.packet
    return [
        packet.predicate,
        [c.texts().to_pylist() for c in packet.columns],
        packet.start.tolist(),
        packet.end.tolist(),
    ]


def head_form():
    head = Head("0" * 64, ["a", "b"], [[0, 1, 200], [1, 16, 300]], 17, 12)
    return Form("head", "head", head.to_bytes(), lambda data: asdict(Head.of_bytes(data)), asdict(head))


def packet():
    values = ["a", "b, c", Fraction(5, 2)]
    mixed = Column.of_values(values, np.array([0, 1, 2, 1]))
    texts = Column.of_values(["x", "y"], np.array([0, 1, 1, 0]))
    numbers = Column("integer", pa.array([1, -2, 3, 4]))
    return Packet("P", (mixed, texts, numbers), np.array([0, 2, 4, 6]), np.array([0, 3, 4, 9]), Fraction(1, 3))


def parcel_form():
    parcel = Parcel((packet(), packet()), Fraction(7, 3), None, False, 8, (Fraction(1, 3),))

    def shown(found):
        values = Values()
        relations = [each.relation(values, Ticks(Timeline.RATIONAL, each.tick)) for each in found.packets]
        rest = [str(found.newest), str(found.before), found.is_final, found.rows, [str(time) for time in found.times]]
        return [[[c.tolist() for c in each.columns] for each in relations], [*map(str, values.entries())], rest]

    data = parcel.to_bytes()
    return Form("parcel", "parcel", data, lambda data: shown(Parcel.of_bytes(data)), shown(parcel))


def answers_form():
    answers = Answers(packet(), "began")
    return Form("answers", "answers", answers.to_bytes(), lambda data: _shown(Answers.of_bytes(data)), _shown(answers))


def status_bytes():
    """Answers with their status on their way out of a shard."""
    pipeline = make_hypothesis_pipeline(thalweg.parse(TURBINES), "Malf", 1)
    shard = HypothesisShard(pipeline, 0, 0)
    outcome = shard.process(
        [facts_as_parcel(pipeline, "Known(a). Known(b). " + TURBINE_FACTS[0].replace("\n", ". ") + ".")]
    )
    (rows,) = outcome.answers
    assert isinstance(rows, StatusRows)
    return rows.to_bytes()
