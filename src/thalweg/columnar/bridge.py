"""Coalescing across short gaps, for the ``#``-facts of Algorithm 4 (journal paper, lines 8 to 10)."""

from __future__ import annotations

from thalweg.columnar.arrays import add_saturating
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation


def bridge(relation: Relation, gap: int) -> Relation:
    """Ranges less than ``gap`` codes apart as one; ``gap`` is even and positive.

    Ranges that are longer at their ends by all but the last cells of the gap touch exactly when they are that
    close. Two open ends just short of the gap stay apart, which is sound: the result always lies between the
    relation itself and the paper's.
    """
    longer = Relation(relation.columns, relation.start, add_saturating(relation.end, gap - 2))
    merged = coalesce(longer)
    return Relation(merged.columns, merged.start, add_saturating(merged.end, 2 - gap), coalesced=True)
