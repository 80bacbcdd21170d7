"""A query for hypothetical answers over DataFrames as one Spark query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from thalweg.engine.hypotheses.pipeline import HypothesisPipeline, make_hypothesis_pipeline, with_static
from thalweg.engine.hypotheses.pruning import Pruning
from thalweg.engine.hypotheses.shard import HypothesisShard, run_all
from thalweg.engine.parcels import Parcel
from thalweg.engine.pipeline import Pipeline
from thalweg.engine.shard import AnyShard, Outcome
from thalweg.model.fingerprint import fingerprint
from thalweg.spark.reasoning import Reasoning
from thalweg.spark.status_columns import StatusColumns


@dataclass(frozen=True)
class Asked:
    """What a user may choose for hypothetical answers; see :func:`thalweg.spark.hypotheses`."""

    depth: int | None = None
    pruning: Pruning = field(default_factory=Pruning)


@dataclass(frozen=True)
class HypothesisReasoning(Reasoning):
    """A run that is planned and checked. ``options.delay`` is for predicates that declare none."""

    asked: Asked = field(default_factory=Asked)

    make_shard: ClassVar[Callable[[Pipeline, int, int], AnyShard]] = HypothesisShard
    run_batch: ClassVar[Callable[[Pipeline, int, int, Sequence[Parcel]], Outcome]] = staticmethod(run_all)

    @property
    def query(self) -> str:
        """The only query."""
        (query,) = self.queries
        return query

    @cached_property
    def pipeline(self) -> HypothesisPipeline:
        """One stage; tables without time are background, since they hold always."""
        always = [each.table.predicate for each in self.inputs if each.table and not each.table.time_types]
        return make_hypothesis_pipeline(
            with_static(self.program, always),
            self.query,
            self.shards,
            depth=self.asked.depth,
            delay=self.options.delay,
            pruning=self.asked.pruning,
            limits=self.limits,
        )

    @cached_property
    def status_columns(self) -> StatusColumns:
        """The columns of the answers."""
        query = self.query
        return StatusColumns.of(query, self.program.signatures[query], self.argument_types[query], self.clock)

    @property
    def columns(self) -> Mapping[str, StatusColumns]:
        """The same, by query."""
        return {self.query: self.status_columns}

    @property
    def form(self) -> str:
        """In which form answers are given: what a checkpoint must agree on."""
        pruning = self.asked.pruning
        chosen = {
            "depth": self.asked.depth,
            "min-confidence": None if pruning.least <= 0 else pruning.least,
            "max-open": pruning.most,
        }
        said = [f"{name} {value}" for name, value in chosen.items() if value is not None]
        return " ".join(["hypotheses", *(f"({', '.join(said)})" for _ in said[:1])])

    @cached_property
    def identity(self) -> str:
        """What must be the same for a checkpoint to make sense."""
        return fingerprint(super().identity, self.form)
