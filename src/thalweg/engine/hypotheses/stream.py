"""Hypothetical answers over a stream, in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa

from thalweg.analysis.hypotheses.patterns import Unfolding, answer_names
from thalweg.analysis.hypotheses.promises import Promises
from thalweg.analysis.hypotheses.query import check_query
from thalweg.analysis.hypotheses.unfold import unfold
from thalweg.columnar.budget import resident
from thalweg.columnar.values import Values
from thalweg.engine.compaction import compacted, is_due
from thalweg.engine.hypotheses.changes import Change
from thalweg.engine.hypotheses.fact_clock import FactClock, with_background
from thalweg.engine.hypotheses.matching import UNBOUND
from thalweg.engine.hypotheses.pattern_rows import NEVER
from thalweg.engine.hypotheses.point_facts import PointFacts, points_of
from thalweg.engine.hypotheses.pruning import Pruning
from thalweg.engine.hypotheses.reasoner import HypothesisReasoner
from thalweg.engine.hypotheses.state import held, rest, restored
from thalweg.engine.hypotheses.table import AnswerRows, answer_rows, column_names, line_of
from thalweg.engine.intake import Intake, check_batches, program_batches
from thalweg.engine.materialisation import typed_column
from thalweg.engine.memory_limit import Size, limited, parse_memory
from thalweg.engine.read import Facts, read_facts_of
from thalweg.engine.shard_log import Held, ShardLog, State, compact
from thalweg.engine.state_errors import other_program, reading
from thalweg.errors import DataError, Diagnostic, UsageError
from thalweg.model.fingerprint import fingerprint
from thalweg.model.program import Program
from thalweg.syntax.ast import Role
from thalweg.syntax.facts import FactBatch, format_value
from thalweg.time.ticks import Ticks
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class HypotheticalAnswers:
    """Answers with their status, in the order in which they changed; ``late`` are facts that came after their delay."""

    query: str
    names: tuple[str, ...]
    columns: tuple[str, ...]
    rows: AnswerRows
    values: Values
    late: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, program: Program, query: str, rows: AnswerRows, values: Values, late: tuple[str, ...] = ()
    ) -> HypotheticalAnswers:
        """Rows of a query, with the names that its arguments have."""
        *names, _ = answer_names(program, query)
        return cls(query, tuple(names), tuple(column_names(program.signatures[query])), rows, values, late)

    def __len__(self) -> int:
        return len(self.rows)

    def table(self) -> pa.Table:
        """Arguments, ``time``, ``status``, ``evidence``, ``hypotheses``, ``deadline``, ``confidence``.

        An argument or a time that is still open is null. ``evidence`` has structs of ``predicate``, ``arguments`` and
        ``time``; ``hypotheses`` also ``until``, the last time point at which the fact may come, and ``negated``.
        """
        *arguments, time = self.rows.answers
        columns = {
            name: typed_column(codes, self.values, UNBOUND) for name, codes in zip(self.columns, arguments, strict=True)
        }
        columns["time"] = pa.array(time >> 1, mask=time == UNBOUND)
        columns |= {"status": self.rows.status, "evidence": self.rows.evidence, "hypotheses": self.rows.hypotheses}
        return pa.table(columns | {"deadline": self.rows.deadline, "confidence": self.rows.confidence})

    def lines(self) -> list[str]:
        """One text for each row."""
        *arguments, times = ([self._text(code) for code in column] for column in self.rows.answers)
        said = pa.table(
            {
                "status": self.rows.status,
                "evidence": self.rows.evidence,
                "hypotheses": self.rows.hypotheses,
                "deadline": self.rows.deadline,
                "confidence": self.rows.confidence,
            }
        ).to_pylist()
        return [
            line_of(self.query, [column[i] for column in arguments], self.names, times[i], row)
            for i, row in enumerate(said)
        ]

    def _text(self, code: int) -> str | None:
        return None if code == UNBOUND else format_value(self.values.value(int(code)))


class HypothesisStream:
    """What may still become true, from facts that come late and out of order.

    ``query`` is a derived predicate. ``depth`` is needed where the program is recursive: derivations of so many nested
    rules are looked for. ``delay`` is δ for predicates that declare none. Open answers less likely than
    ``min_confidence``, and the least likely ones beyond ``max_open``, are given up. ``max_memory`` is that of
    :class:`thalweg.StreamReasoner`.
    """

    def __init__(
        self,
        program: Program,
        query: str,
        *,
        depth: int | None = None,
        delay: int = 0,
        min_confidence: float = 0.0,
        max_open: int | None = None,
        max_memory: Size = None,
    ) -> None:
        self._memory, self._base = parse_memory(max_memory), resident()
        self.query = check_query(program, query)
        self.program = program
        self._reasoner = HypothesisReasoner(
            unfold(program, self.query, depth),
            Values(),
            otherwise=delay,
            pruning=Pruning(min_confidence, max_open),
        )
        self._inputs = {*self._reasoner.unfolding.inputs()}
        self._clock = FactClock(self._reasoner)
        self._has_begun = False
        self._values_left = 0

    @property
    def unfolding(self) -> Unfolding:
        """The patterns the query waits for."""
        return self._reasoner.unfolding

    @property
    def promises(self) -> Promises:
        """The query's delay and window."""
        return self._reasoner.promises

    @property
    def closed(self) -> int | None:
        """The last time point whose facts are all there; None before the first."""
        return None if self._reasoner.closed == -NEVER else self._reasoner.closed

    @property
    def late_count(self) -> int:
        """How many facts came after their delay."""
        return self._clock.late

    @property
    def open_count(self) -> int:
        """How many partial answers are open."""
        return self._reasoner.open_count

    @property
    def dropped_count(self) -> int:
        """How many partial answers were given up as unlikely."""
        return self._reasoner.given_up.count

    def advance(self, facts: Facts = (), to: int | Fraction | None = None) -> HypotheticalAnswers:
        """Take in facts, in any order, and say what changes.

        With ``to``, the facts are those that come up to and at the time point ``to``, which is over afterwards.
        Without, the present is the newest time seen so far, and more facts may come in it. Facts that come after their
        delay change nothing; they are in ``late``.
        """
        with limited(self._memory, self._base):
            return self._advance(facts, to)

    def _advance(self, facts: Facts, to: int | Fraction | None) -> HypotheticalAnswers:
        batches, problems = read_facts_of(self.program, facts)
        problems += derived_facts(self.program, batches)
        problems += check_batches(self.program, [batch for batch in batches if batch.predicate in self._inputs])
        if problems:
            raise DataError(problems)
        if to is not None and Fraction(to).denominator != 1:
            raise UsageError(f"cannot advance to {to}: time points are whole numbers")
        if to is not None and self.closed is not None and to < self.closed:
            raise UsageError(f"cannot advance to {to}: {self.closed} is over already")
        self._forget_values()
        points = self._points([*([] if self._has_begun else program_batches(self.program)), *batches])
        points = self._without_background(points)
        self._has_begun = True
        changes, late = self._clock.advance(points, None if to is None else int(to))
        return self._answers(changes, late)

    def finish(self) -> HypotheticalAnswers:
        """Nothing more comes: everything that is open is decided."""
        return self.advance((), NEVER)

    def open(self) -> HypotheticalAnswers:
        """Everything that is open now."""
        with limited(self._memory, self._base):
            return self._answers([*self._reasoner.open_rows()], {})

    def snapshot(self) -> bytes:
        """The whole state, to be given to :meth:`restore` of a stream for the same program and query."""
        numbers = {
            **rest(self._reasoner),
            **self._clock.numbers(),
            "fingerprint": self._fingerprint(),
            "begun": self._has_begun,
        }
        relations = {name: Held(each) for name, each in held(self._reasoner).items()}
        return ShardLog().base(compact(State(relations, self._reasoner.values, Fraction(1), numbers)))

    def restore(self, snapshot: bytes) -> None:
        """Go on from where a snapshot was taken.

        Raises :class:`StateError`, and changes nothing, where the bytes are of another program, query or setting, of
        another version of the format, or not what was written.
        """
        state = ShardLog().read([snapshot])
        with reading():
            if state.rest.get("fingerprint") != self._fingerprint():
                raise other_program()
            relations = {name: each.relation for name, each in state.relations.items()}
            reasoner = restored(self._reasoner, relations, state.values, state.rest)
            clock = FactClock(reasoner, state.rest["newest"], state.rest["late"])
            has_begun = state.rest["begun"]
        self._reasoner, self._clock, self._has_begun = reasoner, clock, has_begun

    def _points(self, batches: list[FactBatch]) -> dict[str, PointFacts]:
        wanted = [batch for batch in batches if batch.predicate in self._inputs]
        relations = Intake(self._reasoner.values, Ticks(Timeline.INTEGER)).relations(wanted)
        always = self.program.background
        return {
            name: PointFacts(each.columns, each.start) if name in always else points_of(name, each)
            for name, each in relations.items()
        }

    def _forget_values(self) -> None:
        """Forget values that nothing held has any more, when there are far more than were left the last time."""
        reasoner = self._reasoner
        if is_due(reasoner.values, self._values_left):
            numbers = {**rest(reasoner), **self._clock.numbers(), "begun": self._has_begun}
            self._reasoner = restored(reasoner, *compacted(held(reasoner), reasoner.values), numbers)
            self._clock = FactClock(self._reasoner, numbers["newest"], numbers["late"])
            self._values_left = len(self._reasoner.values)

    def _without_background(self, points: dict[str, PointFacts]) -> dict[str, PointFacts]:
        """Background is known before the first fact comes, or not at all."""
        found = {name: facts for name, facts in points.items() if name in self.program.background}
        if found and self._has_begun:
            raise UsageError(f"facts of {', '.join(found)}, which is background, must be given first")
        if not self._has_begun:
            self._reasoner = with_background(self._reasoner, found)
            self._clock = FactClock(self._reasoner)
        return {name: facts for name, facts in points.items() if name not in found}

    def _answers(self, changes: list[Change], late: dict[str, PointFacts]) -> HypotheticalAnswers:
        values = self._reasoner.values
        lines = tuple(line for name, facts in late.items() for line in fact_lines(name, facts, values))
        rows = answer_rows(self._reasoner, changes, self._reasoner.closed)
        return HypotheticalAnswers.of(self.program, self.query, rows, values, lines)

    def _fingerprint(self) -> str:
        """What must be the same for a snapshot to make sense."""
        reasoner = self._reasoner
        settings = self.unfolding.depth, reasoner.otherwise, reasoner.pruning
        return fingerprint("hypotheses", self.program, self.query, settings)


def derived_facts(program: Program, batches: Iterable[FactBatch]) -> Iterator[Diagnostic]:
    """Facts of predicates that only rules derive: nothing waits for them, so they must not pass in silence."""
    for batch in batches:
        name = batch.predicate
        if name in program.derived_predicates and program.signatures[name].role is not Role.INPUT:
            message = f"{name} is derived by rules, and hypotheses wait only for what comes from outside"
            hint = f"declare input {name}. if its facts come from outside, too"
            yield Diagnostic("E446", None, message, hint, f"{batch.source}:{int(batch.lines[0])}")


def fact_lines(predicate: str, facts: PointFacts, values: Values) -> Iterator[str]:
    """Facts as texts."""
    columns = [[format_value(value) for value in values.decode(column)] for column in facts.columns]
    for row, time in enumerate(facts.times.tolist()):
        inside = ",".join(column[row] for column in columns)
        yield f"{predicate}({inside})@{time}" if columns else f"{predicate}@{time}"
