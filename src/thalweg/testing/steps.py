"""The literals of a body as steps: each gives values to more variables, and leaves fewer cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from thalweg.model.binding import bound_by_all
from thalweg.model.formula import Aggregate, Formula, Not, Variable
from thalweg.testing.aggregates import results_of
from thalweg.testing.cells import Cells
from thalweg.testing.grounding import Grounding
from thalweg.testing.meaning import Meanings
from thalweg.testing.scope import free_names
from thalweg.testing.values import Substitution

Row = tuple[Substitution, Cells]
"""Values for variables, and the cells at which what has been looked at holds for them."""


class Step(Protocol):
    """One literal."""

    names: frozenset[str]
    """The variables that have a value after the step."""

    def binds(self, given: frozenset[str]) -> frozenset[str]:
        """The variables that have a value when those given have, without trying all values there are."""

    def rows(self, given: Substitution, cells: Cells) -> Iterator[Row]:
        """The given substitution extended to all names, and those of the cells at which the literal holds then."""


def steps_of(body: Sequence[Formula], meanings: Meanings) -> list[Step]:
    """The steps, those first that bind all their variables; negations last, for often nothing is left for them."""
    waiting = [_step(literal, body, meanings) for literal in sorted(body, key=lambda each: isinstance(each, Not))]
    bound: frozenset[str] = frozenset()
    ordered: list[Step] = []
    while waiting:
        following = min(waiting, key=lambda step: len(step.names - step.binds(bound)))
        waiting.remove(following)
        ordered.append(following)
        bound |= following.names
    return ordered


def _step(literal: Formula, body: Sequence[Formula], meanings: Meanings) -> Step:
    if isinstance(literal, Aggregate):
        others = [other for other in body if not isinstance(other, Aggregate)]
        return _AggregateStep(literal, bound_by_all(others).issuperset(literal.groups), meanings)
    return _LiteralStep(literal, meanings)


class _LiteralStep:
    def __init__(self, literal: Formula, meanings: Meanings) -> None:
        self.meanings = meanings
        self.meaning = meanings.of(literal)
        self.grounding = Grounding([literal], meanings.grid.timeline)
        self.names = frozenset(self.grounding.names)

    def binds(self, given: frozenset[str]) -> frozenset[str]:
        return self.grounding.bound(given)

    def rows(self, given: Substitution, cells: Cells) -> Iterator[Row]:
        for substitution in self.meanings.substitutions(self.grounding, given):
            yield substitution, cells & self.meaning(substitution)


class _AggregateStep:
    """With ``total``, when other literals bind all group variables, the empty set counts; else no group is empty."""

    def __init__(self, aggregate: Aggregate, total: bool, meanings: Meanings) -> None:
        self.meanings = meanings
        self.result = aggregate.result.name
        self.results = results_of(aggregate, total, meanings)
        outside = {each.name for each in aggregate.elements if isinstance(each, Variable)}
        outside -= set(free_names(aggregate.body))
        names = {*outside, *(variable.name for variable in aggregate.groups)}
        self.grounding = Grounding(() if total else aggregate.body, meanings.grid.timeline, sorted(names))
        self.names = frozenset({*names, self.result})

    def binds(self, given: frozenset[str]) -> frozenset[str]:
        return self.grounding.bound(given) | {self.result}

    def rows(self, given: Substitution, cells: Cells) -> Iterator[Row]:
        for substitution in self.meanings.substitutions(self.grounding, given):
            for value, where in self.results(substitution).items():
                if substitution.get(self.result, value) == value:
                    yield {**substitution, self.result: value}, cells & where
