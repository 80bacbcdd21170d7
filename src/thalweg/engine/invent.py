"""The skolem chase: the nulls that a rule makes for what its body binds (LARS+ paper, Appendix B)."""

from __future__ import annotations

import numpy as np

from thalweg.columnar.arrays import Ints, expand_ranges, is_infinite
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.nulls import Shape
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values
from thalweg.engine.bindings import Bindings
from thalweg.errors import Diagnostic, ReasoningError
from thalweg.model.formula import Skolem
from thalweg.plan.build import RulePlan

_MOST_POINTS = 1 << 28
"""More time points than this, each with nulls of its own, fit no memory."""


def invented(plan: RulePlan, body: Bindings, values: Values) -> Bindings:
    """The body with a column for every null of the head; where nulls depend on time, split into time points."""
    nulls = plan.nulls
    if not nulls:
        return body
    first = nulls[0]
    body = body.project(plan.head_variables)
    body = Bindings(body.variables, coalesce(body.relation))
    if first.timed:
        body = at_points(plan, body)
    shape, columns = _triggers(first, body)
    triggers = values.nulls.triggers(shape, columns, len(body))
    for null in nulls:
        body = body.extended(null_name(null), values.nulls.codes(shape, null.variable, triggers))
    return body


def null_name(null: Skolem) -> str:
    """The name of a null's column among the variables of a body."""
    return f"!{null.variable}"


def _triggers(null: Skolem, body: Bindings) -> tuple[Shape, list[Ints]]:
    columns = [body.relation.columns[body.variables.index(variable.name)] for variable in null.frontier]
    shape = Shape(null.rule, len(columns), null.timed)
    return shape, [*columns, body.relation.start] if null.timed else columns


def at_points(plan: RulePlan, body: Bindings) -> Bindings:
    """A row for every time point."""
    relation = body.relation
    endless = is_infinite(relation.start) | is_infinite(relation.end)
    if endless.any():
        message = f"the body of rule {plan.rule.number} holds for ever, and asks for a new value at each time point"
        hint = "bound the run with --from and --to, declare the end of the timeline, or write exists … per …"
        raise ReasoningError([Diagnostic("E505", plan.rule.origin, message, hint)])
    if len(relation) and int((relation.end - relation.start).sum()) + len(relation) > _MOST_POINTS:
        message = f"the body of rule {plan.rule.number} holds at too many time points to make a new value at each"
        hint = "bound the run with --from and --to, or write exists … per … for values that do not depend on time"
        raise ReasoningError([Diagnostic("E505", plan.rule.origin, message, hint)])
    if bool((relation.start == relation.end).all()):
        return body
    rows, times = expand_ranges(relation.start, relation.end + 1)
    columns = tuple(np.asarray(column[rows]) for column in relation.columns)
    return Bindings(body.variables, Relation(columns, times, times))
