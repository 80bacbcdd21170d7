"""The stream reasoner: facts in, answers out, as time advances.

``advance(facts, to)`` takes one iteration of Algorithm 1 of the journal paper, or many at once: applying the rules is
exhaustive on (t, to], so a whole batch of time points can go through it as columns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction

import numpy as np

from thalweg.analysis.endless_memory import kept_for_ever
from thalweg.analysis.stratification import require_stratified
from thalweg.columnar.budget import resident
from thalweg.columnar.relation import Relation
from thalweg.engine.intake import Intake, check_batches, program_batches
from thalweg.engine.limits import DEFAULT_MAX_ROUNDS, Limits
from thalweg.engine.materialisation import Materialisation
from thalweg.engine.memory_limit import Size, parse_memory
from thalweg.engine.output_times import INTERVALS, OutputTimes
from thalweg.engine.read import Facts, read_facts_of
from thalweg.engine.snapshot import (
    hold_relations,
    pack,
    triggers_to_json,
    triggers_to_relation,
    unpack,
    values_from_json,
    values_to_json,
)
from thalweg.engine.state_errors import other_program, reading
from thalweg.engine.window import SlidingWindow, Stored
from thalweg.errors import DataError, Diagnostic, UsageError
from thalweg.model.fingerprint import fingerprint
from thalweg.model.program import Program
from thalweg.plan.stream import StreamPlan
from thalweg.syntax.fact_batch import FactBatch
from thalweg.time.exact import exact_ratio
from thalweg.time.interval import Endpoint, format_endpoint
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY


class StreamReasoner:
    """Answers a standing query as time advances.

    >>> import thalweg
    >>> program = thalweg.parse("Busy(S) :- boxminus[0,4] diamondminus[0,2] Signal(S).")
    >>> reasoner = StreamReasoner(program, "Busy")
    >>> print(reasoner.advance("Signal(a)@1\\nSignal(a)@2.5\\nSignal(a)@4", to=5).to_text())
    Busy(a)@[5,5]
    >>> print(reasoner.advance("Signal(a)@5.5", to=10).to_text())
    Busy(a)@(5,7.5]
    >>> reasoner.stored.total
    2

    ``output_times`` says when answers are wanted: ``"intervals"`` (as they are), ``"data"`` (at the time points of the
    data), ``"every:2"``, or a list of times. ``algorithm`` is 1 or 6, or None to choose: 6 where it applies
    (Definition 4, no punctual interval). ``max_nulls`` and ``max_depth`` bound the new values of rules that may never
    run out of them. ``max_memory`` is how much memory the process may take beyond what it has when the reasoner is
    made: ``"2g"``, ``"50%"`` of the machine's, or ``"none"``; three quarters of the machine's unless given.
    """

    def __init__(
        self,
        program: Program,
        query: str | Collection[str],
        output_times: OutputTimes | str | Iterable[Fraction | int] = INTERVALS,
        step: Fraction | int | None = None,
        *,
        algorithm: int | None = None,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        max_nulls: int | None = None,
        max_depth: int | None = None,
        max_memory: Size = None,
    ) -> None:
        require_stratified(program)
        limits = Limits(max_rounds, max_nulls, max_depth, memory=parse_memory(max_memory))
        self._limits, self._base = limits, resident()
        limits.check(program)
        self.step = None if step is None else Fraction(step)
        if self.step is not None and self.step <= 0:
            raise UsageError(f"step={step}: a step must be positive")
        self._window = SlidingWindow(
            program,
            (query,) if isinstance(query, str) else tuple(query),
            OutputTimes.of(output_times),
            algorithm=algorithm,
            limits=limits,
            lengths=() if self.step is None else (self.step,),
        )
        self._given, self._signatures = program, program.signatures
        self._waiting: list[FactBatch] = program_batches(self.program)

    @property
    def program(self) -> Program:
        """The program that runs; in normal form where Algorithm 6 needs it so."""
        return self._window.program

    @property
    def queries(self) -> tuple[str, ...]:
        """The predicates that are answered."""
        return self._window.queries

    @property
    def algorithm(self) -> int:
        """1 or 6."""
        return self._window.algorithm

    @property
    def plan(self) -> StreamPlan:
        """The stages, and how much of the past they need."""
        return self._window.plan

    @property
    def output_times(self) -> OutputTimes:
        """When answers are wanted."""
        return self._window.output_times

    @property
    def now(self) -> Endpoint:
        """The time up to which input is complete; −∞ before the first advance."""
        return self._window.ticks.decode(self._window.now, POSITIVE_INFINITY).start

    @property
    def delay(self) -> Fraction:
        """How far answers lag behind the input, because rules look ahead."""
        return max(self.plan.delays[name] for name in self.queries)

    @property
    def span(self) -> Fraction:
        """How far the window reaches behind the present."""
        return self.plan.span

    @property
    def stored(self) -> Stored:
        """How many facts are held now."""
        return self._window.stored

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What this reasoner keeps for ever, so that its memory grows as long as new values come."""
        return kept_for_ever(self._given, self.queries)

    @property
    def values_held(self) -> int:
        """How many texts and fractions are in the table of values, in use or not yet let go."""
        return len(self._window.values)

    @property
    def domain_size(self) -> int | None:
        """How many different values the facts held have; None where counting them would take long."""
        return self._window.domain_size

    @property
    def tick(self) -> Fraction:
        """The step of the time grid on which all ends lie."""
        return self._window.ticks.tick

    @property
    def divisions_by_zero(self) -> dict[int, int]:
        """For how many combinations of values rules, by their numbers, have divided by zero so far."""
        return dict(self._window.divisions_by_zero)

    def window(self) -> Materialisation:
        """The contents of W, predicate by predicate."""
        held = self._window
        return Materialisation(held.relations(), held.values.view(), held.ticks, self.program.signatures)

    def advance(self, facts: Facts, to: Fraction | int | str) -> Materialisation:
        """Take in facts, move the present to ``to``, and return the answers that are now complete.

        Facts come as for :func:`thalweg.materialise`; one that cannot be read raises :class:`DataError`. They may lie
        anywhere after the present; those after ``to`` wait. With a step, the way is gone in strides of at most that,
        or to the next data point, as Algorithm 1 does; otherwise at once.
        """
        with self._limits.on_memory(self._base):
            return self._advance(facts, Fraction(to))

    def _advance(self, facts: Facts, target: Fraction) -> Materialisation:
        window = self._window
        window.forget_nulls()
        window.forget_values()
        arriving, problems = read_facts_of(self.program, facts)
        batches = [batch for batch in (*self._waiting, *arriving) if batch.predicate in self.plan.delays]
        problems += check_batches(self.program, batches)
        if problems:
            raise DataError(problems)
        self._fit_tick(batches, target)
        end = window.code(target)
        if end <= window.now:
            raise UsageError(f"cannot advance to {format_endpoint(target)}: it is {format_endpoint(self.now)} already")
        arrived = Intake(window.values, window.ticks).relations(batches)
        self._refuse_late(batches, arrived)
        self._waiting = []
        window.take_in(arrived)
        window.note_data_times(time for relation in arrived.values() for time in (relation.start, relation.end))
        answers: dict[str, list[Relation]] = {name: [] for name in self.queries}
        while window.now < end:
            for name, relation in window.move(self._next_stop(end)).items():
                answers[name].append(relation)
        joined = {name: window.joined(name, parts) for name, parts in answers.items()}
        memory = self._limits.memory
        return Materialisation(joined, window.values.view(), window.ticks, self._signatures, memory=memory)

    def snapshot(self) -> bytes:
        """The whole state, to be given to :meth:`restore` of a reasoner for the same program and query."""
        tick = self._window.ticks.tick
        triggers = self._window.values.nulls.held()
        header = {
            "fingerprint": self._fingerprint(),
            "tick": [tick.numerator, tick.denominator],
            "started": not self._waiting,
            "values": values_to_json(self._window.values),
            "nulls": [triggers_to_json(each) for each in triggers],
        }
        made = {f"N {place}": triggers_to_relation(each) for place, each in enumerate(triggers)}
        return pack(header, {**self._window.held(), **made})

    def restore(self, snapshot: bytes) -> None:
        """Go on from where a snapshot was taken.

        Raises :class:`StateError`, and changes nothing, where the bytes are of another program, query or setting, of
        another version of the format, or not what was written.
        """
        header, relations = unpack(snapshot)
        with reading():
            if header["fingerprint"] != self._fingerprint():
                raise other_program("program, query or setting")
            values = values_from_json(header["values"])
            held = hold_relations(relations, values, header["nulls"])
            waiting = [] if header["started"] else program_batches(self.program)
            self._window.hold(held, values, exact_ratio(header["tick"]))
        self._waiting = waiting

    def _fingerprint(self) -> str:
        """What must be the same for a snapshot to make sense."""
        return fingerprint("stream", self.program, self.queries, self.algorithm, self.output_times, self.step)

    def _next_stop(self, end: int) -> int:
        """Where the iteration ends: at ``end``, or with a step at the next data point or after one step."""
        if self.step is None:
            return end
        following = self._window.next_data_point()
        if self._window.now == NEGATIVE_INFINITY:
            return min(end, following)
        return min(end, following, self._window.now + self._window.code(self.step))

    def _refuse_late(self, batches: list[FactBatch], arrived: dict[str, Relation]) -> None:
        for name, relation in arrived.items():
            late = np.flatnonzero(relation.start <= self._window.now)
            if len(late) and self._window.now != NEGATIVE_INFINITY:
                raise DataError([self._late(name, batches, int(late[0]))])

    def _late(self, name: str, batches: list[FactBatch], row: int) -> Diagnostic:
        for batch in batches:
            if batch.predicate == name:
                if row < len(batch.lines):
                    break
                row -= len(batch.lines)
        start = format_endpoint(batch.starts.values[batch.starts.codes[row]])
        values = ",".join(str(column.values[column.codes[row]]) for column in batch.arguments)
        message = f"{name}({values}) at {start} comes too late: answers up to {format_endpoint(self.now)} are out"
        return Diagnostic(
            "E450", None, message, "give facts in the order of time", f"{batch.source}:{batch.lines[row]}"
        )

    def _fit_tick(self, batches: list[FactBatch], target: Fraction) -> None:
        """Make the tick divide all times; a declared one must divide the target as it is."""
        tick = self._window.ticks.tick
        if self._window.has_fixed_tick:
            if (target / tick).denominator != 1:
                raise UsageError(f"cannot advance to {target}: it is not a multiple of the tick {tick}")
            return
        denominators = {target.denominator}
        for batch in batches:
            for column in (batch.starts, batch.ends):
                denominators |= {time.denominator for time in column.values if isinstance(time, Fraction)}
        self._window.fit_tick(denominators)
