"""The rules of a program as they were written: with all head atoms together, and existential variables again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from thalweg.analysis.existential.readings import Reading, is_equation, readings
from thalweg.analysis.existential.rules import ExistentialRule, PlainAtom
from thalweg.analysis.existential.weak_acyclicity import variable_places
from thalweg.model.formula import (
    At,
    Atom,
    Constant,
    HeadTerm,
    Skolem,
    Term,
    Variable,
    skolems,
)
from thalweg.model.program import Program, Rule
from thalweg.model.reads import NOW
from thalweg.source import Span
from thalweg.time.interval import Interval

NO_NULL = Constant("*")
"""Stands for times, for what arithmetic or an aggregate has calculated, and for other values that are never nulls."""


@dataclass(frozen=True)
class HeadAtom:
    """A head atom, and when it holds: at a time, or else at these distances from the body's time."""

    atom: Atom
    time: Term | None
    reach: Interval


@dataclass(frozen=True)
class WrittenRule:
    """One way in which the body of a written rule can hold, and the atoms of its head.

    ``frontier`` has the variables on which the new nulls depend; it is empty where there are none.
    """

    reading: Reading
    head: tuple[HeadAtom, ...]
    existential: tuple[Variable, ...]
    frontier: tuple[Variable, ...]
    number: int
    origin: Span | None

    def terms(self, nulls: Collection[str] | None = None) -> Terms:
        """What the variables of the rule stand for, if nulls reach only these positions."""
        return Terms.of(self, nulls)


@dataclass(frozen=True)
class PerRule(ExistentialRule):
    """An existential rule that says what its nulls depend on: ``exists Y per X``.

    The skolem chase then names a null after the rule, the variable and the values of these variables only. So, in the
    graph of Definition 7, special edges come only from their positions in the body (also if the head does not have
    them), and weak acyclicity still bounds the chase: by induction on the largest number of special edges on a path to
    a position, finitely many values reach it, because its nulls are functions of values at positions with fewer. The
    other variables of the head carry their values along normal edges as always.
    """

    per: tuple[Variable, ...] = ()

    @property
    def frontier(self) -> tuple[Variable, ...]:
        """The variables on which the nulls depend."""
        return self.per


def written_rules(program: Program, *, windows: bool) -> Iterator[WrittenRule]:
    """The rules that derive atoms, in order, each as often as its body has readings (see :func:`readings`)."""
    for number, group in groupby(program.rules, key=lambda rule: rule.number):
        rules = list(group)
        for together in [rules] if number and _have_one_body(rules) else [[rule] for rule in rules]:
            yield from _written(program, together, windows=windows)


def existential_rule(
    body: Iterable[PlainAtom],
    head: tuple[PlainAtom, ...],
    existential: tuple[Variable, ...],
    frontier: tuple[Variable, ...],
    number: int,
    origin: Span | None,
) -> ExistentialRule:
    """The rule, which says what its nulls depend on only if that is not all that the body gives the head."""
    rule = ExistentialRule(tuple(dict.fromkeys(body)), head, existential, number, origin)
    if not existential or set(frontier) == set(rule.frontier):
        return rule
    return PerRule(rule.body, head, existential, number, origin, frontier)


@dataclass(frozen=True)
class Terms:
    """What the variables of a rule stand for: times, ``values`` that can be nulls, or values that cannot.

    Variables that an equation makes equal become one.
    """

    times: frozenset[Variable]
    same: Mapping[Variable, Variable]
    values: frozenset[Variable]
    existential: frozenset[Variable]

    @classmethod
    def of(cls, rule: WrittenRule, nulls: Collection[str] | None = None) -> Terms:
        """The terms of a rule, if nulls reach only the positions given: what must be elsewhere, too, is none."""
        head = (atom.time for atom in rule.head)
        body = (term for term, _ in rule.reading.times)
        times = frozenset(term for term in (*head, *body) if isinstance(term, Variable))
        same = _equal_variables(rule.reading, times)
        plain = cls(times, same, frozenset(), frozenset(rule.existential))
        places = variable_places(plain.in_body(each.atom) for each in rule.reading.occurrences)
        values = (v for v, found in places.items() if nulls is None or all(place in nulls for place in found))
        return replace(plain, values=frozenset(values) - times)

    def is_value(self, variable: Variable) -> bool:
        """Whether the variable can stand for a null."""
        return self.same.get(variable, variable) in self.values or variable in self.existential

    def in_body(self, atom: Atom) -> PlainAtom:
        """A body atom, without its time."""
        return PlainAtom(atom.predicate, tuple(self._merged(term) for term in atom.arguments))

    def in_head(self, atom: Atom) -> PlainAtom:
        """A head atom, without its time."""
        terms = map(self._merged, atom.arguments)
        return PlainAtom(
            atom.predicate,
            tuple(NO_NULL if isinstance(t, Variable) and not self.is_value(t) else t for t in terms),
        )

    def frontier(self, rule: WrittenRule) -> tuple[Variable, ...]:
        """The frontier of a rule, of which times and numbers are no part."""
        values = (self.same.get(variable, variable) for variable in rule.frontier if self.is_value(variable))
        return tuple(dict.fromkeys(values))

    def _merged(self, term: HeadTerm) -> Variable | Constant:
        match term:
            case Skolem(variable=name):
                return Variable(name)
            case Variable():
                return self.same.get(term, term)
            case Constant():
                return term


def _written(program: Program, rules: list[Rule], *, windows: bool) -> Iterator[WrittenRule]:
    head = tuple(
        HeadAtom(rule.head_core, rule.head_time, NOW if isinstance(rule.head, At) else rule.reach)
        for rule in rules
        if isinstance(rule.head_core, Atom)
    )
    if not head:
        return
    nulls = [null for rule in rules for null in skolems(rule.head)]
    existential = tuple(dict.fromkeys(Variable(null.variable) for null in nulls))
    frontier = nulls[0].frontier if nulls else ()
    for reading in readings(program, rules[0].body, windows=windows):
        yield WrittenRule(reading, head, existential, frontier, rules[0].number, rules[0].origin)


def _have_one_body(rules: list[Rule]) -> bool:
    return all(rule.body == rules[0].body for rule in rules)


def _equal_variables(reading: Reading, times: Collection[Variable]) -> Mapping[Variable, Variable]:
    """For each variable that is equal to another the first of them, unless it is a time."""
    first: dict[Variable, Variable] = {}

    def find(variable: Variable) -> Variable:
        while (other := first.get(variable, variable)) != variable:
            variable = other
        return variable

    for left, right in ((each.left, each.right) for each in reading.comparisons if is_equation(each)):
        assert isinstance(left, Variable)
        assert isinstance(right, Variable)
        if left not in times and right not in times and find(left) != find(right):
            first[find(right)] = find(left)
    return {variable: find(variable) for variable in first}
