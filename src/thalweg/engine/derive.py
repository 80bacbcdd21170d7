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
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

Range = tuple[int, int]
"""A closed range of encoded time."""


def derive(plan: RulePlan, evaluator: Evaluator, within: Range) -> Relation:
    """All facts a rule derives from the interpretation."""
    try:
        return _head(plan, _body(plan, evaluator, within, None), evaluator, within)
    except (TypeError, OverflowError) as error:
        raise _failed(plan, error) from error


def derive_changes(plan: RulePlan, evaluator: Evaluator, within: Range) -> Iterator[Relation]:
    """What a rule derives with at least one positive literal taken from the changes (semi-naive)."""
    changed = evaluator.changes.keys()
    for position, literal in enumerate(plan.positive):
        if literal.predicates & changed:
            try:
                body = _body(plan, evaluator, within, position)
                yield _head(plan, body, evaluator, within)
            except (TypeError, OverflowError) as error:
                raise _failed(plan, error) from error


def _body(plan: RulePlan, evaluator: Evaluator, within: Range, changed: int | None) -> Bindings:
    due = _due(plan, evaluator, within)
    first = None if changed is None else evaluator.literal_change(plan.positive[changed], due)
    if first is not None and not len(first):
        return first
    others = (evaluator.literal(part, due) for i, part in enumerate(plan.positive) if i != changed)
    bindings = apply_conditions(join_all(others, first), plan.conditions, evaluator.values)
    for literal in plan.negative:
        bindings = bindings.without(evaluator.literal(literal, due))
    return bindings


def _due(plan: RulePlan, evaluator: Evaluator, within: Range) -> Range:
    """Where the body matters for a head inside a range: a code more at both ends, as open ends add up to one less."""
    low, high = within
    nearest, farthest = evaluator.encoded(plan.reach)
    if nearest == farthest == 0:
        return within
    return (
        NEGATIVE_INFINITY if low == NEGATIVE_INFINITY or farthest == POSITIVE_INFINITY else low - farthest - 1,
        POSITIVE_INFINITY if high == POSITIVE_INFINITY or nearest == NEGATIVE_INFINITY else high - nearest + 1,
    )


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
    codes = evaluator.encoded(plan.reach)
    if codes != (0, 0):
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
