"""The skolem chase: the nulls that a rule makes for what its body binds (LARS+ paper, Appendix B)."""

from __future__ import annotations

from thalweg.columnar.arrays import Ints
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.trigger_table import Shape
from thalweg.columnar.values import Values
from thalweg.engine.bindings import Bindings
from thalweg.engine.points import at_points
from thalweg.model.formula import Skolem
from thalweg.plan.build import RulePlan


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
    # Rows are different in what the head asks for, and when; that may be more than the frontier.
    distinct = first.timed and {variable.name for variable in first.frontier} == {*plan.head_variables}
    triggers = values.nulls.triggers(shape, columns, len(body), distinct=distinct)
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
