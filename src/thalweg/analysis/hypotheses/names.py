"""Patterns with names that people can read."""

from __future__ import annotations

from dataclasses import replace

from thalweg.analysis.hypotheses.patterns import Pattern
from thalweg.analysis.hypotheses.terms import PatternTerm, Shifted, substituted, substituted_condition


def named(pattern: Pattern) -> Pattern:
    """The pattern with its variables named as in the rules they come from, numbered where that is not enough."""
    taken: set[str] = set()
    new: dict[str, PatternTerm] = {}
    local = (name for atom in pattern.negated for name in atom.variables)
    for name in dict.fromkeys((*pattern.variables, *local)):
        stem = name.partition("~")[0].partition("#")[0]
        stem = {"now": "T", "": "V"}.get(stem, stem)
        chosen, number = stem, 1
        while chosen in taken:
            number += 1
            chosen = f"{stem}{number}"
        taken.add(chosen)
        new[name] = Shifted(chosen)
    return replace(
        pattern,
        answer=substituted(pattern.answer, new),
        atoms=tuple(substituted(atom, new) for atom in pattern.atoms),
        given=tuple(substituted(atom, new) for atom in pattern.given),
        negated=tuple(substituted(atom, new) for atom in pattern.negated),
        conditions=tuple(substituted_condition(condition, new) for condition in pattern.conditions),
    )
