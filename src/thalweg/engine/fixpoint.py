"""The semi-naive fixpoint, stage by stage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from thalweg.columnar.relation import Relation, concat
from thalweg.engine.derive import Range, derive, derive_changes
from thalweg.engine.evaluate import Evaluator
from thalweg.engine.growth import is_certain_to_end
from thalweg.engine.memory_limit import rule_needs_too_much
from thalweg.errors import Diagnostic, ReasoningError
from thalweg.plan.build import RulePlan
from thalweg.plan.plan import Stage

Hear = Callable[[int], None]
"""Is told of every round, when it begins."""

_Derived = defaultdict[str, list[tuple[RulePlan, Relation]]]
"""What a round derives, with the rules that do, predicate by predicate."""


def saturate(
    stage: Stage,
    evaluator: Evaluator,
    within: Mapping[str, Range],
    max_rounds: int,
    hear: Hear = lambda number: None,
) -> None:
    """Add to the interpretation everything the stage's rules derive from it.

    The first round applies every rule in full; later rounds only what the last round's new facts touch.
    """
    hear(1)
    interpretation = evaluator.interpretation
    rules = [plan for plan in stage.rules if plan.head in within]
    derived: _Derived = defaultdict(list)
    for plan in rules:
        assert plan.head is not None
        relation = derive(plan, evaluator, within[plan.head])
        if len(relation):
            derived[plan.head].append((plan, relation))
    changes = _add(evaluator, derived)
    if stage.is_recursive and changes:
        limit = None if is_certain_to_end(stage, interpretation, evaluator.ticks, within) else max_rounds
        _iterate(rules, evaluator, within, changes, limit, hear)
    evaluator.forget()


def _iterate(
    rules: list[RulePlan],
    evaluator: Evaluator,
    within: Mapping[str, Range],
    changes: dict[str, Relation],
    limit: int | None,
    hear: Hear,
) -> None:
    rounds = 0
    while changes:
        hear(rounds + 2)
        evaluator.changes = changes
        derived: _Derived = defaultdict(list)
        active: list[RulePlan] = []
        for plan in rules:
            assert plan.head is not None
            for relation in derive_changes(plan, evaluator, within[plan.head]):
                if len(relation):
                    derived[plan.head].append((plan, relation))
                    active.append(plan)
        changes = _add(evaluator, derived)
        rounds += 1
        if changes and limit is not None and rounds >= limit:
            raise _endless([plan for plan in active if plan.head in changes], limit)
    evaluator.changes = {}


def _add(evaluator: Evaluator, derived: _Derived) -> dict[str, Relation]:
    changes = {}
    for predicate, found in derived.items():
        relations = [relation for _, relation in found]
        try:
            new = evaluator.interpretation.add(predicate, concat(relations, relations[0].arity))
        except MemoryError as error:
            largest, _ = max(found, key=lambda each: len(each[1]))
            raise rule_needs_too_much(largest.rule, error) from error
        if len(new):
            changes[predicate] = new
    return changes


def _endless(active: list[RulePlan], limit: int) -> ReasoningError:
    rule = active[0].rule
    others = sorted({plan.rule.number for plan in active} - {rule.number})
    also = f" (with {'rules' if len(others) > 1 else 'rule'} {', '.join(map(str, others))})" if others else ""
    table = active[0].table
    if table is None:
        who, facts = f"rule {rule.number}{also}", f"new facts of {active[0].head}"
    else:
        who, facts = f"rule {rule.number}{also}, or another of the {len(table.rows)} rules like it,", "new facts"
    return ReasoningError(
        [
            Diagnostic(
                "E504",
                rule.origin,
                f"{who} still derives {facts} after {limit} rounds; its fixpoint may be infinite",
                "bound the time with --from and --to; if it is bounded, facts from ever further outside reach into"
                " the bounds: bound the rule with an input atom, or raise --max-rounds",
            )
        ]
    )
