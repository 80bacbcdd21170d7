"""A query for hypothetical answers as a pipeline of one stage."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from thalweg.analysis.hypotheses.patterns import Unfolding
from thalweg.analysis.hypotheses.promises import promises
from thalweg.analysis.hypotheses.query import check_query
from thalweg.analysis.hypotheses.shard_key import shard_by
from thalweg.analysis.hypotheses.unfold import unfold
from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.pruning import Pruning
from thalweg.engine.hypotheses.reasoner import HypothesisReasoner
from thalweg.engine.limits import NO_LIMITS, Limits
from thalweg.engine.packets import Packet
from thalweg.engine.pipeline import Pipeline, PipelineStage
from thalweg.errors import UsageError
from thalweg.model.program import Program
from thalweg.syntax.ast import Role
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY


@dataclass(frozen=True)
class HypothesisPipeline(Pipeline):
    """One stage, whose shards wait for what the unfolded query waits for."""

    unfolding: Unfolding = field(kw_only=True)
    otherwise: int = 0
    pruning: Pruning = field(default_factory=Pruning)

    @property
    def look_ahead(self) -> Fraction:
        """Answers say themselves when they are decided."""
        return Fraction(0)

    def reasoner(self) -> HypothesisReasoner:
        """That of a shard, before anything has come."""
        return HypothesisReasoner(self.unfolding, Values(), otherwise=self.otherwise, pruning=self.pruning)

    def _latest(self, packet: Packet) -> Fraction | None:
        """The last time point of what the query waits for; what holds always says nothing of the present."""
        if packet.predicate not in self.readers or packet.predicate in self.program.background:
            return None
        ends = np.where(packet.end == POSITIVE_INFINITY, packet.start, packet.end)
        finite = ends[ends != NEGATIVE_INFINITY]
        return self.time_of(int(finite.max()), packet) if len(finite) else None


def make_hypothesis_pipeline(
    program: Program,
    query: str,
    shards: int,
    *,
    depth: int | None = None,
    delay: Fraction = Fraction(0),
    pruning: Pruning | None = None,
    limits: Limits = NO_LIMITS,
) -> HypothesisPipeline:
    """The pipeline of a query; raises :class:`ProgramError` where hypotheses cannot be made for it."""
    query = check_query(program, query)
    unfolding = unfold(program, query, depth)
    otherwise = whole_delay(delay)
    promises(unfolding, otherwise)
    sharding = shard_by(unfolding)
    stage = PipelineStage(
        0,
        replace(program, facts=()),
        1 if sharding.position is None else shards,
        sharding.keys,
        frozenset(),
        (query,),
        (),
    )
    return HypothesisPipeline(
        program,
        (stage,),
        dict.fromkeys(unfolding.inputs(), (0,)),
        delay,
        limits=limits,
        unfolding=unfolding,
        otherwise=otherwise,
        pruning=pruning or Pruning(),
    )


def whole_delay(delay: Fraction) -> int:
    """A delay for the integer timeline."""
    if delay.denominator != 1 or delay < 0:
        raise UsageError(f"a delay of {delay}: time points are whole numbers, so that delays are too")
    return int(delay)


def with_static(program: Program, predicates: Collection[str]) -> Program:
    """The program with predicates whose facts are all known, and hold always, as background."""
    signatures = {
        name: replace(signature, role=Role.BACKGROUND) if name in predicates else signature
        for name, signature in program.signatures.items()
    }
    return replace(program, signatures=signatures) if predicates else program
