"""What is known when explanations are asked for: all facts, where they were given, and in which order they followed."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from thalweg.analysis.dependency import dependency_graph, relevant_predicates
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation
from thalweg.columnar.shift import clip
from thalweg.columnar.values import Values
from thalweg.engine.history import History
from thalweg.engine.intake import Intake, check_batches, choose_ticks, program_batches
from thalweg.engine.limits import NO_LIMITS, Limits
from thalweg.engine.materialise import saturated
from thalweg.errors import DataError
from thalweg.explain.atoms import GroundAtom
from thalweg.explain.table import Table
from thalweg.explain.times import decode_all, encode_around
from thalweg.model.formula import Value
from thalweg.model.program import Program
from thalweg.syntax.fact_batch import FactBatch
from thalweg.time.interval import ALWAYS, Endpoint, Interval
from thalweg.time.interval_set import IntervalSet
from thalweg.time.ticks import Ticks
from thalweg.time.timeline import Timeline

Pattern = tuple[Value | None, ...]
"""The values of arguments, where they are known."""


@dataclass
class Known:
    """The facts of a program, numbered by a history; ``asked_for`` is the stretch in which they are complete."""

    program: Program
    batches: Sequence[FactBatch]
    values: Values
    ticks: Ticks
    history: History
    asked_for: Interval
    _tables: dict[tuple[str, bool], Table] = field(default_factory=dict)
    _together: dict[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        program: Program,
        batches: Sequence[FactBatch],
        *,
        start: Endpoint = -math.inf,
        end: Endpoint = math.inf,
        wanted: Collection[str] | None = None,
        limits: Limits = NO_LIMITS,
    ) -> Known:
        """Everything that follows from a program and facts; with ``wanted`` what these predicates depend on."""
        relevant = relevant_predicates(program, wanted)
        batches = [batch for batch in (*program_batches(program), *batches) if batch.predicate in relevant]
        problems = check_batches(program, batches)
        if problems:
            raise DataError(problems)
        ticks, values, history = choose_ticks(program, batches, (start, end)), Values(), History()
        with limits.on_memory():
            given = Intake(values, ticks).relations(batches)
            saturated(
                program, given, values, ticks, start=start, end=end, wanted=wanted, limits=limits, history=history
            )
        first, last = program.bounds
        asked_for = Interval(max(start, first), min(end, last))
        known = cls(program, batches, values, ticks, history, asked_for)
        for component in dependency_graph(program).components:
            known._together.update(dict.fromkeys(component.predicates, frozenset(component.predicates)))
        return known

    @property
    def timeline(self) -> Timeline:
        """The kind of time."""
        return self.ticks.timeline

    @property
    def all_time(self) -> Interval:
        """The stretch of time in which anything can hold."""
        first, last = self.program.bounds
        return Interval(first, last)

    def arity(self, predicate: str) -> int:
        """How many arguments a predicate has."""
        signature = self.program.signatures.get(predicate)
        return 0 if signature is None else signature.arity

    def are_together(self, one: str, other: str) -> bool:
        """Whether two predicates are derived from each other: then it matters which fact was known first."""
        return other in self._together.get(one, ())

    def rows(self, predicate: str, pattern: Pattern, within: Interval = ALWAYS, before: int | None = None) -> Relation:
        """The facts that fit a pattern and reach into a stretch of time, coalesced; with smaller numbers only."""
        codes = tuple(None if value is None else self.values.code(value) for value in pattern)
        return coalesce(self.coded_rows(predicate, codes, within, before))

    def coded_rows(
        self, predicate: str, codes: Sequence[int | None], within: Interval = ALWAYS, before: int | None = None
    ) -> Relation:
        """As :meth:`rows`, for values given as codes; not coalesced."""
        low, high = encode_around(within, self.ticks)
        # A neighbour one code away may continue a fact: to be coalesced with it, it must be among the rows.
        return self._table(predicate, before is not None).rows(codes, low - 1, high + 1, before)

    def times(
        self, predicate: str, pattern: Pattern, within: Interval = ALWAYS, before: int | None = None
    ) -> IntervalSet:
        """When facts that fit a pattern hold, inside a stretch of time."""
        relation = self.rows(predicate, pattern, within, before)
        relation = clip(relation, *encode_around(within, self.ticks))
        return IntervalSet(decode_all(relation.start, relation.end, self.ticks), self.timeline)

    def last_number(self, atom: GroundAtom, interval: Interval) -> int:
        """The greatest number that a part of a fact has."""
        codes = tuple(self.values.code(value) for value in atom.values)
        low, high = encode_around(interval, self.ticks)
        return self._table(atom.predicate, True).last_number(codes, low, high)

    def matching(
        self, predicate: str, pattern: Pattern, within: Interval, before: int | None = None
    ) -> list[tuple[Value, ...]]:
        """The values of the facts that fit a pattern and hold inside a stretch of time."""
        relation = clip(self.rows(predicate, pattern, within, before), *encode_around(within, self.ticks))
        columns = [self.values.decode(column) for column in relation.columns]
        return list(dict.fromkeys(zip(*columns, strict=True) if columns else [()] * bool(len(relation))))

    def _table(self, predicate: str, numbered: bool) -> Table:
        key = predicate, numbered
        if key not in self._tables:
            arity = self.arity(predicate)
            if numbered:
                self._tables[key] = Table(*self.history.numbered(predicate, arity))
            else:
                self._tables[key] = Table(self.history.relation(predicate, arity), None)
        return self._tables[key]
