"""A program and its facts, ready to be answered."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values
from thalweg.engine.answers.overestimate import FIRING
from thalweg.engine.answers.request import Request
from thalweg.engine.materialise import codes_of, saturated
from thalweg.model.program import Program
from thalweg.plan.stretch import Stretch
from thalweg.time.ticks import Ticks


@dataclass(frozen=True)
class Task:
    """The facts are relations, with one table of values and one tick."""

    program: Program
    given: Mapping[str, Relation]
    values: Values
    ticks: Ticks
    request: Request

    def materialised(self, program: Program, stretch: Stretch, wanted: Collection[str]) -> dict[str, Relation]:
        """What a program made of the task's own derives from the facts, where its guarded rules may fire."""
        start, end = codes_of(self.request.firing(self.program), self.ticks)
        firing = Relation((), np.array([start]), np.array([end])).take(np.array([start <= end]))
        return saturated(
            program,
            {**self.given, FIRING: firing},
            self.values,
            self.ticks,
            start=stretch.low,
            end=stretch.high,
            wanted=wanted,
            limits=self.request.limits,
        )
