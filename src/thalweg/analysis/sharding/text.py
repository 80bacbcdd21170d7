"""A plan of shards and stages, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from thalweg.analysis.recursion import name_several
from thalweg.analysis.sharding.reasons import ordinal

if TYPE_CHECKING:
    from thalweg.analysis.sharding.plan import Sharding, ShardStage

_MOST_STAGES = 10
_MOST_REASONS = 5
_SKEW = "a stage is as slow as its most frequent key; where keys have few values, few shards are busy"


def write(sharding: Sharding) -> str:
    """What each stage derives, by which key, and what its shards cannot share."""
    return "\n".join(_lines(sharding))


def _lines(sharding: Sharding) -> Iterator[str]:
    stages = sharding.stages
    if not stages:
        yield "shards       none: nothing is derived"
        return
    yield f"shards       {len(stages)} stage{'' if len(stages) == 1 else 's'}"
    for number, stage in enumerate(stages[:_MOST_STAGES], start=1):
        first, *rest = _stage(sharding, stage)
        yield f"  {number}  {first}"
        yield from (f"     {line}" for line in rest)
    if len(stages) > _MOST_STAGES:
        yield f"  and {len(stages) - _MOST_STAGES} more"
    if any(stage.is_split for stage in stages):
        yield f"  {_SKEW}"


def _stage(sharding: Sharding, stage: ShardStage) -> Iterator[str]:
    if not stage.is_split:
        yield f"{_work(stage)} on one shard:"
        yield from stage.reasons[:_MOST_REASONS]
        if len(stage.reasons) > _MOST_REASONS:
            yield f"and {len(stage.reasons) - _MOST_REASONS} more"
        return
    yield f"{_work(stage)} by {_key(sharding, stage)}"
    cheap = [name for name in stage.replicated if name in sharding.background]
    dear = [name for name in stage.replicated if name not in sharding.background]
    if cheap:
        yield f"every shard gets all of {name_several(cheap)} (background)"
    if dear:
        yield f"every shard gets all of {name_several(dear)} (not background: each takes in the whole)"
    if stage.copied:
        yield f"derived by several shards, given out by one: {name_several(sorted(stage.copied))}"


def _work(stage: ShardStage) -> str:
    if stage.predicates:
        return name_several(stage.predicates)
    return "constraints" if stage.rules else name_several(stage.reads)


def _key(sharding: Sharding, stage: ShardStage) -> str:
    """The key as the data has it: arguments of what is read, or of what is derived where nothing is keyed there."""
    derived = set(stage.predicates)
    read = [name for name in stage.keys if name not in derived]
    arguments: dict[str, list[str]] = {}
    for name in read or stage.keys:
        arguments.setdefault(_argument(sharding, name, stage.keys[name]), []).append(name)
    return name_several([f"the {argument} of {name_several(names)}" for argument, names in arguments.items()])


def _argument(sharding: Sharding, predicate: str, place: int) -> str:
    return _declared_name(sharding, predicate, place) or f"{ordinal(place)} argument"


def _declared_name(sharding: Sharding, predicate: str, place: int) -> str | None:
    signature = sharding.signatures.get(predicate)
    return signature.parameters[place].name if signature and place < signature.arity else None


def as_json(sharding: Sharding) -> dict[str, Any]:
    """The plan as dictionaries and lists; arguments are counted from 0, rules are named by their numbers."""
    return {
        "queries": list(sharding.queries),
        "stages": [
            {
                "predicates": list(stage.predicates),
                "rules": [rule.number for rule in stage.rules],
                "keys": {
                    name: {"argument": place, "name": _declared_name(sharding, name, place)}
                    for name, place in stage.keys.items()
                },
                "replicated": list(stage.replicated),
                "copied": sorted(stage.copied),
                "split": stage.is_split,
                "reasons": list(stage.reasons),
            }
            for stage in sharding.stages
        ],
    }
