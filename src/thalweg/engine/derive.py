"""What one rule derives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thalweg.columnar.relation import Relation
from thalweg.columnar.shift import clip, diamond
from thalweg.engine.bindings import Bindings, apply_conditions, join_all
from thalweg.engine.evaluate import Evaluator
from thalweg.errors import Diagnostic, ReasoningError
from thalweg.model.formula import Constant
from thalweg.plan.build import RulePlan

Range = tuple[int, int]
"""A closed range of encoded time."""


def derive(plan: RulePlan, evaluator: Evaluator, within: Range) -> Relation:
    """All facts a rule derives from the interpretation."""
    try:
        return _head(plan, _body(plan, evaluator, None), evaluator, within)
    except (TypeError, OverflowError) as error:
        raise _failed(plan, error) from error


def derive_changes(plan: RulePlan, evaluator: Evaluator, within: Range) -> Iterator[Relation]:
    """What a rule derives with at least one positive literal taken from the changes (semi-naive)."""
    changed = evaluator.changes.keys()
    for position, literal in enumerate(plan.positive):
        if literal.predicates & changed:
            try:
                body = _body(plan, evaluator, position)
                yield _head(plan, body, evaluator, within)
            except (TypeError, OverflowError) as error:
                raise _failed(plan, error) from error


def _body(plan: RulePlan, evaluator: Evaluator, changed: int | None) -> Bindings:
    first = None if changed is None else evaluator.literal_change(plan.positive[changed])
    if first is not None and not len(first):
        return first
    others = (evaluator.literal(part) for i, part in enumerate(plan.positive) if i != changed)
    bindings = apply_conditions(join_all(others, first), plan.conditions, evaluator.values)
    for literal in plan.negative:
        bindings = bindings.without(evaluator.literal(literal))
    return bindings


def _head(plan: RulePlan, body: Bindings, evaluator: Evaluator, within: Range) -> Relation:
    size = len(body)
    if not size:
        none = np.empty(0, dtype=np.int64)
        return Relation((none,) * len(plan.terms), none, none, coalesced=True)
    columns = tuple(
        np.full(size, evaluator.values.code(term.value), dtype=np.int64)
        if isinstance(term, Constant)
        else body.relation.columns[body.variables.index(term.name)]
        for term in plan.terms
    )
    derived = Relation(columns, body.relation.start, body.relation.end)
    codes = evaluator.ticks.encode(plan.reach)
    if codes is not None and codes != (0, 0):
        derived = diamond(derived, *codes, evaluator.ticks.timeline)
    return clip(derived, *within)


def _failed(plan: RulePlan, error: Exception) -> ReasoningError:
    code = "E502" if isinstance(error, TypeError) else "E503"
    hint = (
        "compare numbers with numbers and texts with texts, and calculate with numbers only"
        if code == "E502"
        else "use a coarser tick, smaller numbers, or bound the run with --from and --to"
    )
    return ReasoningError([Diagnostic(code, plan.rule.origin, f"{error} (in rule {plan.rule.number})", hint)])
