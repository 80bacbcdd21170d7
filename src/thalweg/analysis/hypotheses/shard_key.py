"""How the facts of a query can be spread over shards: all rows of one answer must meet on one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from thalweg.analysis.hypotheses.patterns import Pattern, Unfolding, answer_names
from thalweg.analysis.hypotheses.terms import PatternTerm, Shifted, TimedAtom

Places = Mapping[str, frozenset[int]]
"""The arguments by which the facts of a predicate can be spread."""


@dataclass(frozen=True)
class HypothesisSharding:
    """By which argument facts are spread.

    ``position`` is the argument of the query by which its answers are spread then, ``keys`` has the argument of each
    input predicate; facts of others, which are background, go to all shards. Without a position one shard does it all,
    for the ``reason``.
    """

    position: int | None
    keys: Mapping[str, int] = field(default_factory=dict)
    reason: str | None = None


def shard_by(unfolding: Unfolding) -> HypothesisSharding:
    """The first argument of the query that all atoms of all its patterns share."""
    arity = unfolding.program.signatures[unfolding.query].arity
    for position in range(arity):
        for places in _possible(unfolding, position):
            return HypothesisSharding(position, {name: min(found) for name, found in places.items()})
    return HypothesisSharding(None, reason=_reason(unfolding, arity))


def _possible(unfolding: Unfolding, position: int) -> Iterator[Places]:
    """The ways to spread the facts so that rows meet by an argument of the answer.

    Each choice of an argument for a negated derived atom is a way of its own: its answers are spread by it in turn.
    """
    ways = [{}] if not unfolding.patterns else [*_for_pattern(unfolding, unfolding.patterns[0], position)]
    for pattern in unfolding.patterns[1:]:
        ways = [*_agreeing(ways, _for_pattern(unfolding, pattern, position))]
    yield from ways


def _for_pattern(unfolding: Unfolding, pattern: Pattern, position: int) -> list[Places]:
    key = pattern.answer.arguments[position]
    if not isinstance(key, Shifted) or key.offset:
        return []
    ways: list[Places] = [{}]
    for atom in (*pattern.atoms, *pattern.negated):
        if atom.predicate not in unfolding.program.background:
            ways = [*_agreeing(ways, _for_atom(unfolding, atom, key))]
    return ways


def _for_atom(unfolding: Unfolding, atom: TimedAtom, key: PatternTerm) -> list[Places]:
    found = [number for number, term in enumerate(atom.arguments) if term == key]
    below = unfolding.below.get(atom.predicate)
    if below is None:
        return [{atom.predicate: frozenset(found)}] if found else []
    return [places for number in found for places in _possible(below, number)]


def _agreeing(ways: Iterable[Places], others: Iterable[Places]) -> Iterator[Places]:
    """Both at once, where some argument is left for every predicate."""
    seen = set[frozenset[tuple[str, frozenset[int]]]]()
    for one, other in product([*ways], [*others]):
        both = {name: one.get(name, places) & other.get(name, places) for name, places in {**one, **other}.items()}
        same = frozenset(both.items())
        if all(both.values()) and same not in seen:
            seen.add(same)
            yield both


def _reason(unfolding: Unfolding, arity: int) -> str:
    """Why there is no such argument, for people: the first atom that is in the way of each."""
    if not arity:
        return f"{unfolding.query} has no arguments"
    names = answer_names(unfolding.program, unfolding.query)
    return "; ".join(_hindrance(unfolding, position, names[position]) for position in range(arity))


def _hindrance(unfolding: Unfolding, position: int, name: str) -> str:
    for pattern in unfolding.patterns:
        key = pattern.answer.arguments[position]
        if not isinstance(key, Shifted) or key.offset:
            return f"{name} is {key} in a pattern"
        shown = name if str(key) == name else f"{key}, which is {name}"
        for atom in (*pattern.atoms, *pattern.negated):
            if atom.predicate in unfolding.program.background:
                continue
            if key not in atom.arguments:
                return f"{atom} does not have {shown}"
            if not _for_atom(unfolding, atom, key):
                below = unfolding.below[atom.predicate]
                return f"below not {atom}: {_hindrance(below, *_place(below, atom, key))}"
    return f"atoms of one predicate have {name} at different arguments"


def _place(below: Unfolding, atom: TimedAtom, key: PatternTerm) -> tuple[int, str]:
    """The argument of a negated atom that has the key, and its name there."""
    position = atom.arguments.index(key)
    return position, answer_names(below.program, below.query)[position]
