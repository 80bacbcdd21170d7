"""Bodies that are looked at time point by time point."""

from __future__ import annotations

import numpy as np

from thalweg.columnar.arrays import expand_ranges, is_infinite
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation
from thalweg.engine.bindings import Bindings
from thalweg.errors import Diagnostic, ReasoningError
from thalweg.plan.build import RulePlan

_MOST_POINTS = 1 << 28
"""More time points than this fit no memory."""


def with_time_of_body(plan: RulePlan, body: Bindings) -> Bindings:
    """The body split into time points, with the variables that stand for them."""
    if not plan.now:
        return body
    body = at_points(plan, Bindings(body.variables, coalesce(body.relation)))
    for name in plan.now:
        codes = 2 * body.relation.start
        if name in body.variables:
            body = body.where(body.relation.columns[body.variables.index(name)] == codes)
        else:
            body = body.extended(name, codes)
    return body


def at_points(plan: RulePlan, body: Bindings) -> Bindings:
    """A row for every time point."""
    relation = body.relation
    per = "; new values that do not depend on time are made with exists … per …" if plan.nulls else ""
    endless = is_infinite(relation.start) | is_infinite(relation.end)
    if endless.any():
        message = f"the body of rule {plan.rule.number} holds for ever, and says something of each time point by itself"
        hint = f"bound the run with --from and --to, or declare the end of the timeline{per}"
        raise ReasoningError([Diagnostic("E505", plan.rule.origin, message, hint)])
    if len(relation) and int((relation.end - relation.start).sum()) + len(relation) > _MOST_POINTS:
        message = f"the body of rule {plan.rule.number} holds at too many time points to look at each by itself"
        hint = f"bound the run with --from and --to{per}"
        raise ReasoningError([Diagnostic("E505", plan.rule.origin, message, hint)])
    if bool((relation.start == relation.end).all()):
        return body
    rows, times = expand_ranges(relation.start, relation.end + 1)
    columns = tuple(np.asarray(column[rows]) for column in relation.columns)
    return Bindings(body.variables, Relation(columns, times, times))
