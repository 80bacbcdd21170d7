"""Why rules have no key, for people: each reason names a rule and what stands in the way there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from thalweg.analysis.recursion import name_several
from thalweg.analysis.sharding.keys import (
    Clause,
    Option,
    Reading,
    Setting,
    places_of,
    recursion_agreement,
    term_at,
)
from thalweg.model.formula import Atom, Constant, HeadTerm, Variable, variables
from thalweg.syntax.facts import format_value


def why_recursion_has_no_key(
    predicates: Sequence[str], clauses: Sequence[Clause], options: Sequence[Option], setting: Setting
) -> Iterable[str]:
    """Why the rules of a component have no key; the options are those with which every shard would do everything."""
    without_arguments = [name for name in predicates if not setting.arities[name]]
    if without_arguments:
        return dict.fromkeys(_first_without_arguments(name, clauses) for name in without_arguments)
    if options:
        return dict.fromkeys(_why_all_is_copied(option, clauses) for option in options)
    conflicts = list(_conflicts(predicates, clauses, setting))
    names = name_several(predicates)
    return dict.fromkeys(_conflict(each, names) for each in conflicts) or (f"no key was found for {names}",)


def why_constraint_has_no_key(constraint: Clause) -> Iterable[str]:
    """Why a rule with head ⊥ has no key."""
    present = [variable for atom in constraint.guards for variable in variables(atom)]
    if not present:
        names = ", ".join(dict.fromkeys(_written(atom) for atom in constraint.guards)) or "nothing"
        return (f"{constraint.rule.name}: only {names} must hold, which has no variable for a key",)
    return dict.fromkeys(
        _read_in_two_ways(atom.predicate, [(constraint, variable)])
        for variable in present
        for atom in constraint.guards
        if variable in atom.arguments
    )


def ordinal(place: int) -> str:
    """1st for 0, 2nd for 1."""
    number = place + 1
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _first_without_arguments(predicate: str, clauses: Sequence[Clause]) -> str:
    clause = next(each for each in clauses if each.head is not None and each.head.predicate == predicate)
    return f"{clause.rule.name}: {predicate} has no arguments"


def _conflicts(predicates: Sequence[str], clauses: Sequence[Clause], setting: Setting) -> Iterator[Reading]:
    """Where the recursion contradicts each argument of its first predicate as the key."""
    start = recursion_agreement(predicates, clauses, setting)
    for place in start.possible[predicates[0]]:
        keyed = start.copy()
        conflict = keyed.choose(predicates[0], place) or keyed.settle()
        if conflict is not None:
            yield conflict


def _conflict(reading: Reading, names: str) -> str:
    atom, head = _written(reading.atom), _written(reading.head)
    read = f"{reading.rule.name}: the recursion of {names} reads {atom} for {head}"
    variables = [
        {term for term in each.arguments if isinstance(term, Variable)} for each in (reading.atom, reading.head)
    ]
    if variables[0] & variables[1]:
        return f"{read}: no variable is at the keys of both"
    constant = next((each for each, own in zip((atom, head), variables, strict=True) if not own), None)
    return f"{read}: {f'{constant} has only constants' if constant else 'no variable is common to both'}"


def _why_all_is_copied(option: Option, clauses: Sequence[Clause]) -> str:
    clause = next(each for each in clauses if not any(map(option.has_key, each.guarding)))
    head = clause.head
    assert head is not None
    place = option.keys[head.predicate]
    key = term_at(head, place)
    where = "key" if len(head.arguments) == 1 else f"{ordinal(place)} argument"
    if isinstance(key, Constant):
        return f"{clause.rule.name}: the constant {_term(key)} stands at the {where} of {head.predicate}"
    holding = [atom.predicate for atom in clause.guards if places_of(key, atom)]
    if not holding:
        return f"{clause.rule.name}: nothing that must hold has the {where} of {head.predicate}"
    keyed = [(each, term_at(each.head, option.keys[each.head.predicate])) for each in clauses if each.head]
    return _read_in_two_ways(holding[0], keyed)


def _read_in_two_ways(predicate: str, keyed: Sequence[tuple[Clause, HeadTerm | None]]) -> str:
    """Why a predicate must be replicated: not all its atoms have the key's variable, at one place."""
    places: frozenset[int] | None = None
    for clause, key in keyed:
        for atom in clause.body:
            if atom.predicate == predicate:
                here = places_of(key, atom)
                places = here if places is None else places & here
                if not places:
                    return (
                        f"{clause.rule.name}: by the key {_term(key)} every shard needs all of {predicate},"
                        f" for {_written(atom)}"
                    )
    raise AssertionError(f"{predicate} could be keyed")


def _written(atom: Atom) -> str:
    return f"{atom.predicate}({', '.join(map(_term, atom.arguments))})" if atom.arguments else atom.predicate


def _term(term: HeadTerm | None) -> str:
    match term:
        case Constant(value=value):
            return format_value(value)
        case Variable() if term.is_anonymous or "#" not in term.name:
            return str(term)
        case _:
            return "…"
