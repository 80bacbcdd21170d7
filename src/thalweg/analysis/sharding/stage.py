"""Units that share one key: the stages of a plan while it is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from thalweg.analysis.sharding.keys import NOTHING, Clause, Cost, Option, Setting, undivided
from thalweg.analysis.sharding.unit import Unit

_NOWHERE: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Offer:
    """What a stage becomes if it takes in a unit with one of its options."""

    unit: Unit
    option: Option
    places: Mapping[str, frozenset[int]]
    copied: frozenset[str]
    cost: Cost


class KeyedStage:
    """Units with an option each, all of which agree.

    ``keys`` has the keys of what is derived here, ``source`` the units that derive it, and ``places`` the keys that
    would do for what is only read; without any, it is replicated.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.units: list[Unit] = []
        self.source: dict[str, Unit] = {}
        self.keys: dict[str, int] = {}
        self.places: dict[str, frozenset[int]] = {}
        self.copied: set[str] = set()
        self.cost = NOTHING
        self._undivided: set[int] = set()
        self._guarded: dict[str, list[Clause]] = {}

    @property
    def clauses(self) -> Iterator[Clause]:
        """The clauses of all units."""
        return (clause for unit in self.units for clause in unit.clauses)

    @property
    def splits_nothing(self) -> bool:
        """Whether every shard does all the work."""
        return not any(
            self.has_key(name) and name not in self.copied for clause in self.clauses for name in clause.guarding
        )

    def has_key(self, predicate: str) -> bool:
        """Whether a predicate is spread over the shards by a key."""
        return predicate in self.keys or bool(self.places.get(predicate))

    def gives(self, predicate: str) -> bool:
        """Whether the shards together hold each fact of a predicate, and one of them as its own."""
        return self.has_key(predicate)

    def offer(self, unit: Unit) -> Offer | None:
        """The cheapest way to take in a unit without another choice of the keys made so far."""
        fitting = ((self._fitted(option), option) for option in unit.options)
        priced = [(self._cost_with(places), option) for places, option in fitting if places is not None]
        offers = (self.effect(unit, option) for _, option in sorted(priced, key=lambda each: each[0]))
        return next((offer for offer in offers if offer is not None), None)

    def effect(self, unit: Unit, option: Option) -> Offer | None:
        """What an option of a unit would change; None where that contradicts the keys, or splits less than before."""
        places = self._fitted(option)
        if places is None:
            return None

        def has_key(name: str) -> bool:
            return name in self.keys or name in option.keys or bool(places.get(name, self.places.get(name)))

        def is_split(name: str) -> bool:
            return has_key(name) and name not in self.copied

        def guarded_by(name: str) -> Iterable[Clause]:
            return chain(self._guarded.get(name, ()), unit.guarded.get(name, ()))

        lost = (name for name, here in places.items() if not here and self.places.get(name))
        touched = chain(unit.clauses, *(self._guarded.get(name, ()) for name in lost))
        copied: set[str] = set()
        for clause in undivided(touched, guarded_by, is_split):
            # Of the keys of others a shard may know too little, and would find a violation that is none.
            if not self._may_be_undivided(clause, unit) or (clause.head is None and any(map(has_key, clause.reads))):
                return None
            if clause.head is not None:
                copied.add(clause.head.predicate)
        return Offer(unit, option, places, frozenset(copied), self._cost_with(places))

    def take(self, offer: Offer) -> None:
        """Take in a unit as offered."""
        self.units.append(offer.unit)
        self.source.update(dict.fromkeys(offer.unit.predicates, offer.unit))
        self.keys.update(offer.option.keys)
        self.places.update(offer.places)
        self.copied |= offer.copied
        self.cost = offer.cost
        self._undivided |= offer.unit.undivided
        for name, clauses in offer.unit.guarded.items():
            self._guarded.setdefault(name, []).extend(clauses)

    def _fitted(self, option: Option) -> Mapping[str, frozenset[int]] | None:
        """The places left for what is only read; None if the option contradicts a key."""
        places: dict[str, frozenset[int]] = {}
        for name, here in option.places.items():
            if name not in self.keys:
                places[name] = here & self.places.get(name, here)
            elif self.keys[name] not in here:
                return None
        return places

    def _may_be_undivided(self, clause: Clause, unit: Unit) -> bool:
        """Whether a clause is not divided between shards in a stage of its own either, or need not be."""
        if clause.position in self._undivided or clause.position in unit.undivided:
            return True
        static = self.setting.static
        return clause.reads <= static if clause.head is None else clause.head.predicate in static

    def _cost_with(self, places: Mapping[str, frozenset[int]]) -> Cost:
        """The cost when some predicates have other places: one that has none any more is replicated."""
        added = (name for name, here in places.items() if not here and self.places.get(name) != _NOWHERE)
        return self.cost.plus(self.setting.cost(added))
