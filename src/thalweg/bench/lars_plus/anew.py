"""A window of a stream chased from scratch, with a plan made for the occasion or made beforehand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeVar
from unittest.mock import patch

import numpy as np

import thalweg
from thalweg.bench.lars_plus.scenarios import Scenario
from thalweg.bench.repeat import Timing, once
from thalweg.columnar.relation import Relation
from thalweg.columnar.shift import clip
from thalweg.columnar.values import Value, Values
from thalweg.engine import materialise as batch
from thalweg.engine.intake import Intake, program_batches
from thalweg.engine.limits import NO_LIMITS
from thalweg.model.fold import fold
from thalweg.plan.plan import make_plan
from thalweg.syntax.fact_batch import FactBatch
from thalweg.time.ticks import Ticks

T = TypeVar("T")
Facts = set[tuple[str, tuple[Value, ...]]]


@dataclass(frozen=True)
class Derived:
    """What was derived, on an integer timeline."""

    relations: Mapping[str, Relation]
    values: Values

    def count(self) -> int:
        """How many facts there are, each counted at each of its time points."""
        return sum(int((relation.end - relation.start + 1).sum()) for relation in self.relations.values())

    def count_at(self, time: int) -> int:
        """How many facts hold at a time point."""
        return sum(len(clip(relation, time, time)) for relation in self.relations.values())

    def facts_at(self, time: int) -> Facts:
        """The facts at a time point; slow where there are many nulls."""
        then = {name: clip(relation, time, time) for name, relation in self.relations.items()}
        codes = np.unique(np.concatenate([column for relation in then.values() for column in relation.columns]))
        meant = dict(zip(codes.tolist(), self.values.distinct(codes), strict=True))
        return {
            (name, tuple(meant[code] for code in row))
            for name, relation in then.items()
            for row in zip(*(column.tolist() for column in relation.columns), strict=True)
        }


@dataclass(frozen=True)
class Chased:
    """What a chase took, as called and by evaluation alone, and what came of it."""

    called: Timing
    evaluation: Timing
    derived: Derived


def chase(scenario: Scenario, first: int, last: int) -> Chased:
    """Chase the facts from one time point to another.

    *As called* is :func:`thalweg.materialise`, from facts that have been read: they are coded, and a plan is made.
    *Evaluation* is the application of the rules to facts that have been coded, by the same plan.
    """
    facts = scenario.facts(first, last)
    with planned_once():
        called, _ = once(lambda: thalweg.materialise(scenario.program, facts, end=last, queries=scenario.queries))
        evaluation, derived = _evaluated(scenario, facts, last)
    return Chased(called, evaluation, derived)


def _evaluated(scenario: Scenario, facts: list[FactBatch], last: int) -> tuple[Timing, Derived]:
    values, ticks, program = Values(), Ticks(scenario.program.timeline), scenario.program
    given = Intake(values, ticks).relations([*program_batches(program), *facts])
    timing, relations = once(
        lambda: batch.saturated(
            program, given, values, ticks, start=-math.inf, end=last, wanted=scenario.queries, limits=NO_LIMITS
        )
    )
    return timing, Derived(relations, values)


def planned_once() -> AbstractContextManager[object]:
    """Batch reasoning for one program and one stretch of time: the first plan serves again."""
    return patch.multiple(batch, fold=_first_result(fold), make_plan=_first_result(make_plan))


def _first_result(function: Callable[..., T]) -> Callable[..., T]:
    results: list[T] = []

    def remembering(*arguments: object, **options: object) -> T:
        if not results:
            results.append(function(*arguments, **options))
        return results[0]

    return remembering
