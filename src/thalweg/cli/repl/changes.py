"""What is new when a rule or a fact has been added."""

from __future__ import annotations

from thalweg.engine.materialisation import Materialisation

MOST_LINES = 8
MOST_COMPARED = 20_000
"""Facts of a predicate; beyond that they are only counted."""


def changes(before: Materialisation, after: Materialisation) -> list[str]:
    """The facts that have come and gone, or how many of which predicate where they are many."""
    names = dict.fromkeys((*before.predicates, *after.predicates))
    by_predicate = [_changes_of(name, before, after) for name in names]
    lines = [line for found in by_predicate for line in found]
    if len(lines) <= MOST_LINES:
        return lines
    return [count for name, found in zip(names, by_predicate, strict=True) for count in _counts(name, found)]


def _changes_of(predicate: str, before: Materialisation, after: Materialisation) -> list[str]:
    old, new = _lines(predicate, before), _lines(predicate, after)
    known, still = set(old), set(new)
    come = [f"+ {line}" for line in new if line not in known]
    return [*come, *(f"- {line}" for line in old if line not in still)]


def _lines(predicate: str, model: Materialisation) -> list[str]:
    if predicate not in model.predicates:
        return []
    count = model.count(predicate)
    lines: list[str] = model.lines(predicate).slice(0, MOST_COMPARED).to_pylist()
    return lines if count <= MOST_COMPARED else [*lines, f"and {count - MOST_COMPARED:,} more of {predicate}"]


def _counts(predicate: str, found: list[str]) -> list[str]:
    signs = [line[0] for line in found]
    counted = ((sign, signs.count(sign)) for sign in "+-")
    return [f"{sign}{count:,} fact{'s' * (count > 1)} of {predicate}" for sign, count in counted if count]
