"""Conditions on ground atoms, as sets of clauses over bits.

An atom is a bit. A clause is what must hold and what must not; a condition is true when one of its clauses is.
"""

from __future__ import annotations

from collections.abc import Iterable

Clause = tuple[int, int]
"""The atoms that must hold, and those that must not."""
Condition = frozenset[Clause]

TRUE: Condition = frozenset({(0, 0)})
FALSE: Condition = frozenset()


def conjunction(conditions: Iterable[Condition]) -> Condition:
    """All of the conditions."""
    result = TRUE
    for condition in conditions:
        if condition == TRUE:
            continue
        result = _without_weaker({(p | q, m | n) for p, m in result for q, n in condition})
        if not result:
            break
    return result


def disjunction(conditions: Iterable[Condition]) -> Condition:
    """Some of the conditions."""
    return _without_weaker({clause for condition in conditions for clause in condition})


def _without_weaker(clauses: set[Clause]) -> Condition:
    """Without contradictions, and without the clauses that ask for all that another one asks for, and more."""
    kept: list[Clause] = []
    for needs, lacks in sorted(clauses, key=lambda each: (each[0] | each[1]).bit_count()):
        if needs & lacks:
            continue
        if not any(p & needs == p and m & lacks == m for p, m in kept):
            kept.append((needs, lacks))
    return frozenset(kept)
