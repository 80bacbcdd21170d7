"""What a user asks of a program's answers, and the times that follow from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from thalweg.engine.answers.mode import Mode, Reading
from thalweg.engine.limits import DEFAULT_MAX_ROUNDS, Limits
from thalweg.engine.memory_limit import DEFAULT_MEMORY, Memory
from thalweg.errors import UsageError
from thalweg.model.program import Program
from thalweg.plan.stretch import Stretch
from thalweg.time.interval import Endpoint, format_endpoint, format_rational
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class Request:
    """Which answers are wanted, and what of them.

    Rules are satisfied at all time points from ``start`` to ``end``, or only ``at`` one when the reading is that of the
    evaluation time. Otherwise ``at`` asks for what holds then. ``queries`` are the predicates asked for.
    """

    mode: Mode
    queries: tuple[str, ...]
    reading: Reading = Reading.ALL_TIMES
    at: Fraction | None = None
    start: Endpoint = -math.inf
    end: Endpoint = math.inf
    limit: int | None = None
    max_rounds: int = DEFAULT_MAX_ROUNDS
    memory: Memory = DEFAULT_MEMORY

    @property
    def limits(self) -> Limits:
        """How far reasoning goes."""
        return Limits(self.max_rounds, memory=self.memory)

    def __post_init__(self) -> None:
        if self.reading is Reading.EVALUATION_TIME and self.at is None:
            raise UsageError("the reading evaluation-time needs the time: at=T, or --at T on the command line")
        if self.at is not None and not self.start <= self.at <= self.end:
            raise UsageError(f"the time {format_rational(self.at)} lies outside the stretch that is asked for")

    def check_times(self, program: Program) -> None:
        """Raise :class:`UsageError` when the time asked about is none of the program's."""
        if self.at is None:
            return
        low, high = program.bounds
        if not low <= self.at <= high:
            ends = f"from {format_endpoint(low)} to {format_endpoint(high)}"
            raise UsageError(f"the time {format_rational(self.at)} is not on the timeline, which goes {ends}")
        if program.timeline is Timeline.INTEGER and self.at.denominator != 1:
            raise UsageError(f"the time {format_rational(self.at)} is not on the integer timeline")

    def held(self, program: Program) -> Stretch:
        """Where atoms can hold that rules derive."""
        low, high = program.bounds
        return Stretch(max(low, self.start), min(high, self.end))

    def firing(self, program: Program) -> Stretch:
        """Where rules are satisfied."""
        if self.reading is Reading.ALL_TIMES or self.at is None:
            return self.held(program)
        return Stretch(self.at, self.at)

    def reported(self, program: Program) -> Stretch:
        """Where it matters what holds."""
        if self.reading is Reading.EVALUATION_TIME or self.at is None:
            return self.held(program)
        return Stretch(self.at, self.at)
