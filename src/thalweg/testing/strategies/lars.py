"""Whole cases of LARS: a program on a finite integer timeline, its facts, and the stretch of time to ask about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from thalweg.model.formula import All, At, Atom, Constant, Some, Windowed, atoms, subformulas
from thalweg.model.program import Fact, Program, Rule, Signature
from thalweg.syntax.ast import Parameter, Role
from thalweg.testing.strategies.cases import Case
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.lars_formulas import BACKGROUND
from thalweg.testing.strategies.lars_knobs import LarsKnobs
from thalweg.testing.strategies.lars_rules import LarsRuleWriter
from thalweg.testing.strategies.vocabulary import INPUTS, VALUES, Kind, Predicate
from thalweg.time.interval import ALWAYS, Interval, point
from thalweg.time.timeline import Timeline

KINDS: tuple[tuple[Kind, ...], ...] = (
    (Kind.TEXT,),
    (Kind.TEXT,),
    (Kind.TEXT, Kind.TEXT),
    (),
    (Kind.NUMBER,),
    (Kind.TEXT, Kind.NUMBER),
)
"""The kinds of the arguments of derived predicates."""


def lars_cases(knobs: LarsKnobs | None = None) -> SearchStrategy[Case]:
    """Cases with windows: safe, stratified, on ``timeline integer from 0 to N``."""
    return _cases(knobs or LarsKnobs())


@st.composite
def _cases(draw: DrawFn, knobs: LarsKnobs) -> Case:
    writer = LarsCaseWriter(Choices(draw), knobs)
    for _ in range(writer.choices.one_of([*range(1, knobs.max_groups + 1)])):
        writer.add_group()
    writer.ensure_window()
    start, end = (0, writer.last) if writer.choices.chance(70) else (2, writer.last - 3)
    return Case(writer.program(), writer.facts(), Fraction(start), Fraction(end))


class LarsCaseWriter:
    """Adds groups of rules; each group may use what earlier groups derive.

    ``counts`` are the numbers of facts to choose from for an input predicate.
    """

    counts: Sequence[int] = (3, 2, 4, 5)

    def __init__(self, choices: Choices, knobs: LarsKnobs) -> None:
        self.choices = choices
        self.knobs = knobs
        self.last = choices.one_of(range(knobs.shortest, knobs.longest + 1))
        self.sources: list[Predicate] = [*INPUTS[:6], *(BACKGROUND if knobs.background else ())]
        self.rules: list[Rule] = []
        self.derived = 0

    def add_group(self) -> None:
        """A predicate with plain rules, or one or two that recurse."""
        recursive = self.knobs.recursion and self.choices.chance(35)
        members = [self.new_predicate() for _ in range(self.choices.one_of((1, 1, 2)) if recursive else 1)]
        writer = LarsRuleWriter(self.choices, self.knobs, tuple(self.sources))
        for _ in range(self.choices.one_of((1, 1, 2))):
            self.rules.append(writer.plain(members[0]))
        if recursive:
            # In a ring: each member is derived from the one before it, the first from the last.
            for premise, head in zip([members[-1], *members], members, strict=False):
                self.rules.append(writer.recursive(head, premise))
        self.sources += members

    def ensure_window(self) -> None:
        """A last rule with a window, if no other has one: without, the program has no bounds."""
        parts = (part for rule in self.rules for each in (rule.head, *rule.body) for part in subformulas(each))
        if not any(isinstance(part, Windowed | Some | All | At) for part in parts):
            write = LarsRuleWriter(self.choices, self.knobs, tuple(self.sources)).write
            body = write.windowed(Some(Atom(INPUTS[0].name)))
            self.rules.append(Rule(Atom("Last"), (body,)))
            self.sources.append(Predicate("Last"))

    def program(self) -> Program:
        """The rules, numbered, with the signatures of their predicates."""
        signatures = {
            predicate.name: Signature(
                predicate.name,
                (Parameter(None),) * len(predicate.kinds),
                Role.BACKGROUND if predicate in BACKGROUND else Role.PREDICATE,
            )
            for predicate in self._mentioned()
        }
        return Program(
            tuple(self.numbered()),
            signatures=signatures,
            timeline=Timeline.INTEGER,
            timeline_start=Fraction(0),
            timeline_end=Fraction(self.last),
        )

    def numbered(self) -> Iterator[Rule]:
        """The rules with their numbers."""
        return (replace(rule, number=number) for number, rule in enumerate(self.rules, 1))

    def facts(self) -> tuple[Fact, ...]:
        """Some facts of every input predicate mentioned, and now and then of a derived one."""
        facts: list[Fact] = []
        for predicate in self._mentioned():
            is_given = predicate in INPUTS or predicate in BACKGROUND
            count = self.choices.one_of(self.counts if is_given else [0, 0, 0, 0, 1])
            facts += [self._fact(predicate) for _ in range(count)]
        return tuple(facts)

    def new_predicate(self, kinds: Sequence[tuple[Kind, ...]] = KINDS) -> Predicate:
        """A predicate that no rule has derived so far."""
        self.derived += 1
        return Predicate(f"P{self.derived}", self.choices.one_of(kinds))

    def _mentioned(self) -> list[Predicate]:
        formulas = [formula for rule in self.rules for formula in (rule.head, *rule.body)]
        names = {atom.predicate for formula in formulas for atom in atoms(formula)}
        return [predicate for predicate in self.sources if predicate.name in names]

    def _fact(self, predicate: Predicate) -> Fact:
        arguments = tuple(Constant(self.choices.one_of(VALUES[kind])) for kind in predicate.kinds)
        return Fact(Atom(predicate.name, arguments), self._when(predicate))

    def _when(self, predicate: Predicate) -> Interval:
        """Most often a time point."""
        if predicate in BACKGROUND:
            return ALWAYS
        start = self.choices.one_of(range(self.last + 1))
        if not self.choices.chance(25):
            return point(start)
        return Interval(Fraction(start), Fraction(min(self.last, start + self.choices.one_of((2, 1, 4, 8)))))
