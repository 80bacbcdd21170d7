"""The rows of one pattern: ⟨θ, E, H⟩ of Definition 6, as columns.

A row is a binding σ of some variables; E are the atoms that have arrived under σ, H the others. Rows of the same bound
variables stand in one table, at most one for each binding: an atom that is ground under σ and has arrived is never
awaited (H would not be minimal), so the binding alone says what E and H are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from thalweg.analysis.hypotheses.patterns import Pattern
from thalweg.analysis.hypotheses.terms import Shifted, TimedAtom, condition_variables
from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values
from thalweg.engine.bindings import Bindings, apply_conditions
from thalweg.engine.hypotheses.blocked import Blocked
from thalweg.engine.hypotheses.lengths import Lengths
from thalweg.engine.hypotheses.matching import UNBOUND, Matches, match_facts, term_codes, time_of
from thalweg.engine.hypotheses.point_facts import PointFacts
from thalweg.engine.hypotheses.rows import (
    Merged,
    Rows,
    arrived_in,
    full_match,
    joined,
    merge,
    no_rows,
    unmerged,
    word_count,
)
from thalweg.errors import Diagnostic, ReasoningError
from thalweg.model.formula import Comparison, Variable
from thalweg.model.program import Program, Rule
from thalweg.syntax.ast import ComparisonOperator
from thalweg.time.ticks import POSITIVE_INFINITY

NEVER = POSITIVE_INFINITY
"""A time that does not come."""

Bound = frozenset[str]
Facts = Mapping[str, PointFacts]


@dataclass
class PatternRows:
    """The open rows of a pattern.

    ``background`` are the facts that hold always. ``levels`` are the atoms in the order in which they must come, where
    nothing is late and all times are known from one (Proposition 10); None where any order is possible.
    """

    program: Program
    pattern: Pattern
    values: Values
    lengths: Lengths
    background: Facts
    levels: Sequence[Sequence[int]] | None = None
    tables: dict[Bound, Rows] = field(default_factory=dict)
    blocked: tuple[Blocked, ...] = ()

    def __post_init__(self) -> None:
        first, last = self.program.bounds
        self._bounds = (
            -NEVER if isinstance(first, float) else int(first),
            NEVER if isinstance(last, float) else int(last),
        )
        arguments = [term for atom in (*self.pattern.atoms, *self.pattern.given) for term in atom.arguments]
        given_values = {term.variable for term in arguments if isinstance(term, Shifted)}
        given_values |= {name for each in self.pattern.conditions for name in condition_variables(each)}
        self._unsure_times = self.pattern.time_variables & given_values
        self.words = word_count(len(self.pattern.atoms))
        self.full = full_match(len(self.pattern.atoms))
        self.blocked = tuple(
            Blocked.of(self.pattern, atom, self.lengths.delays, timed=atom.predicate not in self.background)
            for atom in self.pattern.negated
        )
        for blocked in self.blocked:
            if blocked.atom.predicate in self.background:
                blocked.add(
                    match_facts(blocked.atom, self.background[blocked.atom.predicate], self.values, timed=False)
                )
        self._given = [
            (atom, match_facts(atom, self.background[atom.predicate], self.values, timed=False))
            for atom in self.pattern.given
        ]

    @property
    def absences(self) -> list[TimedAtom]:
        """The negated atoms that time decides; background is known from the start."""
        return [atom for atom in self.pattern.negated if atom.predicate not in self.background]

    def block(self, facts: Facts) -> None:
        """Take in facts of negated atoms: rows that they contradict go, those of later batches too."""
        for blocked in self.blocked:
            if blocked.atom.predicate in facts:
                blocked.add(match_facts(blocked.atom, facts[blocked.atom.predicate], self.values))

    def arrive(self, facts: Facts) -> dict[Bound, Merged]:
        """Resolve the rows with facts (Definition 6): every local mgu, with what it leaves open."""
        matches = [
            match_facts(atom, facts[atom.predicate], self.values) if atom.predicate in facts else Matches({}, 0)
            for atom in self.pattern.atoms
        ]
        fresh: dict[Bound, list[Rows]] = {}
        start = dict(self.tables)
        if any(map(len, matches)):
            (self._in_any_order if self.levels is None else self._in_order)(matches, fresh)
        found = {}
        for bound in dict.fromkeys((*self.tables, *fresh)):
            old = self.tables.get(bound)
            new = fresh.get(bound, [])
            if old is None:
                old = start[bound] = no_rows(new[0].variables, self.words)
            found[bound] = merge(old, new, start[bound]) if new else unmerged(old, start[bound])
        self.tables = start
        return found

    def evidence(self, rows: Rows) -> Iterator[tuple[TimedAtom, Bools]]:
        """The atoms, each with the rows in which it has arrived."""
        return self._once(rows, [rows.has(number) for number in range(len(self.pattern.atoms))])

    def hypotheses(self, rows: Rows) -> Iterator[tuple[TimedAtom, Bools]]:
        """The atoms, each with the rows in which it is awaited."""
        return self._once(rows, [~rows.has(number) for number in range(len(self.pattern.atoms))])

    def _once(self, rows: Rows, chosen: Sequence[Bools]) -> Iterator[tuple[TimedAtom, Bools]]:
        """E and H are sets: where two atoms have one instance, only the first counts."""
        atoms = self.pattern.atoms
        for place, (atom, here) in enumerate(zip(atoms, chosen, strict=True)):
            for other in self.pattern.may_coincide[place]:
                pairs = zip(atom.terms, atoms[other].terms, strict=True)
                codes = [[term_codes(term, rows.columns, len(rows), self.values) for term in pair] for pair in pairs]
                same = np.logical_and.reduce([(one == two) & (one != UNBOUND) for one, two in codes])
                here = here & ~(same & chosen[other])
            yield atom, here

    def is_blocked(self, rows: Rows) -> Bools:
        """Which rows a fact of a negated atom contradicts."""
        bound = frozenset(rows.variables)
        found = np.zeros(len(rows), dtype=np.bool_)
        for blocked in self.blocked:
            if bound.issuperset(blocked.variables):
                found |= blocked.contains(rows)
        return found

    def contradicted(self, rows: Rows) -> tuple[Bools, ...]:
        """For each negated atom, in which rows it has come."""
        bound, nowhere = frozenset(rows.variables), np.zeros(len(rows), dtype=np.bool_)
        return tuple(
            blocked.contains(rows) if bound.issuperset(blocked.variables) else nowhere for blocked in self.blocked
        )

    def is_complete(self, rows: Rows) -> Bools:
        """Which rows have no positive hypothesis left."""
        complete: Bools = (rows.matched == self.full).all(axis=1)
        return complete

    def untils(self, rows: Rows, atom: TimedAtom) -> Ints:
        """Until when an atom may come in each row: t + δ, or never known; outside the timeline it cannot come."""
        times = time_of(atom.time, rows.columns)
        if times is None:
            return np.full(len(rows), NEVER, dtype=np.int64)
        until: Ints = np.zeros(len(rows), dtype=np.int64)
        until += times
        first, last = self._bounds
        outside = (until < first) | (until > last)
        until += self.lengths.of_atom(atom, rows.columns, len(rows))
        until[outside] = -NEVER
        return until

    def expiry(self, rows: Rows) -> Ints:
        """When each row can no longer be completed: when an awaited atom can no longer come (Definition 3)."""
        found = np.full(len(rows), NEVER, dtype=np.int64)
        for number, atom in enumerate(self.pattern.atoms):
            until = np.where(rows.has(number), NEVER, self.untils(rows, atom))
            np.minimum(found, until, out=found)
        return found

    def settled(self, rows: Rows) -> Ints:
        """When it is known that no negated atom holds, for each row with all variables bound."""
        found = np.full(len(rows), -NEVER, dtype=np.int64)
        for atom in self.absences:
            np.maximum(found, self.untils(rows, atom), out=found)
        return found

    def decided(self, rows: Rows) -> Ints:
        """By when each row is confirmed or refuted; :data:`NEVER` where no time is known."""
        found = self.settled(rows)
        for number, atom in enumerate(self.pattern.atoms):
            until = self.untils(rows, atom)
            np.maximum(found, np.where(rows.has(number), -NEVER, until), out=found)
        return found

    def repeatable(self, rows: Rows) -> Ints:
        """Until when facts may come that would make each row again."""
        found = np.full(len(rows), -NEVER, dtype=np.int64)
        for atom in (*self.pattern.atoms, *self.absences):
            np.maximum(found, self.untils(rows, atom), out=found)
        return found

    def forget(self, closed: int) -> None:
        """Forget what can no longer matter."""
        for blocked in self.blocked:
            blocked.forget(closed)

    def closed(self, rows: Rows, *, contradicted: bool = False) -> Rows:
        """Rows of any bindings with what these say besides; those that cannot be are left out."""
        return self._bound(rows, frozenset()) if contradicted else self._closed(rows, frozenset())

    # any order of arrival

    def _in_any_order(self, matches: Sequence[Matches], fresh: dict[Bound, list[Rows]]) -> None:
        for number, found in enumerate(matches):
            if not len(found):
                continue
            own = frozenset(found.columns)
            made = [self._closed(self._seed(found, number), frozenset())]
            for bound, rows in [*self.tables.items(), *((b, r) for b, parts in fresh.items() for r in parts)]:
                if not own <= bound:
                    made.append(self._closed(joined(rows, found.columns, found.size).with_atom(number), bound))
            self._mark(self.tables, found, number)
            for parts in fresh.values():
                parts[:] = [self._marked(rows, found, number) for rows in parts]
            for rows in made:
                if len(rows):
                    fresh.setdefault(frozenset(rows.variables), []).append(rows)

    def _mark(self, tables: dict[Bound, Rows], found: Matches, number: int) -> None:
        """Note an atom that is ground in old rows."""
        for bound, rows in tables.items():
            if frozenset(found.columns) < bound:
                tables[bound] = self._marked(rows, found, number)

    def _marked(self, rows: Rows, found: Matches, number: int) -> Rows:
        own, bound = frozenset(found.columns), frozenset(rows.variables)
        if not own < bound:  # with equal variables the seed becomes one with the row
            return rows
        hit = arrived_in(rows, found.columns, found.size)
        return rows.with_atom(number, hit) if hit.any() else rows

    def _seed(self, found: Matches, number: int) -> Rows:
        matched = np.zeros((found.size, self.words), dtype=np.int64)
        return Rows(found.columns, matched).with_atom(number)

    # nothing is late

    def _in_order(self, matches: Sequence[Matches], fresh: dict[Bound, list[Rows]]) -> None:
        """Level by level: what must come at one time point comes together (Proposition 10)."""
        assert self.levels is not None
        done: list[int] = []
        for level in self.levels:
            waiting = self._waiting_for(level, done, fresh) if done else [self._nothing_yet()]
            for rows in waiting:
                extended = rows
                for number in level:
                    extended = self._extended(extended, matches[number], number)
                if len(extended):
                    fresh.setdefault(frozenset(extended.variables), []).append(extended)
            done += level

    def _waiting_for(self, level: Sequence[int], done: Sequence[int], fresh: dict[Bound, list[Rows]]) -> list[Rows]:
        found = []
        for rows in [*self.tables.values(), *(rows for parts in fresh.values() for rows in parts)]:
            ready = np.ones(len(rows), dtype=np.bool_)
            for number in done:
                ready &= rows.has(number)
            for number in level:
                ready &= ~rows.has(number)
            if ready.any():
                found.append(rows.take(ready))
        return found

    def _extended(self, rows: Rows, found: Matches, number: int) -> Rows:
        own, bound = frozenset(found.columns), frozenset(rows.variables)
        if not len(rows) or not len(found):
            return rows.take(np.zeros(len(rows), dtype=np.bool_))
        if own <= bound:
            return rows.take(arrived_in(rows, found.columns, found.size)).with_atom(number)
        return self._closed(joined(rows, found.columns, found.size).with_atom(number), bound)

    def _nothing_yet(self) -> Rows:
        return Rows({}, np.zeros((1, self.words), dtype=np.int64))

    # what follows from a binding

    def _closed(self, rows: Rows, known: Bound) -> Rows:
        """Rows with what their bindings say besides: conditions, background, facts that contradict them.

        ``known`` are the variables that were bound, and so looked at, before.
        """
        rows = self._bound(rows, known)
        for blocked in self.blocked:
            if blocked.clashing:
                rows = rows.take(~blocked.is_needed(rows, self.values))
            if frozenset(rows.variables).issuperset(blocked.variables) and not known.issuperset(blocked.variables):
                rows = rows.take(~blocked.contains(rows))
        return rows

    def _bound(self, rows: Rows, known: Bound) -> Rows:
        rows = self._at_time_points(rows, known)
        while len(rows):
            before = rows.variables
            rows = self._with_background(self._where(rows, known), known)
            if rows.variables == before:
                break
        return rows

    def _where(self, rows: Rows, known: Bound) -> Rows:
        ready = _ready(self.pattern.conditions, frozenset(rows.variables))
        ready = [condition for condition in ready if not known.issuperset(condition_variables(condition))]
        if not ready or not len(rows):
            return rows
        numbers = np.arange(len(rows))
        bindings = Bindings(rows.variables, Relation(tuple(rows.columns.values()), numbers, numbers))
        try:
            bindings = apply_conditions(bindings, ready, self.values)
        except (TypeError, OverflowError) as error:
            raise self._failed(error) from error
        kept = rows.take(bindings.relation.start)
        added = dict(zip(bindings.variables, bindings.relation.columns, strict=True))
        return self._at_time_points(Rows({**kept.columns, **added}, kept.matched), known)

    def _at_time_points(self, rows: Rows, known: Bound) -> Rows:
        """Rows without those in which a time that arguments or conditions give is no time point."""
        whole = np.ones(len(rows), dtype=np.bool_)
        for name in self._unsure_times.intersection(rows.variables) - known:
            whole &= rows.columns[name] & 1 == 0
        return rows if whole.all() else rows.take(whole)

    def _with_background(self, rows: Rows, known: Bound) -> Rows:
        for atom, found in self._given:
            own, bound = frozenset(found.columns), frozenset(rows.variables)
            if known and known.issuperset(own):
                continue
            if own <= bound and own:
                rows = rows.take(arrived_in(rows, found.columns, found.size))
            elif own & bound or not self._is_reached(atom):
                rows = joined(rows, found.columns, found.size)
        return rows

    def _is_reached(self, atom: TimedAtom) -> bool:
        """Whether a background atom shares a variable with another, and so is joined when that one is."""
        own = set(atom.argument_variables)
        others = [*self.pattern.atoms, *(other for other in self.pattern.given if other != atom)]
        return any(own & set(other.variables) for other in others)

    @property
    def rule(self) -> Rule:
        """The first of the rules from which the pattern comes."""
        return next(rule for rule in self.program.rules if rule.number in self.pattern.rules)

    def _failed(self, error: Exception) -> ReasoningError:
        code = "E502" if isinstance(error, TypeError) else "E503"
        rule = self.rule
        hint = "compare numbers with numbers and texts with texts, and calculate with numbers only"
        return ReasoningError([Diagnostic(code, rule.origin, f"{error} (in a pattern for {rule.name})", hint)])


def _ready(conditions: Sequence[Comparison], bound: Bound) -> list[Comparison]:
    """The conditions that can be looked at, in an order in which they can."""
    ready: list[Comparison] = []
    waiting = [*conditions]
    growing = True
    while growing:
        growing = False
        for condition in [*waiting]:
            unknown = {*condition_variables(condition)} - bound
            if not unknown or _assigns(condition, unknown):
                ready.append(condition)
                waiting.remove(condition)
                bound |= unknown
                growing = True
    return ready


def _assigns(condition: Comparison, unknown: set[str]) -> bool:
    """Whether an equation gives the one unknown variable a value."""
    if condition.operator is not ComparisonOperator.EQUAL or len(unknown) != 1:
        return False
    (name,) = unknown
    for side, other in ((condition.left, condition.right), (condition.right, condition.left)):
        if isinstance(side, Variable) and side.name == name:
            return name not in condition_variables(Comparison(condition.operator, other, other))
    return False
