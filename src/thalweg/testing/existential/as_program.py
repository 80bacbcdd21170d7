"""Existential rules without time as a program, so that the engine can evaluate them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from thalweg.model.formula import Atom, Constant, HeadTerm, Skolem, Variable
from thalweg.model.program import Fact, Program, Rule, Signature
from thalweg.syntax.ast import Parameter, Role
from thalweg.testing.existential.shapes import ExistentialRule, PlainAtom, frontier
from thalweg.time.interval import point
from thalweg.time.timeline import Timeline


def as_program(rules: Sequence[ExistentialRule], facts: Iterable[PlainAtom] = ()) -> Program:
    """A program that has all facts at the time 0, and so all that follows.

    Its nulls do not depend on time; they are those of :func:`~thalweg.testing.existential.chase.skolem_chase`.
    """
    facts = tuple(facts)
    atoms = (*facts, *(atom for rule in rules for atom in (*rule.head, *rule.body)))
    signatures = {atom.predicate: _signature(atom) for atom in atoms}
    return Program(
        rules=tuple(lowered for place, rule in enumerate(rules, 1) for lowered in _rules(place, rule)),
        facts=tuple(Fact(_atom(fact), point(0)) for fact in facts),
        signatures=signatures,
        timeline=Timeline.INTEGER,
    )


def _rules(place: int, rule: ExistentialRule) -> Iterator[Rule]:
    body = tuple(map(_atom, rule.body))
    given = frontier(rule)
    for atom in rule.head:
        terms = (_head_term(term, place, rule, given) for term in atom.arguments)
        yield Rule(Atom(atom.predicate, tuple(terms)), body, place)


def _head_term(term: Variable | Constant, place: int, rule: ExistentialRule, given: tuple[Variable, ...]) -> HeadTerm:
    if isinstance(term, Variable) and term in rule.existential:
        return Skolem(place, term.name, given, timed=False)
    return term


def _atom(atom: PlainAtom) -> Atom:
    return Atom(atom.predicate, tuple(atom.arguments))


def _signature(atom: PlainAtom) -> Signature:
    parameters = tuple(Parameter(f"arg{number}") for number in range(1, len(atom.arguments) + 1))
    return Signature(atom.predicate, parameters, Role.PREDICATE)
