"""When decided atoms hold, looked up one at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping

from thalweg.columnar.budget import reserve
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

Arguments = tuple[int, ...]
"""The arguments of a ground atom, as codes of values."""

_FOR_AN_ATOM = 60
"""The words of memory that an atom takes to be looked up, with the times at which it holds."""


class Lookup:
    """Relations on the integer timeline, by ground atom."""

    def __init__(self, relations: Mapping[str, Relation]) -> None:
        self._relations = relations
        self._known: dict[str, dict[Arguments, tuple[list[int], list[int]]]] = {}

    def holds(self, predicate: str, arguments: Arguments, time: int) -> bool:
        """Whether an atom holds at a time point."""
        starts, ends = self._of(predicate).get(arguments, ((), ()))
        place = bisect_right(starts, time) - 1
        return place >= 0 and time <= ends[place]

    def arguments(self, predicate: str) -> Collection[Arguments]:
        """The arguments for which a predicate ever holds."""
        return self._of(predicate)

    def points(self, predicate: str, low: int, high: int) -> Iterator[tuple[int, Arguments]]:
        """The time points inside [low, high] at which atoms of a predicate hold."""
        for arguments, (starts, ends) in self._of(predicate).items():
            for start, end in zip(starts, ends, strict=True):
                yield from ((time, arguments) for time in range(max(start, low), min(end, high) + 1))

    def ends(self) -> Iterator[int]:
        """The first and last finite time points of facts."""
        for relation in self._relations.values():
            for column in (relation.start, relation.end):
                finite = column[(column != NEGATIVE_INFINITY) & (column != POSITIVE_INFINITY)]
                if len(finite):
                    yield from (int(finite.min()), int(finite.max()))

    def _of(self, predicate: str) -> dict[Arguments, tuple[list[int], list[int]]]:
        if predicate not in self._known:
            self._known[predicate] = _by_arguments(self._relations.get(predicate))
        return self._known[predicate]


def _by_arguments(relation: Relation | None) -> dict[Arguments, tuple[list[int], list[int]]]:
    found: dict[Arguments, tuple[list[int], list[int]]] = {}
    if relation is None:
        return found
    relation = coalesce(relation)
    reserve(len(relation), _FOR_AN_ATOM)
    columns = [column.tolist() for column in (*relation.columns, relation.start, relation.end)]
    for *arguments, start, end in zip(*columns, strict=True):
        starts, ends = found.setdefault(tuple(arguments), ([], []))
        starts.append(start)
        ends.append(end)
    return found
