"""The plan of a program: rule plans grouped into components, with the stretch of time each needs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from thalweg.analysis.dependency import dependency_graph
from thalweg.model.formula import Atom, Bottom
from thalweg.model.program import Program, Rule
from thalweg.plan.build import RulePlan, plan_rule
from thalweg.plan.guards import Extents
from thalweg.plan.merge import merged_plans
from thalweg.plan.needs import Needs, needed_stretches
from thalweg.plan.rule_table import RuleTable
from thalweg.plan.stretch import Stretch
from thalweg.time.interval import Endpoint


@dataclass(frozen=True)
class Stage:
    """A strongly connected component of predicates and the rules that derive them."""

    predicates: frozenset[str]
    rules: tuple[RulePlan, ...]

    @cached_property
    def is_recursive(self) -> bool:
        """Whether a rule of the stage reads what the stage derives."""
        return any(literal.predicates & self.predicates for plan in self.rules for literal in plan.literals)


@dataclass(frozen=True)
class Plan:
    """Stages in evaluation order, constraints (rules with head ⊥), and needed stretches by predicate."""

    stages: tuple[Stage, ...]
    constraints: tuple[RulePlan, ...]
    needs: Needs

    @property
    def tables(self) -> tuple[RuleTable, ...]:
        """The tables of merged rules."""
        return tables_of(self.stages)


def tables_of(stages: Iterable[Stage]) -> tuple[RuleTable, ...]:
    """The tables of merged rules in stages."""
    return tuple(plan.table for stage in stages for plan in stage.rules if plan.table is not None)


def make_plan(
    program: Program,
    *,
    start: Endpoint = -math.inf,
    end: Endpoint = math.inf,
    wanted: Collection[str] | None = None,
    extents: Extents | None = None,
) -> Plan:
    """The plan that answers the wanted predicates (all, when None) exactly inside [start, end].

    ``extents`` says where the given facts of predicates that no rule derives lie, when that is known.
    """
    asked_for = Stretch(start, end)
    graph = dependency_graph(program)
    constraints = [rule for rule in program.rules if isinstance(rule.head_core, Bottom)]
    targets = dict.fromkeys(program.predicates if wanted is None else wanted, asked_for)
    needs = needed_stretches(graph, program.rules, targets, asked_for, extents or {})
    by_head: dict[str, list[RulePlan]] = defaultdict(list)
    needed = [rule for rule in program.rules if _head_predicate(rule) in needs]
    for plan in merged_plans(needed, program.background):
        if plan.head is not None:
            by_head[plan.head].append(plan)
    stages = (
        Stage(frozenset(component.predicates), tuple(p for name in component.predicates for p in by_head[name]))
        for component in graph.components
    )
    return Plan(
        tuple(stage for stage in stages if stage.rules),
        tuple(plan for rule in constraints for plan in plan_rule(rule, program.background)),
        needs,
    )


def _head_predicate(rule: Rule) -> str | None:
    core = rule.head_core
    return core.predicate if isinstance(core, Atom) else None
