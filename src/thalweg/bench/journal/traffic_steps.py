"""A traffic stream, one time point at a time: what arrived, what was held, how long it took, which answers came."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from thalweg.bench.journal.traffic_streams import Answers, Arrival, TrafficStream
from thalweg.engine.stream import StreamReasoner
from thalweg.model.program import Program

Floats = npt.NDArray[np.float64]

QUERY = "ShortStop"


@dataclass
class Steps:
    """By time point; ``seconds`` has a list for each run, and ``processor`` the processor time of each run.

    ``wrong`` counts answers missed or made up; None where none were found by hand.
    """

    name: str
    span: int
    times: list[int] = field(default_factory=list)
    facts: list[int] = field(default_factory=list)
    stored: list[int] = field(default_factory=list)
    answers: int = 0
    wrong: int | None = None
    seconds: list[list[float]] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    @property
    def typical(self) -> Floats:
        """The median time of each step."""
        found: Floats = np.median(np.array(self.seconds), axis=0)
        return found

    @property
    def worst(self) -> float:
        """The longest step of all runs."""
        return max(map(max, self.seconds))

    @property
    def rate(self) -> float:
        """Facts a second of processor time."""
        return sum(self.facts) / float(np.median(self.processor))

    @property
    def evenness(self) -> Floats:
        """Stored facts for each fact that arrived within the window, after the first window."""
        times, facts, stored = (np.array(column) for column in (self.times, self.facts, self.stored))
        counted = np.concatenate([[0], np.cumsum(facts)])
        first = np.searchsorted(times, times - self.span)
        arrived = counted[1:] - counted[first]
        found: Floats = (stored / arrived)[times > times[0] + self.span]
        return found

    def as_json(self) -> dict[str, Any]:
        return {"times": self.times, "facts": self.facts, "stored": self.stored, "seconds": self.seconds}


def follow(stream: TrafficStream, program: Program, repetitions: int) -> Steps:
    """Answer the query from the first time point to the last, several times over."""
    expected = stream.expected(program)
    if repetitions == 1:  # it may be too large to be held as a whole
        return _once(stream.name, stream.arrivals(program), program, expected)
    arrivals = list(stream.arrivals(program))
    steps = _once(stream.name, arrivals, program, expected)
    for _ in range(repetitions - 1):
        again = _once(stream.name, arrivals, program, expected)
        steps.seconds += again.seconds
        steps.processor += again.processor
    return steps


def _once(
    name: str, arrivals: Iterable[Arrival], program: Program, expected: Mapping[Fraction, Answers] | None
) -> Steps:
    reasoner = StreamReasoner(program, QUERY, "data")
    steps = Steps(name, int(reasoner.span))
    seconds, processor, wrong = [], 0.0, 0
    gc.collect()
    for now, facts in arrivals:
        begin, processor_begin = time.perf_counter(), time.process_time()
        answers = reasoner.advance(facts, now).table(QUERY)
        seconds.append(time.perf_counter() - begin)
        processor += time.process_time() - processor_begin
        steps.times.append(int(now))
        steps.facts.append(sum(map(len, facts)))
        steps.stored.append(reasoner.stored.total)
        steps.answers += len(answers)
        if expected is not None:
            wrong += len({*answers[0].to_pylist()} ^ expected.get(now, set()))
    steps.seconds, steps.processor = [seconds], [processor]
    steps.wrong = None if expected is None else wrong
    return steps
