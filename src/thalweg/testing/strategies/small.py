"""Small programs of LARS, stratified or not, with few atoms: all their answers can be found by trying."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from thalweg.model.formula import (
    All,
    And,
    At,
    Atom,
    Bottom,
    BoxMinus,
    Constant,
    DiamondMinus,
    Formula,
    Not,
    Or,
    Since,
    Some,
    Term,
    TimeWindow,
    Top,
    TupleWindow,
    Variable,
    Window,
    Windowed,
    atoms,
    variables,
)
from thalweg.model.program import Fact, Program, Rule, Signature
from thalweg.syntax.ast import Parameter
from thalweg.testing.strategies.drawing import Choices
from thalweg.time.interval import Interval, point
from thalweg.time.timeline import Timeline

X, U = Variable("X"), Variable("U")
_GIVEN = {"A": 0, "B": 1}
_DERIVED = ({"P": 0, "Q": 0}, {"P": 0}, {"P": 0, "Q": 0, "R": 0}, {"P": 1}, {"P": 1, "Q": 0})
_VALUES = ("a", "b")


class SmallCase(NamedTuple):
    """The answers at an evaluation time are the question; without one, those at which rules always hold."""

    program: Program
    facts: tuple[Fact, ...]
    at: int | None


def small_lars_cases(most: int = 6) -> SearchStrategy[SmallCase]:
    """Cases with ``most`` derived atoms at most, each at one time point; negation is as free as it can be.

    Something in each is of LARS, so that the timeline is the declared one.
    """
    return _cases(most)


@st.composite
def _cases(draw: DrawFn, most: int) -> SmallCase:
    choices = Choices(draw)
    last = choices.one_of((1, 0, 2))
    fitting = [each for each in _DERIVED if (last + 1) * sum(2**arity for arity in each.values()) <= most]
    derived = choices.one_of(fitting or _DERIVED[1:2])
    writer = _Writer(choices, {**_GIVEN, **derived})
    rules = [writer.rule(tuple(derived)) for _ in range(choices.one_of((1, 2, 3)))]
    if len(derived) > 1 and choices.chance(75):
        rules += writer.choice(*tuple(derived)[:2])
    rules = [replace(rule, number=number) for number, rule in enumerate(rules, 1)]
    if not Program(tuple(rules)).is_windowed:
        rules[0] = replace(rules[0], body=(*rules[0].body, Some(Top())))
    names = {atom.predicate for rule in rules for part in (rule.head, *rule.body) for atom in atoms(part)}
    program = Program(
        tuple(rules),
        signatures={
            name: Signature(name, (Parameter(None),) * arity) for name, arity in writer.arities.items() if name in names
        },
        timeline=Timeline.INTEGER,
        timeline_start=Fraction(0),
        timeline_end=Fraction(last),
    )
    given = [name for name in _GIVEN if name in names]
    facts = tuple(writer.fact(choices.one_of(given), last) for _ in range(choices.one_of((2, 3, 4)) if given else 0))
    return SmallCase(program, facts, None if choices.chance(50) else choices.one_of(range(last + 1)))


class _Writer:
    def __init__(self, choices: Choices, arities: dict[str, int]) -> None:
        self.choices = choices
        self.arities = arities

    def choice(self, one: str, other: str) -> list[Rule]:
        """Two rules that negate each other's heads, sometimes in a window: a choice, if nothing else decides it."""
        both = (Atom(one, self._choice_terms(one)), Atom(other, self._choice_terms(other)))
        return [self._completed(head, [self._denied(avoided)], ()) for head, avoided in (both, both[::-1])]

    def _choice_terms(self, predicate: str) -> tuple[Term, ...]:
        return (X,) * self.arities[predicate]

    def _denied(self, atom: Atom) -> Formula:
        match self.choices.one_of(("bare", "bare", "window", "some", "at")):
            case "window":
                return Not(Windowed(self._window(), Some(atom)))
            case "some":
                return Not(Some(atom))
            case "at":
                return Not(At(atom, Constant(Fraction(self.choices.one_of((0, 1))))))
            case _:
                return Not(atom)

    def rule(self, derived: tuple[str, ...]) -> Rule:
        """A rule."""
        body: list[Formula] = [
            self._formula(self.choices.one_of((1, 0, 2))) for _ in range(self.choices.one_of((1, 2)))
        ]
        head: Formula = Bottom() if self.choices.chance(8) else self._atom(self.choices.one_of(derived))
        if isinstance(head, Atom) and self.choices.chance(20):
            head = At(head, self._time())
        return self._completed(head, body, derived)

    def _completed(self, head: Formula, body: list[Formula], derived: tuple[str, ...]) -> Rule:
        """The rule, in which atoms bind X and the time variable U if they occur."""
        used = {variable for part in (head, *body) for variable in variables(part)}
        if X in used:
            unary = [name for name, arity in self.arities.items() if arity and (name in derived or name in _GIVEN)]
            binder: Formula = Atom(self.choices.one_of(unary), (X,))
            body.append(binder if self.choices.chance(50) else Some(binder))
        if U in used:
            body.append(At(self._atom(self.choices.one_of(("A", *derived)), ground=True), U))
        return Rule(head, tuple(body))

    def fact(self, predicate: str, last: int) -> Fact:
        """A fact, at a time point or always."""
        always = Interval(Fraction(0), Fraction(last))
        when = always if self.choices.chance(40) else point(self.choices.one_of(range(last + 1)))
        return Fact(self._atom(predicate, ground=True), when)

    def _leaf(self, negated: bool) -> Atom:
        """Most often an atom that may hold, or one whose absence is uncertain."""
        given = self.choices.chance(15 if negated else 60)
        return self._atom(self.choices.one_of([name for name in self.arities if (name in _GIVEN) is given]))

    def _formula(self, depth: int, negated: bool = False) -> Formula:
        atom = self._leaf(negated)
        if depth == 0:
            return atom
        shapes = ("not", "not", "not", "or", "implies", "and", "window", "window", "some", "at", "metric")
        shape = self.choices.one_of(shapes)
        inner = self._formula(depth - 1, negated is not (shape in ("not", "implies")))
        match shape:
            case "not":
                return _negated(inner)
            case "or":
                return Or((inner, atom))
            case "implies":
                return Or((_negated(inner), atom))
            case "and":
                return And((inner, atom))
            case "window":
                quantified = self.choices.one_of((Some(inner), All(inner), At(inner, self._time()), inner))
                return Windowed(self._window(), quantified, of_stream=self.choices.chance(15))
            case "some":
                return Some(inner)
            case "at":
                return At(inner, self._time())
            case _:
                return self._metric(inner, atom)

    def _metric(self, inner: Formula, atom: Atom) -> Formula:
        interval = Interval(Fraction(self.choices.one_of((1, 0))), Fraction(1))
        operator = self.choices.one_of((DiamondMinus, BoxMinus, Since))
        return Since(interval, atom, inner) if operator is Since else operator(interval, inner)

    def _window(self) -> Window:
        if self.choices.chance(30):
            return TupleWindow(1, self.choices.one_of((0, 1)))
        return TimeWindow(Fraction(self.choices.one_of((1, 0, 2))), Fraction(self.choices.one_of((0, 0, 1))))

    def _atom(self, predicate: str, ground: bool = False) -> Atom:
        if not self.arities[predicate]:
            return Atom(predicate)
        value = Constant(self.choices.one_of(_VALUES))
        return Atom(predicate, (value if ground or self.choices.chance(30) else X,))

    def _time(self) -> Term:
        return U if self.choices.chance(60) else Constant(Fraction(self.choices.one_of((0, 1))))


def _negated(formula: Formula) -> Formula:
    """¬α as lowering writes it: without double negations."""
    return formula.operand if isinstance(formula, Not) else Not(formula)
