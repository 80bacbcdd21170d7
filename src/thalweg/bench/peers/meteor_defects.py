"""Which predicates of a program MeTeoR may get wrong; ``docs/meteor.md`` has the cases and the reasons."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from thalweg.model.formula import (
    Atom,
    BinaryMetric,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Top,
    atoms,
    subformulas,
)
from thalweg.model.program import Program, Rule

INDEXED_POSITIONS = 2
"""MeTeoR finds facts by one bound argument, or by two of at least three."""


def doubtful_predicates(program: Program, mode: str = "seminaive") -> frozenset[str]:
    """The predicates derived by a rule that MeTeoR misreads, and all that depend on them."""
    rules = list(_rules(program))
    doubtful = {head for head, rule in rules if _is_misread(rule, program, mode)}
    while more := {head for head, rule in rules if _reads(rule, doubtful)} - doubtful:
        doubtful |= more
    return frozenset(doubtful)


def _rules(program: Program) -> Iterator[tuple[str, Rule]]:
    for rule in program.rules:
        if isinstance(rule.head_core, Atom):
            yield rule.head_core.predicate, rule


def _reads(rule: Rule, predicates: set[str]) -> bool:
    return any(atom.predicate in predicates for literal in rule.body for atom in atoms(literal))


def _is_misread(rule: Rule, program: Program, mode: str) -> bool:
    parts = [part for literal in rule.body for part in subformulas(literal)]
    return (
        any(isinstance(part, Top) for part in parts)
        or any(_holds_at_no_distance(part) for part in parts)
        or any(_needs_one_interval(part) for part in parts)
        or any(isinstance(part, Atom) and len(part.arguments) > INDEXED_POSITIONS + 1 for part in parts)
        or (mode == "seminaive" and any(_meets_new_facts(part, program) for part in parts))
    )


def _holds_at_no_distance(part: Formula) -> bool:
    """A since or until with 0 in its interval: MeTeoR does not look at the left operand."""
    return isinstance(part, BinaryMetric) and Fraction(0) in part.interval


def _needs_one_interval(part: Formula) -> bool:
    """What asks for a whole stretch of something under a diamond: MeTeoR does not join the pieces of it."""
    match part:
        case BoxMinus(operand=operand) | BoxPlus(operand=operand) | BinaryMetric(left=operand):
            return any(isinstance(inner, DiamondMinus | DiamondPlus) for inner in subformulas(operand))
        case _:
            return False


def _meets_new_facts(part: Formula, program: Program) -> bool:
    """A since or until over derived facts: MeTeoR joins the new facts of one operand with the new of the other."""
    return isinstance(part, BinaryMetric) and any(atom.predicate in program.derived_predicates for atom in atoms(part))
