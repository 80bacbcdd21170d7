"""The order in which rules with negation are applied."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.model.formula import Aggregate, Atom, Formula, Not, TupleWindow, Windowed, children
from thalweg.model.program import Rule


def strata(rules: tuple[Rule, ...]) -> list[list[Rule]]:
    """The rules in layers: what a rule negates or counts is derived in earlier layers only.

    The stratum of a predicate is at least that of what its rules use, and greater than that of what they
    negate. Raising strata until this is so either ends, or shows recursion through negation. Tuple windows and
    aggregates are like negations: with more in them, less can hold.
    """
    derived = {head for rule in rules if (head := _head(rule))}
    stratum = dict.fromkeys(sorted(derived), 0)
    changed = True
    while changed:
        changed = False
        for head, used, negated in _uses(rules):
            if used in stratum and stratum[head] < stratum[used] + negated:
                stratum[head] = stratum[used] + negated
                changed = True
                if stratum[head] > len(stratum):
                    raise ValueError(f"the rules for {head} use negation recursively")
    return [
        [rule for rule in rules if stratum.get(_head(rule) or "") == level]
        for level in range(max(stratum.values(), default=-1) + 1)
    ]


def _uses(rules: tuple[Rule, ...]) -> Iterator[tuple[str, str, bool]]:
    """For each head predicate the predicates in its bodies, and whether under a negation or counted."""
    for rule in rules:
        head = _head(rule)
        if head is None:
            continue
        for literal in rule.body:
            for predicate, negated in _used(literal, False):
                yield head, predicate, negated


def _used(formula: Formula, negated: bool) -> Iterator[tuple[str, bool]]:
    if isinstance(formula, Atom):
        yield formula.predicate, negated
    counts = isinstance(formula, Windowed) and isinstance(formula.window, TupleWindow)
    for child in children(formula):
        yield from _used(child, negated or counts or isinstance(formula, Not | Aggregate))


def _head(rule: Rule) -> str | None:
    core = rule.head_core
    return core.predicate if isinstance(core, Atom) else None
