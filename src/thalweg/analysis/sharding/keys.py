"""How a group of rules can be keyed: for each predicate the argument by which its facts are spread over shards.

In each rule all keyed atoms, the head included, must have the same variable at their keys. Then all that a shard needs
to derive the facts of its own keys is on that shard, whatever operators stand around the atoms: what it derives about
the keys of other shards may be wrong, but never reaches its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from thalweg.analysis.sharding.agreement import Agreement, Link
from thalweg.model.binding import bound_by_all
from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    At,
    Atom,
    BinaryMetric,
    Formula,
    HeadTerm,
    Metric,
    Some,
    TupleWindow,
    Variable,
    Windowed,
    children,
)
from thalweg.model.program import Rule
from thalweg.syntax.ast import AggregateKind

_MOST_TRIES = 64
_MOST_WORK = 50_000
"""How many seeds a recursion is keyed from, and how many predicates are looked at for that, in all."""


class Cost(NamedTuple):
    """What a stage replicates to every shard: how many predicates that are not background, and how many in all."""

    streamed: int
    all: int

    def plus(self, other: Cost) -> Cost:
        """The cost of two stages."""
        return Cost(self.streamed + other.streamed, self.all + other.all)


NOTHING = Cost(0, 0)


@dataclass(frozen=True)
class Setting:
    """What keys are judged by.

    ``background`` are the predicates whose replication is cheap, ``static`` these and all that is derived from them
    alone: that every shard derives them costs little.
    """

    arities: Mapping[str, int]
    background: frozenset[str]
    static: frozenset[str]

    def cost(self, replicated: Iterable[str]) -> Cost:
        """What it costs to replicate these predicates."""
        names = tuple(replicated)
        return Cost(sum(name not in self.background for name in names), len(names))


@dataclass(frozen=True)
class Clause:
    """A rule as keys see it; ``position`` is its place in the program, ``head`` is None for ⊥.

    ``guards`` are the atoms that must hold for the body to hold: neither under ``not``, nor in a left operand of since
    or until, which may hold over an empty stretch of time, nor in a disjunction, nor in an aggregate of what may be
    nothing.
    """

    rule: Rule
    position: int
    head: Atom | None
    body: tuple[Atom, ...]
    guards: tuple[Atom, ...]

    @cached_property
    def reads(self) -> frozenset[str]:
        """The predicates of the body."""
        return frozenset(atom.predicate for atom in self.body)

    @cached_property
    def guarding(self) -> frozenset[str]:
        """The predicates of the guards."""
        return frozenset(atom.predicate for atom in self.guards)


def clause_of(rule: Rule, position: int) -> Clause:
    """The clause of a rule whose head core is an atom or ⊥."""
    core = rule.head_core
    body = tuple(atom for literal in rule.body for atom in _keyable(literal))
    return Clause(rule, position, core if isinstance(core, Atom) else None, body, tuple(_guards(rule.body)))


_NO_KEY = Variable("_#")
"""Stands for an argument that cannot be a key."""


def _keyable(formula: Formula, per: frozenset[int] | None = None) -> Iterator[Atom]:
    """The atoms of a formula; arguments by which they must not be spread are not there to be seen.

    A window over tuples counts all tuples of a predicate, or all with the same arguments ``per``; an aggregate all
    elements of a group.
    """
    match formula:
        case Atom():
            yield formula if per is None else _without(formula, lambda place, _: place in per)
        case Windowed(window=TupleWindow(per=positions), operand=operand):
            here = frozenset(positions or ())
            yield from _keyable(operand, here if per is None else here & per)
        case Aggregate(groups=groups):
            for atom in (atom for part in formula.body for atom in _keyable(part, per)):
                yield _without(atom, lambda _, term: term in groups)
        case _:
            for part in children(formula):
                yield from _keyable(part, per)


def _without(atom: Atom, may_be_key: Callable[[int, HeadTerm], bool]) -> Atom:
    seen = (term if may_be_key(place, term) else _NO_KEY for place, term in enumerate(atom.arguments))
    return Atom(atom.predicate, tuple(seen), atom.span)


def _guards(formulas: Iterable[Formula]) -> Iterator[Atom]:
    formulas = tuple(formulas)
    for formula in formulas:
        match formula:
            case Atom():
                yield formula
            case Metric() | Windowed() | Some() | All() | At():
                yield from _guards((formula.operand,))
            case BinaryMetric(right=right):
                yield from _guards((right,))
            case And(operands=operands):
                yield from _guards(operands)
            case Aggregate(groups=groups) if _is_never_empty(formula, formulas):
                for atom in _guards(formula.body):
                    yield _without(atom, lambda _, term: term in groups)


def _is_never_empty(aggregate: Aggregate, body: tuple[Formula, ...]) -> bool:
    """Whether an aggregate says something of groups only that have an element."""
    others = (part for part in body if not isinstance(part, Aggregate))
    has_domain = bound_by_all(others) >= frozenset(aggregate.groups)
    return not has_domain or aggregate.kind not in (AggregateKind.COUNT, AggregateKind.SUM)


@dataclass(frozen=True)
class Option:
    """One way to key some rules.

    ``keys`` has the key of each predicate they derive; ``places`` the arguments that would do as the key of each
    predicate they only read: those at which all its atoms have the key's variable. If there is none, it must be
    replicated.
    """

    keys: Mapping[str, int]
    places: Mapping[str, frozenset[int]]

    @property
    def replicated(self) -> Iterator[str]:
        """The predicates that must be replicated."""
        return (name for name, places in self.places.items() if not places)

    def has_key(self, predicate: str) -> bool:
        """Whether a predicate is spread by a key."""
        return predicate in self.keys or bool(self.places.get(predicate))


@dataclass(frozen=True)
class Reading(Link[str, int]):
    """A clause derives ``one`` from an atom of ``other``, and both are derived in one recursion."""

    head: Atom
    atom: Atom
    rule: Rule

    def fits(self, value: int, other: int) -> bool:
        """Whether head and atom have the same variable at these arguments."""
        term = term_at(self.head, value)
        return isinstance(term, Variable) and term == term_at(self.atom, other)


def recursion_options(predicates: Sequence[str], clauses: Sequence[Clause], setting: Setting) -> Iterator[Option]:
    """The ways to key the predicates of a component: from each argument of one, as the rules lead to the others."""
    start = recursion_agreement(predicates, clauses, setting)
    if start.settle() is not None or not all(start.possible.values()):
        return
    found: list[Mapping[str, int]] = []
    tries = max(len(start.possible[predicates[0]]), min(_MOST_TRIES, _MOST_WORK // len(predicates)))
    for predicate in predicates:
        for place in start.possible[predicate]:
            if not tries or any(keys[predicate] == place for keys in found):
                continue
            tries -= 1
            keys = _completed(start.copy(), predicate, place)
            if keys is not None:
                found.append(keys)
                yield Option(keys, _places(clauses, keys))


def recursion_agreement(
    predicates: Sequence[str], clauses: Sequence[Clause], setting: Setting
) -> Agreement[str, int, Reading]:
    """The keys that the predicates of a component may have, as far as they read each other."""
    possible = {name: tuple(range(setting.arities[name])) for name in predicates}
    readings = (
        Reading(clause.head.predicate, atom.predicate, clause.head, atom, clause.rule)
        for clause in clauses
        if clause.head is not None
        for atom in clause.body
        if atom.predicate in possible
    )
    return Agreement(possible, readings)


def _completed(agreement: Agreement[str, int, Reading], predicate: str, place: int) -> Mapping[str, int] | None:
    """The keys that follow from one; where a variable occurs twice, the first argument that will do."""
    if agreement.choose(predicate, place) is not None:
        return None
    for name in agreement.possible:
        places = agreement.possible[name]
        if len(places) > 1 and not any(agreement.choose(name, each) is None for each in places):
            return None
    return {name: places[0] for name, places in agreement.possible.items()}


def _places(clauses: Iterable[Clause], keys: Mapping[str, int]) -> Mapping[str, frozenset[int]]:
    places: dict[str, frozenset[int]] = {}
    for clause in clauses:
        assert clause.head is not None
        term = term_at(clause.head, keys[clause.head.predicate])
        _narrow(places, (atom for atom in clause.body if atom.predicate not in keys), term)
    return places


def constraint_options(clause: Clause) -> Iterator[Option]:
    """The ways to key a rule with head ⊥: by one of the variables that its guards have."""
    seen: list[Mapping[str, frozenset[int]]] = []
    for variable in dict.fromkeys(term for atom in clause.guards for term in atom.arguments):
        places: dict[str, frozenset[int]] = {}
        _narrow(places, clause.body, variable)
        if places not in seen and any(places[name] for name in clause.guarding):
            seen.append(places)
            yield Option({}, places)


def _narrow(places: dict[str, frozenset[int]], body: Iterable[Atom], key: HeadTerm | None) -> None:
    for atom in body:
        here = places_of(key, atom)
        known = places.get(atom.predicate)
        places[atom.predicate] = here if known is None else known & here


def places_of(key: HeadTerm | None, atom: Atom) -> frozenset[int]:
    """The arguments of an atom at which the key's variable stands; a constant is nobody's key."""
    if not isinstance(key, Variable):
        return frozenset()
    return frozenset(place for place, term in enumerate(atom.arguments) if term == key)


def term_at(atom: Atom, place: int) -> HeadTerm | None:
    """An argument, if the atom has as many."""
    return atom.arguments[place] if place < len(atom.arguments) else None


def by_guard(clauses: Iterable[Clause]) -> Mapping[str, list[Clause]]:
    """The clauses that have each predicate as a guard."""
    guarded: dict[str, list[Clause]] = {}
    for clause in clauses:
        for name in clause.guarding:
            guarded.setdefault(name, []).append(clause)
    return guarded


def undivided(
    clauses: Iterable[Clause],
    guarded_by: Callable[[str], Iterable[Clause]],
    is_split: Callable[[str], bool],
) -> Iterator[Clause]:
    """Those of the clauses that several shards apply to the same facts, and the clauses for which that follows.

    A clause is divided if one of its guards is split: then that guard holds on one shard only. What is not divided
    derives copies, which may take the last such guard from other clauses in turn.
    """
    copied: set[str] = set()
    seen: set[int] = set()
    for first in clauses:
        waiting = [first]
        while waiting:
            clause = waiting.pop()
            if clause.position in seen or any(is_split(name) and name not in copied for name in clause.guarding):
                continue
            seen.add(clause.position)
            yield clause
            if clause.head is not None and clause.head.predicate not in copied and is_split(clause.head.predicate):
                copied.add(clause.head.predicate)
                waiting.extend(guarded_by(clause.head.predicate))
