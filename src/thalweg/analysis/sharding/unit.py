"""What is placed in a stage as a whole: the rules of a component, or one constraint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from thalweg.analysis.sharding.keys import (
    NOTHING,
    Clause,
    Cost,
    Option,
    Setting,
    by_guard,
    constraint_options,
    recursion_options,
    undivided,
)
from thalweg.analysis.sharding.reasons import why_constraint_has_no_key, why_recursion_has_no_key


@dataclass(frozen=True, eq=False)
class Unit:
    """Clauses that must stay together, with the ways to key them, best first; without any they need one shard.

    ``undivided`` are the positions of the clauses that every shard must apply in full with the best option, ``cost``
    is its cost, and ``reasons`` say why there is none. A constraint derives no predicates.
    """

    predicates: tuple[str, ...]
    clauses: tuple[Clause, ...]
    options: tuple[Option, ...]
    undivided: frozenset[int] = frozenset()
    cost: Cost = NOTHING
    reasons: tuple[str, ...] = ()

    @cached_property
    def reads(self) -> frozenset[str]:
        """The predicates that it reads and does not derive."""
        return frozenset(name for clause in self.clauses for name in clause.reads) - frozenset(self.predicates)

    @cached_property
    def guarded(self) -> Mapping[str, list[Clause]]:
        """Its clauses by the predicates that guard them."""
        return by_guard(self.clauses)


def component_unit(predicates: tuple[str, ...], clauses: Sequence[Clause], setting: Setting) -> Unit:
    """The unit of a component.

    A key with which every shard would do everything is none, unless only background is needed for that.
    """
    options = tuple(recursion_options(predicates, clauses, setting))
    guarded = by_guard(clauses)
    judged = []
    for option in options:
        in_full = undivided(clauses, lambda name: guarded.get(name, ()), option.has_key)
        positions = frozenset(clause.position for clause in in_full)
        if len(positions) < len(clauses) or setting.static.issuperset(predicates):
            judged.append((setting.cost(option.replicated), tuple(option.keys.values()), positions, option))
    if not judged:
        reasons = why_recursion_has_no_key(predicates, clauses, options, setting)
        return Unit(predicates, tuple(clauses), (), reasons=tuple(reasons))
    judged.sort(key=lambda each: each[:2])
    cost, _, positions, _ = judged[0]
    return Unit(predicates, tuple(clauses), tuple(option for *_, option in judged), positions, cost)


def constraint_unit(clause: Clause, setting: Setting) -> Unit:
    """The unit of a rule with head ⊥."""
    options = sorted(constraint_options(clause), key=lambda option: setting.cost(option.replicated))
    if not options:
        return Unit((), (clause,), (), reasons=tuple(why_constraint_has_no_key(clause)))
    return Unit((), (clause,), tuple(options), cost=setting.cost(options[0].replicated))


def derived_by(units: Iterable[Unit]) -> Mapping[str, int]:
    """Which of the units derives each predicate."""
    return {name: index for index, unit in enumerate(units) for name in unit.predicates}
