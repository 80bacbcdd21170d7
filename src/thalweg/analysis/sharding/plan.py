"""How the work of a program is split over shards and stages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from thalweg.analysis.dependency import DependencyGraph, dependency_graph
from thalweg.analysis.sharding import text
from thalweg.analysis.sharding.keys import Clause, Setting, clause_of
from thalweg.analysis.sharding.placement import OneShard, Placement, Stage
from thalweg.analysis.sharding.unit import component_unit, constraint_unit
from thalweg.model.formula import Top
from thalweg.model.program import Program, Rule, Signature
from thalweg.syntax.ast import Role


@dataclass(frozen=True)
class ShardStage:
    """A part of the program that runs without exchange between shards.

    Facts of a keyed predicate go to the shard of the value at ``keys[predicate]`` (counted from 0); every shard gets
    all facts of the replicated ones. Without keys there is one shard, for the ``reasons`` given. Of ``copied``
    predicates a shard may derive facts that are not its own, and not always rightly: it must give out only those whose
    key is its own. Facts that are given for a derived predicate go to the shard of their key, too.
    """

    predicates: tuple[str, ...]
    rules: tuple[Rule, ...]
    keys: Mapping[str, int]
    replicated: tuple[str, ...]
    copied: frozenset[str]
    reasons: tuple[str, ...]

    @property
    def is_split(self) -> bool:
        """Whether there is a key, so that any number of shards can share the work."""
        return bool(self.keys)

    @property
    def reads(self) -> tuple[str, ...]:
        """The predicates that are read here and not derived here."""
        derived = frozenset(self.predicates)
        return (*(name for name in self.keys if name not in derived), *self.replicated)

    def gives(self, predicate: str) -> bool:
        """Whether the shards together hold each fact of a predicate, and know which of them gives it out."""
        return predicate in self.predicates or predicate in (self.keys if self.is_split else self.replicated)


@dataclass(frozen=True)
class Sharding:
    """The stages in order; between them facts go to the shards of their next key."""

    stages: tuple[ShardStage, ...]
    queries: tuple[str, ...]
    signatures: Mapping[str, Signature] = field(default_factory=dict, repr=False)
    background: frozenset[str] = frozenset()

    def stage_of(self, predicate: str) -> int:
        """The index of the stage that gives out the facts of a predicate that is derived, or asked for."""
        for index, stage in enumerate(self.stages):
            if stage.gives(predicate):
                return index
        raise KeyError(predicate)

    def to_text(self) -> str:
        """For people."""
        return text.write(self)

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return text.as_json(self)


def plan_shards(program: Program, queries: Collection[str] | None = None, background: Collection[str] = ()) -> Sharding:
    """The stages that answer the queries (all derived predicates, when None) and check the constraints.

    Replicating the predicates declared as background, and those in ``background``, is taken to be cheap.
    """
    graph = dependency_graph(program)
    derived = program.derived_predicates
    asked = tuple(dict.fromkeys((n for n in program.predicates if n in derived) if queries is None else queries))
    clauses = [clause_of(r, i) for i, r in enumerate(program.rules) if not isinstance(r.head_core, Top)]
    constraints = [clause for clause in clauses if clause.head is None]
    needed = graph.reached_from((*asked, *(name for clause in constraints for name in clause.reads)))
    components = tuple(_needed_components(graph, clauses, needed))
    setting = _setting(program, components, background)
    placement = Placement(setting)
    for predicates, rules in components:
        placement.place(component_unit(predicates, rules, setting))
    for constraint in constraints:
        placement.place(constraint_unit(constraint, setting))
    placement.gather_what_is_not_split()
    for name in asked:
        if name not in derived:
            placement.show(name)
    stages = tuple(_finished(stage) for stage in placement.stages)
    return Sharding(stages, asked, program.signatures, setting.background)


Component = tuple[tuple[str, ...], list[Clause]]
"""Predicates that are derived from each other, or one alone, and the clauses for them."""


def _needed_components(graph: DependencyGraph, clauses: Iterable[Clause], needed: Set[str]) -> Iterator[Component]:
    """What must be derived, in evaluation order."""
    by_head: dict[str, list[Clause]] = {name: [] for name in needed}
    for clause in clauses:
        if clause.head is not None and clause.head.predicate in needed:
            by_head[clause.head.predicate].append(clause)
    for component in graph.components:
        rules = [clause for name in component.predicates for clause in by_head.get(name, ())]
        if rules:
            yield component.predicates, rules


def _setting(program: Program, components: Iterable[Component], background: Collection[str]) -> Setting:
    declared = (name for name, each in program.signatures.items() if each.role is Role.BACKGROUND)
    cheap = frozenset((*declared, *background))
    static = set(cheap)
    for predicates, clauses in components:
        inside = frozenset(predicates)
        if all(name in static or name in inside for clause in clauses for name in clause.reads):
            static |= inside
    arities = {name: signature.arity for name, signature in program.signatures.items()}
    return Setting(arities, cheap, frozenset(static))


def _finished(stage: Stage) -> ShardStage:
    predicates = tuple(name for unit in stage.units for name in unit.predicates)
    clauses = sorted((clause for unit in stage.units for clause in unit.clauses), key=lambda each: each.position)
    rules = tuple(clause.rule for clause in clauses)
    if isinstance(stage, OneShard):
        return ShardStage(predicates, rules, {}, tuple(stage.reads), frozenset(), tuple(stage.reasons))
    keys = stage.keys | {name: min(places) for name, places in stage.places.items() if places}
    replicated = tuple(name for name, places in stage.places.items() if not places)
    return ShardStage(predicates, rules, keys, replicated, frozenset(stage.copied), ())
