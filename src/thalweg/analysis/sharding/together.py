"""One key for several units, chosen anew for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from thalweg.analysis.sharding.agreement import Agreement, Link
from thalweg.analysis.sharding.keys import Option, Setting
from thalweg.analysis.sharding.stage import KeyedStage
from thalweg.analysis.sharding.unit import Unit, derived_by

_MOST_TRIES = 16
"""Choices that are tried after the first when that replicates what need not be."""

Wishes = dict[str, frozenset[int]]
"""The keys with which each predicate that is only read need not be replicated, as far as can be seen."""


@dataclass(frozen=True)
class Supply(Link[int, Option]):
    """The unit ``one`` reads a predicate that the unit ``other`` derives."""

    predicate: str

    def fits(self, value: Option, other: Option) -> bool:
        """Whether the reader can do with the key that the predicate gets."""
        return other.keys[self.predicate] in value.places[self.predicate]


@dataclass
class Work:
    """How many units may still be looked at."""

    left: int

    def spend(self, units: int) -> bool:
        """Whether there is enough left for so many; then it is spent."""
        if units > self.left:
            return False
        self.left -= units
        return True


def key_together(units: Sequence[Unit], setting: Setting, work: Work) -> KeyedStage | None:
    """A stage of all the units, in evaluation order; None if no key was found.

    One choice after another, each the cheapest as far as can be seen, and never one that leaves another unit without
    any: not always the best. If it replicates what could be keyed, a few others are tried.
    """
    if not work.spend(len(units)):
        return None
    choices: Choices = Agreement(dict(enumerate(unit.options for unit in units)), _supplies(units))
    if choices.settle() is not None:
        return None
    wishes = _wishes(units, choices)
    best = _stage(units, setting, _chosen(choices.copy(), setting, wishes))
    for index, option in islice(_other_choices(best, choices, wishes), _MOST_TRIES):
        if (best is not None and not _regrets(best, wishes)) or not work.spend(len(units)):
            break
        other = choices.copy()
        if other.choose(index, option) is None:
            stage = _stage(units, setting, _chosen(other, setting, wishes))
            best = min((each for each in (best, stage) if each is not None), key=lambda each: each.cost, default=None)
    return best


Choices = Agreement[int, Option, Supply]


def _supplies(units: Sequence[Unit]) -> Iterator[Supply]:
    source = derived_by(units)
    for index, unit in enumerate(units):
        yield from (Supply(index, source[name], name) for name in sorted(unit.reads & source.keys()))


def _wishes(units: Sequence[Unit], choices: Choices) -> Wishes:
    """For each predicate the places that no unit rules out; not there if none is left."""
    source = derived_by(units)
    wishes: Wishes = {}
    for index, unit in enumerate(units):
        for name in unit.reads - source.keys():
            here = frozenset[int]().union(*(option.places[name] for option in choices.possible[index]))
            wishes[name] = here & wishes.get(name, here)
    return {name: here for name, here in wishes.items() if here}


def _chosen(choices: Choices, setting: Setting, wishes: Wishes) -> list[Option] | None:
    """An option for each unit, in order."""
    wishes = dict(wishes)
    for index in choices.possible:
        options = sorted(choices.possible[index], key=lambda option: setting.cost(_against(option, wishes)))
        option = next((option for option in options if choices.choose(index, option) is None), None)
        if option is None:
            return None
        for name in option.places.keys() & wishes.keys():
            wishes[name] &= option.places[name]
            if not wishes[name]:
                del wishes[name]
    return [options[0] for options in choices.possible.values()]


def _against(option: Option, wishes: Wishes) -> Iterator[str]:
    """The predicates that an option would have replicated without need."""
    return (name for name, here in option.places.items() if name in wishes and not here & wishes[name])


def _stage(units: Sequence[Unit], setting: Setting, chosen: Sequence[Option] | None) -> KeyedStage | None:
    if chosen is None:
        return None
    stage = KeyedStage(setting)
    for unit, option in zip(units, chosen, strict=True):
        offer = stage.effect(unit, option)
        if offer is None:
            return None
        stage.take(offer)
    return stage


def _regrets(stage: KeyedStage, wishes: Wishes) -> list[str]:
    """The predicates that are replicated though another choice might key them."""
    return [name for name in wishes if not stage.has_key(name)]


def _other_choices(stage: KeyedStage | None, choices: Choices, wishes: Wishes) -> Iterator[tuple[int, Option]]:
    """Options that would key what a stage replicates; without a stage, all."""
    regrets = None if stage is None else _regrets(stage, wishes)
    for index, options in choices.possible.items():
        if len(options) > 1:
            for option in options:
                if regrets is None or any(option.places.get(name, frozenset()) & wishes[name] for name in regrets):
                    yield index, option
