"""What holds so far: a coalesced relation for every predicate."""

from __future__ import annotations

from collections.abc import Iterable

from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation, concat, empty
from thalweg.columnar.subtract import subtract


class Interpretation:
    """Coalesced relations by predicate; each has a version that changes when its facts do."""

    def __init__(self) -> None:
        self._relations: dict[str, Relation] = {}
        self._versions: dict[str, int] = {}

    def relation(self, predicate: str, arity: int) -> Relation:
        """The facts of a predicate."""
        known = self._relations.get(predicate)
        return known if known is not None else empty(arity)

    def version(self, predicate: str) -> int:
        """How often the predicate's facts have changed."""
        return self._versions.get(predicate, 0)

    def predicates(self) -> Iterable[str]:
        """The predicates that have facts."""
        return self._relations.keys()

    def set(self, predicate: str, relation: Relation) -> None:
        """Replace a predicate's facts."""
        self._replace(predicate, relation)

    def add(self, predicate: str, derived: Relation) -> Relation:
        """Add facts; returns those that are new, coalesced."""
        known = self.relation(predicate, derived.arity)
        derived = coalesce(derived)
        new = derived
        if _share_time(derived, known):
            on = [(i, i) for i in range(derived.arity)]
            new = coalesce(subtract(derived, known, on))
        if len(new):
            self._replace(predicate, concat((known, new), derived.arity))
        return new

    def _replace(self, predicate: str, relation: Relation) -> None:
        self._relations[predicate] = coalesce(relation)
        self._versions[predicate] = self.version(predicate) + 1


def _share_time(one: Relation, other: Relation) -> bool:
    """Whether the times of two relations have anything in common; on a stream what is new is often later than all."""
    if not len(one) or not len(other):
        return False
    return bool(one.start.min() <= other.end.max() and other.start.min() <= one.end.max())
