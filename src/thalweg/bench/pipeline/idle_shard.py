"""A shard that does not reason: it takes its parcels apart, writes as many bytes of state, and hands rows on.

What is left is the pipeline itself: reading, packing, shuffling, the stateful operator, the state store, unpacking.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from thalweg.engine.packets import Packet
from thalweg.engine.parcels import Parcel, packets_of
from thalweg.engine.pipeline import Pipeline
from thalweg.engine.shard import Answers, Outcome, Progress
from thalweg.spark.reasoning import Reasoning


@dataclass(frozen=True)
class Share:
    """What the reasoner made of its input, on average: answers for each row, bytes a shard writes for each batch."""

    answers_per_row: float
    written: int


def idle_reasoning(share: Share) -> type[Reasoning]:
    """The pipeline with idle shards."""

    class IdleShard:
        def __init__(self, pipeline: Pipeline, stage: int, number: int) -> None:
            self.pipeline, self.stage, self.number = pipeline, stage, number

        def background(self, parcels: Sequence[Parcel]) -> None:
            pass

        def process(self, parcels: Sequence[Parcel]) -> Outcome:
            return _handed_on(self.pipeline, self.stage, self.number, parcels)

        def change(self) -> bytes:
            return np.random.default_rng(self.number).bytes(share.written)

        base = change

        def read(self, segments: Iterable[bytes]) -> None:
            for _ in segments:
                pass

        catch_up = read

    def run(pipeline: Pipeline, stage: int, number: int, parcels: Sequence[Parcel]) -> Outcome:
        return _handed_on(pipeline, stage, number, parcels)

    def _handed_on(pipeline: Pipeline, stage: int, number: int, parcels: Sequence[Parcel]) -> Outcome:
        rows, answers = 0, []
        query = pipeline.queries[0]
        arity = pipeline.program.signatures[query].arity
        for packet in packets_of(parcels):
            rows += len(packet)
            # Again and again where there are more answers than rows.
            chosen = packet.take(np.arange(round(len(packet) * share.answers_per_row)) % max(len(packet), 1))
            answers.append(Answers(Packet(query, chosen.columns[:arity], chosen.start, chosen.end, chosen.tick)))
        count = sum(len(each.packet) for each in answers)
        progress = Progress(stage, number, rows, 0, count, 0, 0, 0, 0, None, None)
        return Outcome(tuple(answers), (), (), progress)

    class IdleReasoning(Reasoning):
        make_shard = cast(Any, IdleShard)
        run_batch = cast(Any, staticmethod(run))

    return IdleReasoning
