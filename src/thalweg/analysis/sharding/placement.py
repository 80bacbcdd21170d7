"""Which units share a stage."""

from __future__ import annotations

from dataclasses import dataclass, field

from thalweg.analysis.sharding.keys import Setting
from thalweg.analysis.sharding.stage import KeyedStage
from thalweg.analysis.sharding.together import Work, key_together
from thalweg.analysis.sharding.unit import Unit

_MOST_STAGES_TRIED = 32
"""Stages that a unit is offered to before it gets one of its own."""

_MOST_WORK = 20_000
"""Units that may be looked at again, in all, to choose the keys of stages anew: only huge programs need as many."""

_STATIC = "only background is read: every shard would derive everything"


@dataclass
class OneShard:
    """Units that run on one shard together, because no key was found for them."""

    units: list[Unit] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    reads: dict[str, None] = field(default_factory=dict)
    derives: set[str] = field(default_factory=set)

    def take(self, unit: Unit) -> None:
        """Take in a unit."""
        self.units.append(unit)
        self.reasons += unit.reasons
        self.derives.update(unit.predicates)
        atoms = (atom for clause in unit.clauses for atom in clause.body)
        self.reads.update((atom.predicate, None) for atom in atoms if atom.predicate not in self.derives)

    def gives(self, predicate: str) -> bool:
        """Whether all facts of a predicate are there."""
        return predicate in self.derives or predicate in self.reads


Stage = KeyedStage | OneShard


class Placement:
    """Stages in evaluation order, to which units are added in evaluation order."""

    def __init__(self, setting: Setting) -> None:
        self.stages: list[Stage] = []
        self._setting = setting
        self._stage_of: dict[str, int] = {}
        self._work = Work(_MOST_WORK)

    def place(self, unit: Unit) -> None:
        """Put a unit in the earliest stage that suits it, or in a new one at the end."""
        earliest = max((self._stage_of[name] for name in unit.reads if name in self._stage_of), default=0)
        index = self._index_for(unit, earliest)
        self._stage_of.update(dict.fromkeys(unit.predicates, index))

    def gather_what_is_not_split(self) -> None:
        """Run on one shard what every shard would do in full."""
        for index, stage in enumerate(self.stages):
            if isinstance(stage, KeyedStage) and stage.splits_nothing:
                gathered = OneShard(reasons=[_STATIC])
                for unit in stage.units:
                    gathered.take(unit)
                self.stages[index] = gathered

    def show(self, predicate: str) -> None:
        """Have a stage read a predicate that no rule derives, so that its facts can be given out there."""
        if any(stage.gives(predicate) for stage in self.stages):
            return
        if not self._setting.arities.get(predicate):
            self._first_on_one_shard(f"{predicate} has no arguments").reads[predicate] = None
            return
        for stage in self.stages:
            if isinstance(stage, KeyedStage) and predicate not in stage.places:
                break
        else:
            stage = KeyedStage(self._setting)
            self.stages.append(stage)
        stage.places[predicate] = frozenset({0})

    def _first_on_one_shard(self, reason: str) -> OneShard:
        found = next((stage for stage in self.stages if isinstance(stage, OneShard)), None)
        if found is None:
            found = OneShard(reasons=[reason])
            self.stages.append(found)
        return found

    def _index_for(self, unit: Unit, earliest: int) -> int:
        for index in range(earliest, min(earliest + _MOST_STAGES_TRIED, len(self.stages))):
            joined = self._joined(self.stages[index], unit)
            if joined is not None:
                self.stages[index] = joined
                return index
        self.stages.append(self._alone(unit))
        return len(self.stages) - 1

    def _alone(self, unit: Unit) -> Stage:
        stage: Stage
        if unit.options:
            stage = KeyedStage(self._setting)
            offer = stage.effect(unit, unit.options[0])
            assert offer is not None
            stage.take(offer)
        else:
            stage = OneShard()
            stage.take(unit)
        return stage

    def _joined(self, stage: Stage, unit: Unit) -> Stage | None:
        """The stage with the unit, if they suit each other."""
        if isinstance(stage, KeyedStage):
            return self._keyed(stage, unit) if unit.options else None
        # A constraint that could be split may stay where everything is that it reads.
        if unit.options and (unit.predicates or not all(map(stage.gives, unit.reads))):
            return None
        stage.take(unit)
        return stage

    def _keyed(self, stage: KeyedStage, unit: Unit) -> KeyedStage | None:
        """A stage with one more unit, if that replicates no more than two stages would."""
        apart = stage.cost.plus(unit.cost)
        offer = stage.offer(unit)
        if offer is None or offer.cost.streamed > apart.streamed or offer.cost.all > apart.all:
            anew = self._keyed_anew(stage, unit)
            if anew is not None and anew.cost.streamed <= apart.streamed and (offer is None or anew.cost < offer.cost):
                return anew
        if offer is None or offer.cost.streamed > apart.streamed:
            return None
        stage.take(offer)
        return stage

    def _keyed_anew(self, stage: KeyedStage, unit: Unit) -> KeyedStage | None:
        if not all(_could_suit(stage, unit, name) for name in unit.reads):
            return None
        return key_together([*stage.units, unit], self._setting, self._work)


def _could_suit(stage: KeyedStage, unit: Unit, predicate: str) -> bool:
    """Whether a predicate that a unit reads could have a key that suits it, if the stage derives it."""
    source = stage.source.get(predicate)
    if source is None:
        return True
    suiting = frozenset[int]().union(*(option.places[predicate] for option in unit.options))
    return any(option.keys[predicate] in suiting for option in source.options)
