"""Aggregates over given literals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thalweg.model.binding import bound_by_all
from thalweg.model.formula import Aggregate, Atom, Formula, Variable, variables
from thalweg.syntax.ast import AggregateKind
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.vocabulary import BINDERS, KIND_OF, Kind

_OF_NUMBERS = (AggregateKind.SUM, AggregateKind.MIN, AggregateKind.MAX, AggregateKind.AVERAGE)


def aggregate_over(choices: Choices, literals: Sequence[Formula], result: Variable, local: str = "X1") -> Aggregate:
    """An aggregate over literals that bind all their variables; X among them is a group variable for now.

    The local variable is one for literals that have none.
    """
    body = [*literals]
    if not _bound(body):
        body.append(Atom(BINDERS[Kind.TEXT].name, (Variable(local),)))
    kind, elements = _elements(choices, _bound(body))
    group = Variable("X")
    return Aggregate(kind, result, elements, tuple(body), (group,) if group in _bound(body) else ())


def with_groups(head: Formula, body: tuple[Formula, ...]) -> tuple[Formula, ...]:
    """The body, its aggregates told which of their variables occur outside their braces."""
    return tuple(_grouped(part, (head, *(other for other in body if other is not part))) for part in body)


def _grouped(part: Formula, others: tuple[Formula, ...]) -> Formula:
    if not isinstance(part, Aggregate):
        return part
    outside = {variable for other in others for variable in variables(other)}
    mine = dict.fromkeys(variable for each in part.body for variable in variables(each))
    return replace(part, groups=tuple(variable for variable in mine if variable in outside))


def _bound(body: Sequence[Formula]) -> list[Variable]:
    named = (variable for variable in bound_by_all(body) if not variable.is_anonymous)
    return sorted(named, key=lambda variable: variable.name)


def _elements(choices: Choices, bound: list[Variable]) -> tuple[AggregateKind, tuple[Variable, ...]]:
    """What is aggregated: numbers and times for all kinds but count."""
    numbers = [variable for variable in bound if KIND_OF.get(variable.name) is not Kind.TEXT]
    if not numbers or choices.chance(35):
        return AggregateKind.COUNT, tuple(bound[: choices.one_of((1, 2))])
    first = choices.one_of(numbers)
    further = tuple(variable for variable in bound if variable != first)[: choices.one_of((0, 1))]
    return choices.one_of(_OF_NUMBERS), (first, *further)
