"""The state of a reasoner as relations, for snapshots and for the log of a shard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from thalweg.columnar.arrays import Ints
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.memory import Memory
from thalweg.engine.hypotheses.pattern_rows import PatternRows
from thalweg.engine.hypotheses.point_facts import PointFacts, points_of
from thalweg.engine.hypotheses.reasoner import HypothesisReasoner
from thalweg.engine.hypotheses.rows import Rows

BACKGROUND = "background"
_NOTHING: Ints = np.empty(0, dtype=np.int64)


def held(reasoner: HypothesisReasoner) -> dict[str, Relation]:
    """Everything that must be found again, by name."""
    background = {f"{BACKGROUND}/{name}": facts.relation() for name, facts in reasoner.background.items()}
    return {name: coalesce(each) for name, each in {**background, **dict(_held(reasoner, ""))}.items()}


def rest(reasoner: HypothesisReasoner) -> dict[str, Any]:
    """The numbers of the state."""
    return {"closed": reasoner.closed, "dropped": reasoner.given_up.count}


def remembered_count(reasoner: HypothesisReasoner) -> int:
    """How much is held beside open rows: answers that were given, and facts under ``not``."""
    return sum(len(each) for name, each in _held(reasoner, "") if not name.startswith(("rows/", "waiting/")))


def restored(
    reasoner: HypothesisReasoner, relations: Mapping[str, Relation], values: Values, numbers: Mapping[str, Any]
) -> HypothesisReasoner:
    """A reasoner for the same query that goes on from a state."""
    background = {
        name.partition("/")[2]: PointFacts(each.columns, each.start)
        for name, each in relations.items()
        if name.startswith(f"{BACKGROUND}/")
    }
    new = HypothesisReasoner(
        reasoner.unfolding,
        values,
        background,
        reasoner.otherwise,
        reasoner.pruning,
        numbers["closed"],
    )
    new.given_up.count = numbers["dropped"]
    _hold(new, relations, "")
    return new


def _held(reasoner: HypothesisReasoner, path: str) -> Iterator[tuple[str, Relation]]:
    for number, pattern in enumerate(reasoner.patterns):
        for bound, rows in pattern.tables.items():
            yield f"{path}rows/{number}/{','.join(sorted(bound))}", _rows_relation(rows, sorted(bound))
        for place, blocked in enumerate(pattern.blocked):
            yield f"{path}blocked/{number}/{place}", _untimed([*blocked.columns.values()], blocked.size)
    yield f"{path}answered", _memory_relation(reasoner.answered)
    yield f"{path}lapsed", _memory_relation(reasoner.lapsed)
    yield f"{path}doubtful", _memory_relation(reasoner.given_up.answers)
    for (number, bound), memory in reasoner.given_up.memories.items():
        yield f"{path}given up/{number}/{','.join(sorted(bound))}", _memory_relation(memory)
    for name, facts in reasoner.waiting.items():
        if len(facts):
            yield f"{path}waiting/{name}", facts.relation()
    for name, below in reasoner.below.items():
        yield from _held(below, f"{path}not {name}/")


def _hold(reasoner: HypothesisReasoner, relations: Mapping[str, Relation], path: str) -> None:
    for name, relation in relations.items():
        if not name.startswith(path) or not len(relation):
            continue
        kind, _, place = name[len(path) :].partition("/")
        match kind:
            case "rows":
                number, _, bound = place.partition("/")
                names = bound.split(",") if bound else []
                reasoner.patterns[int(number)].tables[frozenset(names)] = _relation_rows(relation, names)
            case "blocked":
                number, _, index = place.partition("/")
                _hold_blocked(reasoner.patterns[int(number)], int(index), relation)
            case "answered":
                reasoner.answered = Memory(relation.columns, relation.start)
            case "lapsed":
                reasoner.lapsed = Memory(relation.columns, relation.start)
            case "doubtful":
                reasoner.given_up.answers = Memory(relation.columns, relation.start)
            case "given up":
                number, _, bound = place.partition("/")
                reasoner.given_up.memories[int(number), frozenset(bound.split(",") if bound else [])] = Memory(
                    relation.columns, relation.start
                )
            case "waiting":
                reasoner.waiting[place] = points_of(place, relation)
    for name, below in reasoner.below.items():
        below.closed = reasoner.closed
        _hold(below, relations, f"{path}not {name}/")


def _hold_blocked(pattern: PatternRows, index: int, relation: Relation) -> None:
    blocked = pattern.blocked[index]
    blocked.hold(dict(zip(blocked.variables, relation.columns, strict=True)), len(relation))


def _rows_relation(rows: Rows, names: list[str]) -> Relation:
    # Bits as even numbers: the log takes odd ones for codes of interned values.
    words = [rows.matched[:, word] * 2 for word in range(rows.matched.shape[1])]
    return _untimed([*rows.pick(names), *words], len(rows))


def _relation_rows(relation: Relation, names: list[str]) -> Rows:
    words = np.stack([column >> 1 for column in relation.columns[len(names) :]], axis=1)
    return Rows(dict(zip(names, relation.columns, strict=False)), words)


def _untimed(columns: list[Ints], size: int) -> Relation:
    zeros = np.zeros(size, dtype=np.int64)
    return Relation(tuple(columns), zeros, zeros)


def _memory_relation(memory: Memory) -> Relation:
    return Relation(memory.columns, memory.until, memory.until)
