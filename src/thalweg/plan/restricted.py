"""Rules for the restricted chase: what they derive, and when their heads are satisfied already."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from thalweg.model.formula import At, Atom, Formula, Metric, Skolem, Variable, skolems, variables
from thalweg.model.program import Program, Rule
from thalweg.plan.build import RulePlan, plan_rule

SATISFIED = "#satisfied"


@dataclass(frozen=True)
class RestrictedRule:
    """A rule with existential variables.

    ``triggers`` bind the variables that its heads share with its body; ``satisfied`` says for which values of these,
    and when, the heads hold with some values of the existential ones; ``heads`` has a plan for each head atom.
    """

    number: int
    triggers: tuple[RulePlan, ...]
    satisfied: tuple[RulePlan, ...]
    heads: tuple[RulePlan, ...]


def has_nulls(rules: Sequence[Rule]) -> bool:
    """Whether a rule, given as one for each of its heads, has existential variables."""
    return any(True for rule in rules for _ in skolems(rule.head))


def restricted_rules(program: Program, wanted: Collection[str]) -> Iterator[RestrictedRule]:
    """The rules with existential variables that derive a wanted predicate, in the order of the program."""
    for number, group in itertools.groupby(program.rules, key=lambda rule: rule.number):
        rules = list(group)
        heads = {rule.head_core.predicate for rule in rules if isinstance(rule.head_core, Atom)}
        if heads & {*wanted} and has_nulls(rules):
            yield _restricted(number, rules, program.background)


def _restricted(number: int, rules: Sequence[Rule], background: Collection[str]) -> RestrictedRule:
    def plans(body: tuple[Formula, ...], asked_for: tuple[Variable, ...]) -> tuple[RulePlan, ...]:
        return tuple(plan_rule(Rule(Atom(SATISFIED, asked_for), body, number, rules[0].origin), background))

    heads = tuple(_with_variables(rule.head) for rule in rules)
    bound = tuple(dict.fromkeys(v for rule in rules for v in variables(rule.head)))
    shared = tuple(v for v in dict.fromkeys(v for head in heads for v in variables(head)) if v in bound)
    first = (next(plan_rule(rule, background)) for rule in rules)
    return RestrictedRule(number, plans(rules[0].body, bound), plans(heads, shared), tuple(first))


def _with_variables(head: Formula) -> Formula:
    """The head with its existential variables in place of nulls."""
    match head:
        case Atom(arguments=arguments):
            terms = (Variable(f"!{t.variable}") if isinstance(t, Skolem) else t for t in arguments)
            return replace(head, arguments=tuple(terms))
        case Metric() | At():
            return replace(head, operand=_with_variables(head.operand))
        case _:
            return head
