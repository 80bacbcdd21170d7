"""The values of aggregates, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any

from thalweg.model.formula import Aggregate, Value
from thalweg.syntax.ast import AggregateKind
from thalweg.testing.cells import Cells, cell_numbers
from thalweg.testing.grounding import Grounding, value_of
from thalweg.testing.meaning import Meanings
from thalweg.testing.values import Substitution

Elements = tuple[Value, ...]

Results = Callable[[Substitution], Mapping[Value, Cells]]
"""The cells at which an aggregate has each value, for given values of its group variables."""


def results_of(aggregate: Aggregate, total: bool, meanings: Meanings) -> Results:
    """The cells at which an aggregate has each value; where its set is empty only when it is ``total``."""
    grounding = Grounding(aggregate.body, meanings.grid.timeline)
    parts = [meanings.of(part) for part in aggregate.body]

    def members(substitution: Substitution) -> Mapping[Elements, Cells]:
        """The cells at which each tuple is in the set."""
        found: dict[Elements, Cells] = {}
        for extended in meanings.substitutions(grounding, substitution):
            cells = meanings.grid.everywhere
            for part in parts:
                cells = cells and cells & part(extended)
            tuple_ = tuple(value_of(term, extended) for term in aggregate.elements)
            found[tuple_] = found.get(tuple_, 0) | cells
        return found

    def results(substitution: Substitution) -> Mapping[Value, Cells]:
        tuples = members(substitution)
        values: dict[Value, Cells] = {}
        for cell in cell_numbers(meanings.grid.everywhere):
            present = {each for each, cells in tuples.items() if cells >> cell & 1}
            value = aggregate_value(aggregate.kind, present) if present or total else None
            if value is not None:
                values[value] = values.get(value, 0) | 1 << cell
        return values

    return results


def aggregate_value(kind: AggregateKind, tuples: Collection[Elements]) -> Value | None:
    """The value of an aggregate over distinct tuples; of none, min, max and avg have no value.

    All but count look at the first elements only.
    """
    if kind is AggregateKind.COUNT:
        return Fraction(len(tuples))
    if kind is not AggregateKind.SUM and not tuples:
        return None
    return _KINDS[kind]([tuple_[0] for tuple_ in tuples])


def _sum(numbers: Collection[Any]) -> Fraction:
    return sum(numbers, Fraction(0))


def _average(numbers: Collection[Any]) -> Fraction:
    return _sum(numbers) / len(numbers)


_KINDS: Mapping[AggregateKind, Callable[[Collection[Any]], Value]] = {
    AggregateKind.SUM: _sum,
    AggregateKind.AVERAGE: _average,
    AggregateKind.MIN: min,
    AggregateKind.MAX: max,
}
