"""Aggregates over windows, with group variables and without."""

from __future__ import annotations

from dataclasses import replace

from thalweg.model.binding import bound_by_all
from thalweg.model.formula import Aggregate, Atom, Formula, Variable, variables
from thalweg.testing.strategies.aggregates import aggregate_over
from thalweg.testing.strategies.lars_formulas import LarsWriter
from thalweg.testing.strategies.vocabulary import BINDERS, INPUTS, KIND_OF, LOCAL_NAMES, SECOND_NAMES, Kind


def lars_aggregate(write: LarsWriter, result: Variable, grouped: bool, first: bool = True) -> Aggregate:
    """An aggregate over one or two literals, in which X may occur when it is grouped."""
    names = LOCAL_NAMES if first else SECOND_NAMES
    if grouped and write.choices.chance(65):
        names = {**names, Kind.TEXT: ("X", names[Kind.TEXT][0])}
    inside = replace(write, names=names, times=("U1" if first else "U2",), anonymous=0)
    predicate = write.choices.one_of((INPUTS[4], INPUTS[3], INPUTS[1], INPUTS[5], write.any_predicate()))
    depth = min(write.choices.one_of((0, 1, 1, 2)), write.knobs.max_depth)
    body = [inside.around(lambda _: inside.atom(predicate), depth)]
    if write.choices.chance(20):
        body.append(inside.literal())
    if write.knobs.negation and write.choices.chance(15):
        body.append(inside.negation(0))
    return aggregate_over(write.choices, [*body, *_binders(body)], result, "X1" if first else "X2")


def _binders(body: list[Formula]) -> list[Formula]:
    """An atom for each variable that nothing inside the braces gives a value."""
    bound = bound_by_all(body)
    named = dict.fromkeys(v for part in body for v in variables(part) if not v.is_anonymous and v not in bound)
    return [Atom(BINDERS[KIND_OF.get(variable.name, Kind.NUMBER)].name, (variable,)) for variable in named]
