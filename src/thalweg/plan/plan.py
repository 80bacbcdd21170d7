"""The plan of a program: rule plans grouped into components, with the stretch of time each needs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from thalweg.model.program import Program
from thalweg.plan.build import RulePlan, plan_rules
from thalweg.plan.components import strongly_connected
from thalweg.plan.needs import Reading, Stretch, needed_stretches, readings
from thalweg.time.interval import Endpoint


@dataclass(frozen=True)
class Stage:
    """A strongly connected component of predicates and the rules that derive them."""

    predicates: frozenset[str]
    rules: tuple[RulePlan, ...]

    @property
    def is_recursive(self) -> bool:
        """Whether a rule of the stage reads what the stage derives."""
        return any(literal.predicates & self.predicates for plan in self.rules for literal in plan.literals)


@dataclass(frozen=True)
class Plan:
    """Stages in evaluation order, constraints (rules with head ⊥), and needed stretches by predicate."""

    stages: tuple[Stage, ...]
    constraints: tuple[RulePlan, ...]
    needs: dict[str | None, Stretch]

    @property
    def predicates(self) -> frozenset[str]:
        """The predicates the plan has to know anything about."""
        return frozenset(name for name in self.needs if name is not None)


def make_plan(
    program: Program,
    *,
    start: Endpoint = -math.inf,
    end: Endpoint = math.inf,
    wanted: Collection[str] | None = None,
) -> Plan:
    """The plan that answers the wanted predicates (all, when None) exactly inside [start, end]."""
    plans = plan_rules(program)
    edges: dict[str | None, list[Reading]] = defaultdict(list)
    for plan in plans:
        edges[plan.head].extend(readings(plan, program.timeline))
    graph = {name: [r.predicate for r in edges.get(name, ())] for name in program.predicates}
    components = strongly_connected(graph)
    targets = {name: Stretch(start, end) for name in (program.predicates if wanted is None else wanted)}
    needs = needed_stretches(components, edges, {**targets, None: Stretch(start, end)})
    stages = (
        Stage(component, tuple(p for p in plans if p.head in component))
        for component in components
        if component & needs.keys()
    )
    constraints = tuple(plan for plan in plans if plan.head is None)
    return Plan(tuple(stage for stage in stages if stage.rules), constraints, needs)
