"""S_τ from S_{τ−1} (hypotheses paper, Definition 6), a batch at a time.

``closed`` is the last time point whose facts are all there. A fact of time t is in time, and an atom of time t awaited,
while closed < t + δ (Definition 1). That is the only place where the present matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from thalweg.analysis.hypotheses.delays import Delays
from thalweg.analysis.hypotheses.patterns import Pattern, Unfolding
from thalweg.analysis.hypotheses.promises import Promises, promises
from thalweg.analysis.hypotheses.terms import Shifted
from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.matching import occurs_in
from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.changes import Change, Status
from thalweg.engine.hypotheses.confidence import Confidence, Floats
from thalweg.engine.hypotheses.lengths import Lengths
from thalweg.engine.hypotheses.matching import term_codes
from thalweg.engine.hypotheses.memory import Memory, alike
from thalweg.engine.hypotheses.news import News, Table
from thalweg.engine.hypotheses.pattern_rows import NEVER, Bound, Facts, PatternRows
from thalweg.engine.hypotheses.point_facts import PointFacts, concat_facts, no_facts
from thalweg.engine.hypotheses.pruning import GivenUp, Pruning
from thalweg.engine.hypotheses.rows import Merged, Rows
from thalweg.engine.hypotheses.superfluous import Candidates, superfluous
from thalweg.engine.hypotheses.texts import Texts
from thalweg.engine.hypotheses.ways import Ways, ways_to
from thalweg.engine.memory_limit import rule_needs_too_much

MOST_COMPARED = 100
"""With more patterns than this, rows are not compared with each other: some may be open that are not minimal."""


@dataclass
class HypothesisReasoner:
    """The schematic supported answers of one query.

    ``background`` are facts that hold always; ``otherwise`` is δ of predicates that declare none.
    """

    unfolding: Unfolding
    values: Values
    background: Facts = field(default_factory=dict)
    otherwise: int = 0
    pruning: Pruning = field(default_factory=Pruning)
    closed: int = -NEVER

    def __post_init__(self) -> None:
        program = self.unfolding.program
        for name in program.background:
            self.background = {name: no_facts(program.signatures[name].arity), **self.background}
        self.promises: Promises = promises(self.unfolding, self.otherwise)
        self.lengths = Lengths(self.promises.delays, self.values)
        self._lengths_of_facts = Lengths(Delays.of(program, self.otherwise), self.values)
        self.patterns = [
            PatternRows(
                self.unfolding.program,
                pattern,
                self.values,
                self.lengths,
                self.background,
                _levels(pattern) if self.promises.polynomial else None,
            )
            for pattern in self.unfolding.patterns
        ]
        self.below = {
            name: HypothesisReasoner(each, self.values, self.background, self.otherwise)
            for name, each in self.unfolding.below.items()
        }
        self.texts = Texts(self.values)
        self.confidence = Confidence(self.unfolding.program, self.lengths)
        arity = self.unfolding.program.signatures[self.unfolding.query].arity + 1
        self.answered = Memory.empty(arity)
        self.lapsed = Memory.empty(arity)
        self.given_up = GivenUp(self.pruning, self.patterns, self.confidence, Memory.empty(arity), self.promises.delay)
        self.waiting: dict[str, PointFacts] = {}

    @property
    def in_order(self) -> bool:
        """Whether facts are worked in time point by time point, since nothing is late (Proposition 10)."""
        return any(pattern.levels is not None for pattern in self.patterns)

    @property
    def open_count(self) -> int:
        """How many rows are open."""
        return sum(len(rows) for pattern in self.patterns for rows in pattern.tables.values())

    def in_time(self, predicate: str, facts: PointFacts) -> Bools:
        """Which facts come in time."""
        timely: Bools = facts.times + self._lengths_of_facts.of_facts(predicate, facts) > self.closed
        return timely

    def advance(self, facts: Facts, closed: int) -> list[Change]:
        """Take in facts that are in time, and close the time points up to ``closed``."""
        closed = max(closed, self.closed)
        blocking = self._blocking(facts, closed)
        facts = self._together(facts, closed)
        tables = []
        for pattern in self.patterns:
            pattern.block(blocking)
            try:
                tables += [self._table(pattern, bound, merged) for bound, merged in pattern.arrive(facts).items()]
            except MemoryError as error:
                raise rule_needs_too_much(pattern.rule, error) from error
        changes = [*self._settle(tables, closed)]
        self.closed = closed
        self.answered.forget(closed)
        self.given_up.forget(closed)
        for pattern in self.patterns:
            pattern.forget(closed)
        return changes

    def open_rows(self) -> Iterator[Change]:
        """Everything that is open."""
        for pattern in self.patterns:
            for rows in pattern.tables.values():
                if len(rows):
                    yield Change(Status.OPEN, pattern, rows, self._answers(pattern, rows))

    def likelihood(self, change: Change, closed: int) -> Floats:
        """The probability that each row will be confirmed."""
        if change.status in (Status.CONFIRMED, Status.REFUTED):
            return np.full(len(change.rows), float(change.status is Status.CONFIRMED))
        return self.confidence.of_rows(change.pattern, change.rows, closed)

    # one batch

    def _blocking(self, facts: Facts, closed: int) -> Facts:
        """The facts under ``not``: those that came, and those of derived predicates that are confirmed."""
        found = dict(facts)
        for name, reasoner in self.below.items():
            confirmed = [c for c in reasoner.advance(facts, closed) if c.status is Status.CONFIRMED]
            parts = [PointFacts(change.answers[:-1], change.answers[-1] >> 1) for change in confirmed]
            if parts:
                found[name] = concat_facts(parts)
        return found

    def _together(self, facts: Facts, closed: int) -> Facts:
        """The facts to work in: where they are joined by time point, with those that came earlier in an open one."""
        if not self.in_order:
            return facts
        together = {
            name: concat_facts([each[name] for each in (self.waiting, facts) if name in each])
            for name in {**self.waiting, **facts}
        }
        self.waiting = {name: each.take(each.times > closed) for name, each in together.items()}
        return together

    def _table(self, pattern: PatternRows, bound: Bound, merged: Merged) -> Table:
        answers = self._answers(pattern, merged.rows)
        alive = ~self.answered.contains(answers, len(merged.rows))
        alive &= ~self.given_up.contains(pattern, merged.rows)
        return Table(pattern, bound, merged, answers, alive)

    def _answers(self, pattern: PatternRows, rows: Rows) -> tuple[Ints, ...]:
        terms = pattern.pattern.answer.terms
        return tuple(term_codes(term, rows.columns, len(rows), self.values) for term in terms)

    def _settle(self, tables: list[Table], closed: int) -> Iterator[Change]:
        """Confirm, refute, and keep the rest."""
        news = News(tables, self._is_injective, self.lapsed)
        lost: list[Bools] = []
        for number, table in enumerate(tables):
            contradicted = table.pattern.is_blocked(table.rows)
            complete = table.alive & ~contradicted & table.pattern.is_complete(table.rows)
            if complete.any():
                complete &= table.pattern.settled(table.rows) <= closed
                yield from self._remembered(news.confirmed(number, complete))
            expired = table.pattern.expiry(table.rows) <= closed
            lost.append(table.alive & (contradicted | expired))
        open_now = [
            table.alive & ~gone & ~news.is_confirmed(number)
            for number, (table, gone) in enumerate(zip(tables, lost, strict=True))
        ]
        kept, unlikely = self.given_up.sort_out(tables, self._minimal(tables, open_now, news), closed)
        yield from news.open(kept)
        for change in news.gone(Status.REFUTED, lost, kept):
            yield from self._refuted(change, tables, kept, closed)
        for change in news.gone(Status.DROPPED, unlikely, kept):
            self._no_longer_lapsed(change)
            yield change
        self._keep(tables, kept)
        yield from self._lapsed(tables, kept, closed)

    def _refuted(self, change: Change, tables: Sequence[Table], kept: Sequence[Bools], closed: int) -> Iterator[Change]:
        """Answers without rows are refuted, unless there is another way to them."""
        self._no_longer_lapsed(change)
        until = self._open_until(change.answers, tables, kept)
        lapses = until > closed
        if lapses.any():
            self.lapsed.add([column[lapses] for column in change.answers], until[lapses])
        if not lapses.all():
            over = replace(change, contradicted=change.pattern.contradicted(change.rows)).take(~lapses)
            yield from self._ended(over)

    def _ended(self, change: Change) -> Iterator[Change]:
        """Refuted answers; those of which a row was given up may be true all the same."""
        doubtful = self.given_up.concerns(change.answers, len(change.rows))
        if doubtful.any():
            yield replace(change, status=Status.DROPPED).take(doubtful)
        if not doubtful.all():
            yield change.take(~doubtful)

    def _no_longer_lapsed(self, change: Change) -> None:
        """Answers that have lost a row anew are told of by that."""
        self.lapsed.drop(occurs_in(self.lapsed.columns, change.answers, (len(self.lapsed), len(change.rows))))

    def _lapsed(self, tables: Sequence[Table], kept: Sequence[Bools], closed: int) -> Iterator[Change]:
        """What becomes of answers that are open without evidence: new rows, or time, ends that."""
        if not len(self.lapsed):
            return
        size = len(self.lapsed)
        anew = np.zeros(size, dtype=np.bool_)
        for table, rows in zip(tables, kept, strict=True):
            anew |= occurs_in(self.lapsed.columns, [column[rows] for column in table.answers], (size, int(rows.sum())))
        anew |= self.answered.contains(self.lapsed.columns, size)
        due = ~anew & (self.lapsed.until <= closed)
        over = [column[due] for column in self.lapsed.columns]
        self.lapsed.drop(anew | due)
        for answers in alike(over):
            # What has come since for a more general row may have made more time.
            until = self._open_until(answers, tables, kept)
            stay = until > closed
            self.lapsed.add([column[stay] for column in answers], until[stay])
            for change in self._last_ways(tuple(column[~stay] for column in answers), tables):
                yield from self._ended(change)

    def _last_ways(self, answers: tuple[Ints, ...], tables: Sequence[Table]) -> Iterator[Change]:
        """Refuted answers without rows, each with the way that was open last."""
        everything = [np.ones(len(table.rows), dtype=np.bool_) for table in tables]
        found = [*self._ways(answers, tables, everything, contradicted=True)]
        last = np.full(len(answers[0]), -NEVER, dtype=np.int64)
        for ways in found:
            np.maximum.at(last, ways.owner, ways.until)
        told = np.zeros(len(answers[0]), dtype=np.bool_)
        for ways in found:
            chosen = (~told[ways.owner] & (ways.until == last[ways.owner])).nonzero()[0]
            owner, first = np.unique(ways.owner[chosen], return_index=True)
            told[owner] = True
            if len(owner):
                rows = ways.rows.take(chosen[first])
                yield Change(Status.REFUTED, ways.pattern, rows, tuple(c[owner] for c in answers))

    def _open_until(self, answers: Sequence[Ints], tables: Sequence[Table], kept: Sequence[Bools]) -> Ints:
        """Until when another way to each answer is open."""
        until = np.full(len(answers[0]), -NEVER, dtype=np.int64)
        if not self._is_injective:
            for ways in self._ways(answers, tables, kept):
                np.maximum.at(until, ways.owner, ways.until)
        return until

    def _ways(
        self, answers: Sequence[Ints], tables: Sequence[Table], kept: Sequence[Bools], *, contradicted: bool = False
    ) -> Iterator[Ways]:
        """The ways to answers, which have the same terms unbound: those without evidence, and instances of rows."""
        if not len(answers[0]):
            return
        general: dict[int, list[Rows]] = {}
        for table, keep in zip(tables, kept, strict=True):
            if keep.any() and table.is_more_general(answers):
                general.setdefault(id(table.pattern), []).append(table.rows.take(keep))
        for pattern in self.patterns:
            ways = ways_to(pattern, answers, contradicted=contradicted)
            yield ways
            for rows in general.get(id(pattern), ()) if len(ways.owner) else ():
                yield ways.with_evidence(rows, contradicted=contradicted)

    @property
    def _is_injective(self) -> bool:
        """Whether every row has an answer of its own."""
        if len(self.patterns) != 1:
            return False
        pattern = self.patterns[0].pattern
        return set(pattern.variables) <= set(pattern.answer.variables)

    def _remembered(self, changes: Iterator[Change]) -> Iterator[Change]:
        """Confirmed answers, remembered for as long as facts may come that would make them again."""
        for change in changes:
            until = np.full(len(change.rows), NEVER, dtype=np.int64)
            if self.promises.delay is not None:
                until = (change.answers[-1] >> 1) + self.promises.delay
            self.answered.add(change.answers, until)
            yield change

    def _minimal(self, tables: Sequence[Table], open_now: list[Bools], news: News) -> list[Bools]:
        """The open rows without those that are not minimal; an answer that is open keeps one row at least."""
        if self._is_injective or len(self.patterns) > MOST_COMPARED:
            return open_now
        standing = [
            {
                table.bound: table.rows.take(keep)
                for table, keep in zip(tables, open_now, strict=True)
                if table.pattern is p
            }
            for p in self.patterns
        ]
        kept = []
        changed = news.having([keep & table.merged.grown for table, keep in zip(tables, open_now, strict=True)])
        for number, (table, keep) in enumerate(zip(tables, open_now, strict=True)):
            is_ground = table.bound.issuperset(table.pattern.pattern.variables)
            rows = (keep & changed[news.answers[number]] & is_ground).nonzero()[0]
            if not len(rows):
                kept.append(keep)
                continue
            candidates = Candidates(table.pattern, table.rows.take(rows), tuple(c[rows] for c in table.answers))
            worse = np.zeros(len(keep), dtype=np.bool_)
            worse[rows[superfluous(candidates, self.patterns, standing)]] = True
            kept.append(keep & ~worse)
        return news.keeping(kept, open_now)

    def _keep(self, tables: Sequence[Table], kept: Sequence[Bools]) -> None:
        for table, keep in zip(tables, kept, strict=True):
            rows = table.rows if keep.all() else table.rows.take(keep)
            if len(rows):
                table.pattern.tables[table.bound] = rows
            else:
                table.pattern.tables.pop(table.bound, None)


def _levels(pattern: Pattern) -> list[list[int]] | None:
    """The atoms by time, where all times are known from one."""
    times = [atom.time for atom in pattern.atoms]
    variables = {term.variable if isinstance(term, Shifted) else None for term in times}
    if len(variables) != 1 or pattern.negated:
        return None
    places = [term.offset if isinstance(term, Shifted) else int(term.value) for term in times]
    return [[n for n, place in enumerate(places) if place == level] for level in sorted(set(places))]
