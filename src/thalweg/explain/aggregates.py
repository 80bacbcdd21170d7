"""What an aggregate rests on: the elements of its set."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.explain.atoms import Binding, value_of
from thalweg.explain.times import hull
from thalweg.explain.truth import Truth
from thalweg.model.formula import Aggregate, And, Value
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
    """The elements at some times, each for as long as it is in the set; several ways only where one does not do."""
    body = And(aggregate.body)
    found: dict[tuple[Value | None, ...], IntervalSet] = {}
    elements: list[Element] = []
    outside = {name: value for name, value in binding.items() if name != aggregate.result.name or _is_inside(aggregate)}
    for extended in truth.extensions(body, outside, hull(times)):
        held = truth.of(body, extended, hull(times)).intersection(times)
        values = tuple(value_of(term, extended) for term in aggregate.elements)
        new = held.difference(found[values]) if values in found else held
        if new:
            found[values] = found[values].union(new) if values in found else new
            elements.append(Element(values, extended, new))
    return elements


def _is_inside(aggregate: Aggregate) -> bool:
    return aggregate.result in aggregate.groups
