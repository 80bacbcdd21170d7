"""Whole cases: a program, its facts, and the stretch of time to ask about."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from thalweg.model.formula import Atom, Constant, atoms
from thalweg.model.program import Fact, Program, Rule, Signature
from thalweg.syntax.ast import Parameter
from thalweg.testing.strategies.knobs import Knobs
from thalweg.testing.strategies.rules import RuleWriter
from thalweg.testing.strategies.times import Times
from thalweg.testing.strategies.vocabulary import GUARDS, INPUTS, VALUES, Direction, Kind, Predicate
from thalweg.time.timeline import Timeline

_KINDS: tuple[tuple[Kind, ...], ...] = (
    (Kind.TEXT,),
    (Kind.TEXT,),
    (Kind.TEXT, Kind.TEXT),
    (Kind.TEXT, Kind.TEXT),
    (),
    (Kind.NUMBER,),
    (Kind.TEXT, Kind.NUMBER),
    (Kind.TEXT, Kind.TEXT, Kind.TEXT),
)

_OPPOSITE = {Direction.PAST: Direction.FUTURE, Direction.FUTURE: Direction.PAST}


class Case(NamedTuple):
    """What holds inside [start, end] is the question; no answer depends on more than a finite stretch of time."""

    program: Program
    facts: tuple[Fact, ...]
    start: Fraction
    end: Fraction


def rational_cases(knobs: Knobs | None = None) -> SearchStrategy[Case]:
    """Cases on the rational timeline."""
    return _cases(replace(knobs or Knobs(), timeline=Timeline.RATIONAL))


def integer_cases(knobs: Knobs | None = None) -> SearchStrategy[Case]:
    """Cases on the integer timeline."""
    return _cases(replace(knobs or Knobs(), timeline=Timeline.INTEGER))


@st.composite
def _cases(draw: DrawFn, knobs: Knobs) -> Case:
    writer = _CaseWriter(draw, knobs)
    for _ in range(draw(st.sampled_from([*range(1, knobs.max_groups + 1), knobs.max_groups]))):
        writer.add_group()
    start, end = draw(st.integers(0, 2)), draw(st.integers(9, 12))
    return Case(writer.program(), writer.facts(), Fraction(start), Fraction(end))


class _CaseWriter:
    """Adds groups of rules; each group may use what earlier groups derive."""

    def __init__(self, draw: DrawFn, knobs: Knobs) -> None:
        self.draw = draw
        self.knobs = knobs
        self.times = Times(draw, knobs)
        self.sources: list[Predicate] = list(INPUTS)
        self.rules: list[Rule] = []
        self.derived = 0
        # One direction for all unguarded recursion: past upon future would depend on infinitely much.
        self.direction = draw(st.sampled_from(knobs.directions))

    def add_group(self) -> None:
        """A predicate with plain rules, or one or two that recurse."""
        recursions = ["timeless", "directed", "directed", "guarded"] if self.knobs.recursion else []
        shape = self.draw(st.sampled_from(["plain", "plain", "plain", *recursions]))
        if shape == "plain":
            self._add_plain()
        else:
            self._add_recursive(shape)

    def program(self) -> Program:
        """The rules, numbered, with the signatures of their predicates."""
        rules = tuple(replace(rule, number=number) for number, rule in enumerate(self.rules, 1))
        signatures = {
            predicate.name: Signature(predicate.name, (Parameter(None),) * len(predicate.kinds))
            for predicate in self._mentioned()
        }
        return Program(rules, signatures=signatures, timeline=self.knobs.timeline)

    def facts(self) -> tuple[Fact, ...]:
        """Some facts of every input predicate mentioned, and now and then of a derived one."""
        facts: list[Fact] = []
        for predicate in self._mentioned():
            is_input = predicate in INPUTS or predicate in GUARDS
            count = self.draw(st.sampled_from([4, 3, 5, 6] if is_input else [0, 0, 0, 0, 1]))
            facts += [self._fact(predicate) for _ in range(count)]
        return tuple(facts)

    def _add_plain(self) -> None:
        predicate = self._new_predicate(frozenset())
        writer = self._rule_writer([])
        rules = [writer.plain(predicate) for _ in range(self.draw(st.sampled_from([1, 2])))]
        bodies = [literal for rule in rules for literal in rule.body]
        self.rules += rules
        self.sources.append(replace(predicate, unsettled=writer.write.unsettled(*bodies)))

    def _add_recursive(self, shape: str) -> None:
        directions = {"timeless": (), "directed": (self.direction,), "guarded": self.knobs.directions}[shape]
        unsettled = self._unsettled_sources | {_OPPOSITE[direction] for direction in directions}
        members = [self._new_predicate(unsettled) for _ in range(self.draw(st.sampled_from([1, 1, 2])))]
        writer = self._rule_writer(members)
        self.rules.append(writer.base(members[0]))
        if self.draw(st.sampled_from([False, False, True])):
            self.rules.append(writer.plain(members[-1]))
        # In a ring: each member is derived from the one before it, the first from the last.
        for premise, head in zip([members[-1], *members], members, strict=False):
            self.rules.append(writer.recursive(head, premise, directions, guarded=shape == "guarded"))
        self.sources += members

    def _rule_writer(self, members: list[Predicate]) -> RuleWriter:
        known = {predicate.name: predicate for predicate in (*self.sources, *GUARDS, *members)}
        return RuleWriter(self.draw, self.knobs, self.times, known, tuple(self.sources))

    def _new_predicate(self, unsettled: frozenset[Direction]) -> Predicate:
        self.derived += 1
        return Predicate(f"P{self.derived}", self.draw(st.sampled_from(_KINDS)), unsettled)

    @property
    def _unsettled_sources(self) -> frozenset[Direction]:
        return frozenset(direction for predicate in self.sources for direction in predicate.unsettled)

    def _mentioned(self) -> list[Predicate]:
        formulas = [formula for rule in self.rules for formula in (rule.head, *rule.body)]
        names = {atom.predicate for formula in formulas for atom in atoms(formula)}
        return [predicate for predicate in (*self.sources, *GUARDS) if predicate.name in names]

    def _fact(self, predicate: Predicate) -> Fact:
        arguments = tuple(Constant(self.draw(st.sampled_from(VALUES[kind]))) for kind in predicate.kinds)
        return Fact(Atom(predicate.name, arguments), self.times.fact_interval(bounded=predicate in GUARDS))
