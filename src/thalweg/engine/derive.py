"""What one rule derives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thalweg.columnar.arrays import Ints
from thalweg.columnar.nulls import NullLimitError
from thalweg.columnar.relation import Relation, empty
from thalweg.columnar.shift import clip, diamond
from thalweg.columnar.values import Values
from thalweg.engine.bindings import Bindings, apply_conditions, join_all
from thalweg.engine.evaluate import Evaluator
from thalweg.engine.invent import invented, null_name
from thalweg.engine.memory_limit import rule_needs_too_much
from thalweg.engine.points import with_time_of_body
from thalweg.errors import Diagnostic, ReasoningError
from thalweg.model.formula import Constant, HeadTerm, Skolem, Term
from thalweg.plan.build import RulePlan
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

Range = tuple[int, int]
"""A closed range of encoded time."""


def derive(plan: RulePlan, evaluator: Evaluator, within: Range) -> Relation:
    """All facts a rule derives from the interpretation."""
    try:
        range_ = due(plan, evaluator, within)
        literals = []
        for part in plan.positive:
            literals.append(evaluator.literal(part, range_))
            if not len(literals[-1]):  # on a stream most rules have such a literal, and need no join to say so
                return empty(plan.arity)
        return _head(plan, _completed(plan, join_all(literals), evaluator, range_), evaluator, within)
    except _FAILURES as error:
        raise _failed(plan, error) from error


def derive_changes(plan: RulePlan, evaluator: Evaluator, within: Range) -> Iterator[Relation]:
    """What a rule derives with at least one positive literal taken from the changes (semi-naive)."""
    changed = evaluator.changes.keys()
    for position, literal in enumerate(plan.positive):
        if literal.predicates & changed:
            try:
                body = _body(plan, evaluator, within, position)
                yield _head(plan, body, evaluator, within)
            except _FAILURES as error:
                raise _failed(plan, error) from error


def body_of(plan: RulePlan, evaluator: Evaluator, within: Range) -> Bindings:
    """What the body of a rule binds, for heads inside a range."""
    try:
        return _body(plan, evaluator, within, None)
    except _FAILURES as error:
        raise _failed(plan, error) from error


def heads_of(plan: RulePlan, body: Bindings, evaluator: Evaluator, within: Range) -> Relation:
    """What a rule derives where its variables have these values."""
    try:
        return _head(plan, body, evaluator, within)
    except _FAILURES as error:
        raise _failed(plan, error) from error


def _body(plan: RulePlan, evaluator: Evaluator, within: Range, changed: int | None) -> Bindings:
    range_ = due(plan, evaluator, within)
    first = None if changed is None else evaluator.literal_change(plan.positive[changed], range_)
    if first is not None and not len(first):
        return first
    others = (evaluator.literal(part, range_) for i, part in enumerate(plan.positive) if i != changed)
    return _completed(plan, join_all(others, first), evaluator, range_)


def _completed(plan: RulePlan, joined: Bindings, evaluator: Evaluator, range_: Range) -> Bindings:
    """What is left of the join of the positive literals: with conditions and negative literals."""
    bindings = apply_conditions(with_time_of_body(plan, joined), plan.conditions, evaluator.values)
    for literal in plan.negative:
        bindings = bindings.without(evaluator.literal(literal, range_))
    return bindings


def due(plan: RulePlan, evaluator: Evaluator, within: Range) -> Range:
    """Where the body matters for a head inside a range: a code more at both ends, as open ends add up to one less.

    Rules say nothing of times outside the timeline.
    """
    low, high = within
    first, last = evaluator.timeline
    nearest, farthest = evaluator.encoded(plan.reach)
    if nearest == farthest == 0:
        return max(low, first), min(high, last)
    return (
        first if low == NEGATIVE_INFINITY or farthest == POSITIVE_INFINITY else max(first, low - farthest - 1),
        last if high == POSITIVE_INFINITY or nearest == NEGATIVE_INFINITY else min(last, high - nearest + 1),
    )


def _head(plan: RulePlan, body: Bindings, evaluator: Evaluator, within: Range) -> Relation:
    if not len(body):
        return empty(plan.arity)
    if plan.table is not None:
        return clip(evaluator.merged(plan.table).heads(plan, body, evaluator.values), *within)
    body = invented(plan, body, evaluator.values)
    columns = tuple(_column(term, body, evaluator.values) for term in plan.terms)
    derived = Relation(columns, body.relation.start, body.relation.end)
    if plan.time is not None:
        return clip(_at_times(plan.time, derived, body, evaluator), *within)
    codes = evaluator.encoded(plan.reach)
    if codes != (0, 0):
        derived = diamond(derived, *codes, evaluator.ticks.timeline)
    return clip(derived, *within)


def _column(term: HeadTerm, body: Bindings, values: Values) -> Ints:
    if isinstance(term, Constant):
        return np.full(len(body), values.code(term.value), dtype=np.int64)
    name = null_name(term) if isinstance(term, Skolem) else term.name
    return body.relation.columns[body.variables.index(name)]


def _at_times(time: Term, derived: Relation, body: Bindings, evaluator: Evaluator) -> Relation:
    """The head at the time that a term stands for; what is no time point, such as a half, is left out."""
    if isinstance(time, Constant):
        codes = np.full(len(derived), evaluator.values.code(time.value), dtype=np.int64)
    else:
        codes = body.relation.columns[body.variables.index(time.name)]
    times = codes >> 1
    moved = derived.with_time(times, times)
    return moved.take((codes & 1) == 0)


_FAILURES = TypeError, OverflowError, NullLimitError, MemoryError


def _failed(plan: RulePlan, error: Exception) -> ReasoningError:
    if isinstance(error, NullLimitError):
        message = f"rule {plan.rule.number} ran away: {error}"
        hint = "raise --max-nulls or --max-depth, bound the rule with an input atom, or write exists … per …"
        return ReasoningError([Diagnostic("E506", plan.rule.origin, message, hint)])
    if isinstance(error, MemoryError):
        return rule_needs_too_much(plan.rule, error)
    code = "E502" if isinstance(error, TypeError) else "E503"
    hint = (
        "compare numbers with numbers and texts with texts, and calculate with numbers only"
        if code == "E502"
        else "use a coarser tick, smaller numbers, or bound the run with --from and --to"
    )
    return ReasoningError([Diagnostic(code, plan.rule.origin, f"{error} (in rule {plan.rule.number})", hint)])
