"""Facts of predicates as facts of their families, and back: see :mod:`thalweg.model.fold`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from thalweg.columnar.relation import Relation, concat, empty
from thalweg.columnar.values import Values
from thalweg.model.fold import Folding


def to_families(relations: Mapping[str, Relation], folding: Folding, values: Values) -> dict[str, Relation]:
    """Relations by family, the predicate's name as the first column; other predicates as they are."""
    if not folding.family_of:
        return dict(relations)
    parts: dict[str, list[Relation]] = {}
    for name, relation in relations.items():
        family = folding.name(name)
        if family != name:
            column = np.full(len(relation), values.code(name), dtype=np.int64)
            relation = Relation((column, *relation.columns), relation.start, relation.end)
        parts.setdefault(family, []).append(relation)
    return {name: concat(found, found[0].arity) for name, found in parts.items()}


def of_member(name: str, facts: Relation, folding: Folding, values: Values) -> Relation:
    """The facts of a predicate among those of its family, or of itself."""
    if name not in folding.family_of:
        return facts
    if not len(facts):
        return empty(max(facts.arity - 1, 0))
    code, members = values.code(name), facts.columns[0]
    if not facts.coalesced:
        facts = facts.take(members == code)
        return Relation(facts.columns[1:], facts.start, facts.end)
    # Sorted by arguments, the first one first: the facts of a member stand together.
    first, last = (int(np.searchsorted(members, code, side=side)) for side in ("left", "right"))
    columns = tuple(column[first:last] for column in facts.columns[1:])
    return Relation(columns, facts.start[first:last], facts.end[first:last], coalesced=True)
