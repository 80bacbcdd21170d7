"""The restricted chase: a rule makes nulls only where its head does not hold already.

What it derives depends on the order of the rules; here it is fixed. First come the rules without existential
variables, until they derive nothing new; then the first rule with them, in the order of the program, whose head fails
for some values: it is applied for all such values at once. Then the rules without come again, and so on, until every
head holds. The result is a model that maps into all others, like that of the skolem chase, and often smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from thalweg.engine.derive import Range, body_of, heads_of
from thalweg.engine.evaluate import ALL_TIME, Evaluator
from thalweg.engine.fixpoint import saturate
from thalweg.engine.limits import Limits
from thalweg.plan.plan import Stage
from thalweg.plan.restricted import RestrictedRule


def chase_restricted(
    stages: Iterable[Stage],
    rules: Sequence[RestrictedRule],
    evaluator: Evaluator,
    within: Mapping[str, Range],
    limits: Limits,
) -> None:
    """Add to the interpretation what rules derive; ``rules`` are those of them with existential variables.

    A rule whose heads belong to several stages is applied in the first of them, for all its heads.
    """
    numbers = {rule.number for rule in rules}
    waiting = list(rules)
    for stage in stages:
        plain = Stage(stage.predicates, tuple(plan for plan in stage.rules if plan.rule.number not in numbers))
        own = [rule for rule in waiting if any(plan.head in stage.predicates for plan in rule.heads)]
        waiting = [rule for rule in waiting if rule not in own]
        _saturate(plain, own, evaluator, within, limits)


def _saturate(
    plain: Stage, rules: Sequence[RestrictedRule], evaluator: Evaluator, within: Mapping[str, Range], limits: Limits
) -> None:
    turn = idle = 0
    saturate(plain, evaluator, within, limits.rounds)
    while idle < len(rules):
        if _applied(rules[turn], evaluator, within):
            idle = 0
            saturate(plain, evaluator, within, limits.rounds)
        else:
            idle += 1
        turn = (turn + 1) % len(rules)


def _applied(rule: RestrictedRule, evaluator: Evaluator, within: Mapping[str, Range]) -> bool:
    """Apply a rule wherever its head fails; whether that derived anything."""
    heads = [(plan, name, within[name]) for plan in rule.heads if (name := plan.head) is not None and name in within]
    hull = min(low for *_, (low, _) in heads), max(high for *_, (_, high) in heads)
    satisfied = [body_of(plan, evaluator, ALL_TIME).project(plan.head_variables) for plan in rule.satisfied]
    changed = False
    for plan in rule.triggers:
        failing = body_of(plan, evaluator, hull)
        for holding in satisfied:
            failing = failing.without(holding)
        for head, predicate, range_ in heads if len(failing) else ():
            derived = heads_of(head, failing, evaluator, range_)
            changed |= bool(len(evaluator.interpretation.add(predicate, derived)))
    return changed
