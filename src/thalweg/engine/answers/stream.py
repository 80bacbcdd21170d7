"""Answers as time advances: at every time point those of the stream's current window."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from thalweg.analysis.queries import check_queries
from thalweg.columnar.budget import resident
from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.shift import clip
from thalweg.columnar.values import Values
from thalweg.engine.answers.answer import Answers
from thalweg.engine.answers.decided import Lookup
from thalweg.engine.answers.find import answers_of
from thalweg.engine.answers.mode import Mode, Reading
from thalweg.engine.answers.overestimate import on_its_timeline
from thalweg.engine.answers.reach import reach_back
from thalweg.engine.answers.request import Request
from thalweg.engine.answers.task import Task
from thalweg.engine.compaction import compacted, is_due
from thalweg.engine.intake import Intake, check_batches, program_batches
from thalweg.engine.memory_limit import Size, limited, parse_memory
from thalweg.engine.read import Facts, read_facts_of
from thalweg.errors import DataError, Diagnostic, UsageError
from thalweg.model.program import Program
from thalweg.syntax.facts import FactBatch, format_value
from thalweg.time.interval import Endpoint
from thalweg.time.ticks import POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class AnswersAt:
    """The answers at a time point."""

    time: int
    answers: Answers


class AnswerStream:
    """The answers of a program at every time point, as time advances.

    At t the stream is cut to its current window: facts in [t − n, t] on a timeline of just these time points. What is
    reported holds at t in the answers of that; with the reading "evaluation-time" it is the whole answer at t. n is how
    far the rules reach back; ``window`` sets another, and must be given where they reach back without a bound. The
    first time point is ``start``, or that of the first fact.

    >>> import thalweg
    >>> rules = "timeline integer. Go :- Green, not Wait. Wait :- Green, not Go. bottom :- Go, diamondminus[1,1] Go."
    >>> stream = AnswerStream(thalweg.parse(rules, stratified=False), mode="brave", queries="Go")
    >>> for each in stream.advance("Green@[1,2]", to=2):
    ...     print(each.time, each.answers.to_text())
    1 Go@[1,1]
    2 Go@[2,2]
    """

    def __init__(
        self,
        program: Program,
        *,
        mode: str = "all",
        reading: str = "all-times",
        queries: str | Collection[str] | None = None,
        limit: int | None = None,
        window: int | None = None,
        start: int | None = None,
        max_memory: Size = None,
    ) -> None:
        if program.timeline is not Timeline.INTEGER:
            raise UsageError("answers at every time point need a timeline with time points: declare timeline integer.")
        self.program = program
        self.mode, self.reading = Mode.of(mode), Reading.of(reading)
        self.queries = program.predicates if queries is None else check_queries(program, queries)
        self.limit = limit
        self.window = _window(program, self.reading) if window is None else window
        self._values, self._ticks = Values(), Ticks(Timeline.INTEGER)
        self._given: dict[str, Relation] = {}
        self._waiting = program_batches(program)
        self._now = None if start is None else start - 1
        self._values_left = 0
        self._memory, self._base = parse_memory(max_memory), resident()

    @property
    def now(self) -> int | None:
        """The last time point that is answered; None before the first."""
        return self._now

    def advance(self, facts: Facts = (), *, to: int) -> list[AnswersAt]:
        """Take in facts, and answer the time points up to ``to``.

        Raises :class:`DataError` for facts that begin at time points already answered.
        """
        if self._now is not None and to <= self._now:
            raise UsageError(f"cannot advance to {to}: answers up to {self._now} are out")
        batches, problems = read_facts_of(self.program, facts)
        if problems:
            raise DataError(problems)
        self._forget_values()
        self._take_in(batches)
        return list(self._steps(to))

    def replay(self, batches: Sequence[FactBatch], until: int | None = None) -> Iterator[AnswersAt]:
        """Take in facts that are all there, and answer one time point after the other.

        Goes on to ``until``, or to the last time at which a fact begins or ends.
        """
        self._take_in(batches)
        yield from self._steps(self._last() if until is None else until)

    def _steps(self, to: int) -> Iterator[AnswersAt]:
        for time in self._due(to):
            yield AnswersAt(time, self._at(time))
            self._now = time
            self._forget(time)
        self._now = to

    def _take_in(self, batches: Sequence[FactBatch]) -> None:
        known = [batch for batch in (*self._waiting, *batches) if batch.predicate in self.program.signatures]
        problems = check_batches(self.program, known)
        if problems:
            raise DataError(problems)
        arrived = Intake(self._values, self._ticks).relations(known)
        for name, relation in arrived.items():
            self._refuse_late(name, relation)
        for name, relation in arrived.items():
            parts = [self._given[name], relation] if name in self._given else [relation]
            self._given[name] = concat(parts, relation.arity)
        self._waiting = []

    def _refuse_late(self, name: str, relation: Relation) -> None:
        if self._now is None or name in self.program.background:
            return
        late = np.flatnonzero(relation.start <= self._now)
        if len(late):
            row = int(late[0])
            values = ",".join(format_value(self._values.value(int(column[row]))) for column in relation.columns)
            when = self._ticks.decode(int(relation.start[row]), POSITIVE_INFINITY).start
            atom = f"{name}({values})" if values else name
            message = f"{atom} at {when} comes too late: answers up to {self._now} are out"
            raise DataError([Diagnostic("E450", None, message, "give facts in the order of time")])

    def _due(self, to: int) -> Iterator[int]:
        low, high = self.program.bounds
        first = self._first(to) if self._now is None else self._now + 1
        yield from range(max(first, _whole(low, first)), min(to, _whole(high, to)) + 1)

    def _first(self, to: int) -> int:
        """The time of the first fact; without facts only the last time point is answered."""
        return min(self._times(), default=to)

    def _last(self) -> int:
        return max(self._times(), default=-1 if self._now is None else self._now)

    def _times(self) -> Iterator[int]:
        """The finite times at which the first and last facts begin and end."""
        return Lookup({n: each for n, each in self._given.items() if n not in self.program.background}).ends()

    def _at(self, time: int) -> Answers:
        start = _whole(max(time - self.window, self.program.bounds[0]), time)
        program = on_its_timeline(
            replace(self.program, facts=(), timeline_start=Fraction(start), timeline_end=Fraction(time))
        )
        request = Request(
            self.mode, self.queries, self.reading, at=Fraction(time), limit=self.limit, memory=self._memory
        )
        given = {
            name: relation if name in program.background else clip(relation, start, time)
            for name, relation in self._given.items()
        }
        with limited(self._memory, self._base):
            return answers_of(Task(program, given, self._values, self._ticks, request))

    def _forget(self, time: int) -> None:
        for name, relation in self._given.items():
            if name not in self.program.background:
                self._given[name] = relation.take(relation.end >= time - self.window)

    def _forget_values(self) -> None:
        if is_due(self._values, self._values_left):
            self._given, self._values = compacted(self._given, self._values)
            self._values_left = len(self._values)


def _window(program: Program, reading: Reading) -> int:
    reach = reach_back(program, reading)
    if math.isinf(reach):
        raise UsageError(
            "the rules reach back without a bound: say how many time points back the current window reaches\n"
            "    hint: give window (--window N on the command line)"
        )
    return math.ceil(reach)


def _whole(end: Endpoint, default: int) -> int:
    return default if math.isinf(end) else int(end)
