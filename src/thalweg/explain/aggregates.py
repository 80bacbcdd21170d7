"""What an aggregate rests on: the elements of its set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from thalweg.explain.atoms import Binding, value_of
from thalweg.explain.by_engine import ways_of
from thalweg.explain.times import hull, nothing
from thalweg.explain.truth import Truth
from thalweg.model.formula import Aggregate, Value, Variable, variables
from thalweg.syntax.ast import AggregateKind
from thalweg.time.interval_set import IntervalSet

MOST_ELEMENTS = 50
"""So many elements of a set are shown with what they rest on; the others are counted only."""


@dataclass(frozen=True)
class Element:
    """Values in the set of an aggregate, those of its variables with them, and when they are in it."""

    values: tuple[Value | None, ...]
    binding: Binding
    times: IntervalSet


def elements_of(aggregate: Aggregate, binding: Binding, times: IntervalSet, truth: Truth) -> list[Element]:
    """The elements at some times, each for as long as it is in the set; in several ways only where one does not do."""
    found: dict[tuple[Value | None, ...], IntervalSet] = {}
    elements: list[Element] = []
    names = {*_outside(aggregate), *(variable.name for variable in aggregate.groups)}
    outside = {name: binding[name] for name in names if name in binding}
    for extended, held in ways_of(aggregate.body, outside, hull(times), truth):
        values = tuple(value_of(term, extended) for term in aggregate.elements)
        new = held.intersection(times).difference(found.get(values, nothing(times.timeline)))
        if new:
            found[values] = found[values].union(new) if values in found else new
            elements.append(Element(values, extended, new))
    return elements


def _outside(aggregate: Aggregate) -> set[str]:
    """The elements that the body does not have: they are the same for all."""
    inside = {variable for literal in aggregate.body for variable in variables(literal)}
    return {term.name for term in aggregate.elements if isinstance(term, Variable) and term not in inside}


def aggregate_value(kind: AggregateKind, elements: Iterable[Element]) -> Value | None:
    """The value of an aggregate over elements; of none, min, max and avg have no value."""
    rows = {element.values for element in elements}
    if kind is AggregateKind.COUNT:
        return Fraction(len(rows))
    values = [row[0] for row in rows if row[0] is not None]
    if kind is AggregateKind.MIN or kind is AggregateKind.MAX:
        ordered = sorted(values, key=lambda value: (isinstance(value, str), value))
        return (ordered[0] if kind is AggregateKind.MIN else ordered[-1]) if ordered else None
    numbers = [value for value in values if isinstance(value, Fraction)]
    total = sum(numbers, Fraction(0))
    if kind is AggregateKind.SUM:
        return total
    return total / len(numbers) if numbers else None
