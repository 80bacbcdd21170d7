"""The variables that a formula gives values to."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.model.formula import Aggregate, At, Atom, Comparison, Formula, Not, Variable, children, variables


def free_variables(formula: Formula) -> Iterator[Variable]:
    """The variables of a formula that get a value in it, those of negations and inside of aggregates left out."""
    match formula:
        case Not():
            return
        case Aggregate(result=result, groups=groups):
            yield from (result, *groups)
        case Atom() | Comparison():
            yield from variables(formula)
        case _:
            if isinstance(formula, At) and isinstance(formula.time, Variable):
                yield formula.time
            for child in children(formula):
                yield from free_variables(child)
