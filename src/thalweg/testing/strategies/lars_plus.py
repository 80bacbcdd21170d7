"""Whole cases of LARS+: a program with existential rules on the integer timeline, its facts, and what to ask about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from thalweg.model.formula import Atom, Formula, Some, Variable, Windowed
from thalweg.model.program import Program, Rule
from thalweg.testing.strategies.cases import Case
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.lars import KINDS, LarsCaseWriter
from thalweg.testing.strategies.lars_formulas import BACKGROUND, TIMES
from thalweg.testing.strategies.lars_knobs import LarsKnobs
from thalweg.testing.strategies.lars_plus_bodies import PURE_INPUTS, LarsPlusBodyWriter
from thalweg.testing.strategies.lars_plus_heads import Head, HeadWriter, rules_of
from thalweg.testing.strategies.lars_plus_knobs import LarsPlusKnobs
from thalweg.testing.strategies.lars_rules import LarsRuleWriter
from thalweg.testing.strategies.vocabulary import INPUTS, Kind, Predicate

_TEXTS = ((Kind.TEXT, Kind.TEXT), (Kind.TEXT,), (Kind.TEXT, Kind.TEXT), (Kind.TEXT, Kind.TEXT, Kind.TEXT))
"""The kinds of what has room for nulls."""


def lars_plus_cases(knobs: LarsPlusKnobs | None = None) -> SearchStrategy[Case]:
    """Cases with existential rules, safe and stratified, whose chase ends inside [start, end].

    Without further knobs they are of LARS+ (paper, Definition 1): positive, frontiers as the paper has them.
    """
    return _cases(knobs or LarsPlusKnobs())


@st.composite
def _cases(draw: DrawFn, knobs: LarsPlusKnobs) -> Case:
    choices = Choices(draw)
    endless = knobs.endless and choices.chance(25)
    writer = _CaseWriter(choices, _looking_back(knobs) if endless else knobs, endless)
    for _ in range(choices.one_of([*range(1, knobs.max_groups + 1), knobs.max_groups, knobs.max_groups])):
        writer.add_group()
    writer.ensure_window()
    return Case(writer.program(), writer.facts(), Fraction(0), Fraction(writer.last))


def _looking_back(knobs: LarsPlusKnobs) -> LarsPlusKnobs:
    """What can be decided on a timeline without an end; disjunctions can, but the oracle takes long for them there."""
    if not knobs.beyond:
        return replace(knobs, unbounded=False)
    beyond = replace(knobs.beyond, future=False, unbounded=False, at=False, background=False, disjunction=False)
    # Beyond LARS+, times of heads may come from data: they would lie anywhere.
    return replace(knobs, unbounded=False, at_heads=False, beyond=beyond)


class _CaseWriter(LarsCaseWriter):
    """Adds groups of rules; each may use what earlier groups derive, so that chases end."""

    counts = (6, 5, 7, 9)

    def __init__(self, choices: Choices, knobs: LarsPlusKnobs, endless: bool) -> None:
        within = replace(knobs.beyond or LarsKnobs(), shortest=knobs.shortest, longest=knobs.longest)
        super().__init__(choices, within)
        self.plus = knobs
        self.endless = endless
        self.sources = [*PURE_INPUTS]
        if knobs.beyond:
            self.sources = [*INPUTS, *(BACKGROUND if knobs.beyond.background else ())]
        self.number = 0

    def add_group(self) -> None:
        """Up to three predicates, derived by one existential rule at least, or by one rule without."""
        shapes = ["existential"] * 4 + ["plain"] + ["recursive"] * 2 * self.plus.recursion
        shape = self.choices.one_of(shapes + ["later", "guarded"] * self.plus.existential_recursion)
        members = [self.new_predicate(_TEXTS), *map(self.new_predicate, self._kinds())]
        write = _Writers(self.choices, self.plus, self.sources)
        body = write.body()
        heads = write.heads.plain(members, body) if shape == "plain" else write.heads.existential(members, body)
        self._add(heads, body)
        if self.choices.chance(25):
            body, member = write.body(), self.choices.one_of(members)
            self._add(write.heads.plain([member], body), body)
        match shape:
            case "recursive":
                body = write.recursive_body(members[-1])
                self._add(write.heads.recursive(members[0], body), body)
            case "later":
                body = write.bodies.later(members[0])
                self._add(write.heads.later([members[0]], body, Variable(TIMES[0])), body)
            case "guarded":
                guard, premise = write.guard(), write.bodies.literal(members[0])
                body = write.bodies.with_arithmetic([guard, premise])
                self._add(write.heads.existential(members[:1], body, [guard]), body)
        self.sources += members

    def ensure_window(self) -> None:
        """A last rule with a window, if nothing else gives the program bounds."""
        if not Program(tuple(self.rules)).is_windowed:
            window = LarsPlusBodyWriter(self.choices, self.plus, self.sources).window()
            self._add(Head((Atom("Last"),)), [Windowed(window, Some(Atom(INPUTS[0].name)))])
            self.sources.append(Predicate("Last"))

    def program(self) -> Program:
        """The rules with the signatures of their predicates."""
        program = super().program()
        return replace(program, timeline_end=None) if self.endless else program

    def numbered(self) -> Iterator[Rule]:
        """The rules: those that come from one written rule have one number."""
        return iter(self.rules)

    def _add(self, head: Head, body: Sequence[Formula]) -> None:
        self.number += 1
        self.rules += rules_of(head, body, self.number, None if self.endless else self.last)

    def _kinds(self) -> list[Sequence[tuple[Kind, ...]]]:
        """The kinds to choose from for each further head atom."""
        kinds = KINDS if self.plus.beyond else (*_TEXTS, ())
        return [kinds] * self.choices.one_of((0, 0, 1, 1, 2))


class _Writers:
    """What writes the bodies and heads of one group."""

    def __init__(self, choices: Choices, knobs: LarsPlusKnobs, sources: Sequence[Predicate]) -> None:
        self.choices = choices
        self.beyond = knobs.beyond
        self.bodies = LarsPlusBodyWriter(choices, knobs, sources)
        self.lars = LarsRuleWriter(choices, knobs.beyond or LarsKnobs(), tuple(sources))
        self.heads = HeadWriter(choices, knobs, self.lars)

    def body(self) -> list[Formula]:
        """A body over the sources, of LARS+ or beyond it."""
        return self.lars.plain_body() if self.beyond and self.choices.chance(65) else self.bodies.body()

    def recursive_body(self, premise: Predicate) -> list[Formula]:
        """A body with a premise of its own group."""
        if self.beyond and self.choices.chance(50):
            return self.lars.recursive_body(premise)
        return self.bodies.recursive(premise)

    def guard(self) -> Formula:
        """A literal with input values only."""
        return self.bodies.literal(self.choices.one_of(self.bodies.inputs[1:]))
