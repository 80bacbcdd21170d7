"""Minimal patterns: those that no other makes superfluous."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from thalweg.analysis.hypotheses.patterns import Pattern
from thalweg.analysis.hypotheses.terms import (
    NotUnifiable,
    PatternTerm,
    Shifted,
    TimedAtom,
    Value,
    shifted,
    substituted,
    substituted_condition,
)
from thalweg.model.formula import Comparison


def minimal(patterns: Sequence[Pattern]) -> list[Pattern]:
    """The patterns without redundant atoms, and without those of which another is a part."""
    reduced = list(dict.fromkeys(condensed(pattern) for pattern in patterns))
    holding: dict[TimedAtom, list[int]] = {}
    for number, pattern in enumerate(reduced):
        for atom in pattern.atoms:
            holding.setdefault(atom, []).append(number)
    superfluous: set[int] = set()
    for number, pattern in enumerate(reduced):
        for other in _comparable(number, reduced, holding):
            if other not in superfluous and subsumes(pattern, reduced[other]):
                # Of patterns that say the same the first stays.
                superfluous |= {other} if number < other or not subsumes(reduced[other], pattern) else set()
    return [pattern for number, pattern in enumerate(reduced) if number not in superfluous]


def condensed(pattern: Pattern) -> Pattern:
    """The pattern without atoms that only repeat others with more variables: every instance has the rest anyway.

    Where q(X) at T waits for p(X) at T and p(Y) at T, the second atom is no hypothesis of its own.
    """
    for atom in pattern.atoms:
        if {*pattern.answer.variables}.issuperset(atom.variables):
            continue  # the answer says what it is, so that no other atom can stand for it
        rest = tuple(other for other in pattern.atoms if other != atom)
        smaller = replace(pattern, atoms=rest)
        if rest and _is_bound(smaller) and subsumes(pattern, smaller):
            return condensed(smaller)
    return pattern


def subsumes(pattern: Pattern, other: Pattern) -> bool:
    """Whether some σ makes all of the pattern a part of the other, for the same answers."""
    answer = _matched(pattern.answer, other.answer, {})
    if answer is None:
        return False
    wanted = [(atom, other.atoms) for atom in pattern.atoms] + [(atom, other.given) for atom in pattern.given]
    wanted += [(atom, other.negated) for atom in pattern.negated]
    return any(_conditions_among(pattern.conditions, other.conditions, found) for found in _embeddings(wanted, answer))


def _comparable(number: int, patterns: Sequence[Pattern], holding: Mapping[TimedAtom, Sequence[int]]) -> Iterator[int]:
    """The other patterns that may contain a pattern: all, or those with the atoms that the answer alone determines."""
    pattern = patterns[number]
    known = {*pattern.answer.variables}
    fixed = [holding[atom] for atom in pattern.atoms if known.issuperset(atom.variables)]
    if not fixed or not all(isinstance(term, Shifted) for term in pattern.answer.terms):
        yield from (other for other in range(len(patterns)) if other != number)
        return
    for other in min(fixed, key=len):
        if other != number:
            yield other
    for other in range(len(patterns)):
        if other != number and patterns[other].answer != pattern.answer:
            yield other


def _embeddings(
    wanted: Sequence[tuple[TimedAtom, tuple[TimedAtom, ...]]], found: Mapping[str, PatternTerm]
) -> Iterator[Mapping[str, PatternTerm]]:
    """The substitutions that send every atom to one of its candidates; atoms without a choice are looked at first."""
    open_ones = []
    for atom, candidates in wanted:
        if not found.keys() >= {*atom.variables}:
            open_ones.append((atom, candidates))
        elif _image(atom, found) not in candidates:
            return
    if not open_ones:
        yield found
        return
    (atom, candidates), *rest = open_ones
    for candidate in candidates:
        extended = _matched(atom, candidate, found)
        if extended is not None:
            yield from _embeddings(rest, extended)


def _image(atom: TimedAtom, found: Mapping[str, PatternTerm]) -> TimedAtom | None:
    try:
        return substituted(atom, found)
    except NotUnifiable:
        return None


def _matched(atom: TimedAtom, other: TimedAtom, found: Mapping[str, PatternTerm]) -> Mapping[str, PatternTerm] | None:
    """The substitution extended so that the atom becomes the other; None where none does."""
    if atom.predicate != other.predicate:
        return None
    extended = dict(found)
    for term, goal in zip(atom.terms, other.terms, strict=True):
        if isinstance(term, Value):
            if term != goal:
                return None
            continue
        try:
            wanted = shifted(goal, -term.offset)
        except NotUnifiable:
            return None
        if extended.setdefault(term.variable, wanted) != wanted:
            return None
    return extended


def _conditions_among(
    conditions: Sequence[Comparison], others: Sequence[Comparison], found: Mapping[str, PatternTerm]
) -> bool:
    return all(substituted_condition(condition, found) in others for condition in conditions)


def _is_bound(pattern: Pattern) -> bool:
    """Whether the atoms still give every variable of the answer and of conditions a value."""
    bound = {name for atom in (*pattern.atoms, *pattern.given) for name in atom.variables}
    needed = [*pattern.answer.variables, *(name for atom in pattern.negated for name in atom.variables)]
    return bound.issuperset(needed) and bound.issuperset(pattern.variables)
