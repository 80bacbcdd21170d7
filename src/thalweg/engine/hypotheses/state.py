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
from thalweg.engine.hypotheses.pattern_rows import NEVER, Facts, PatternRows
from thalweg.engine.hypotheses.point_facts import MOST_POINTS, PointFacts, points_of
from thalweg.engine.hypotheses.reasoner import HypothesisReasoner
from thalweg.engine.hypotheses.rows import Rows
from thalweg.engine.state_errors import damaged

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
    _check(reasoner, relations, numbers, background)
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


def _check(
    reasoner: HypothesisReasoner, relations: Mapping[str, Relation], numbers: Mapping[str, Any], background: Facts
) -> None:
    """Refuse a state whose numbers are none, or whose background this program has not."""
    signatures = reasoner.unfolding.program.signatures
    counts = [numbers["closed"], numbers["dropped"], numbers["late"], numbers["newest"] or 0]
    if not all(type(each) is int and abs(each) <= NEVER for each in counts) or type(numbers["begun"]) is not bool:
        raise damaged("its numbers make no sense")
    arities = {name: signatures[name].arity if name in signatures else None for name in background}
    if any(len(facts.columns) != arities[name] for name, facts in background.items()):
        raise damaged("it holds facts of predicates that this program has not")
    # In floating point: a sum of integers would wrap around where somebody wants it to.
    lengths = (each.end.astype(np.float64) - each.start for each in relations.values())
    if any(each.sum() > MOST_POINTS for each in lengths):
        raise damaged("it holds facts at more time points than any run keeps")


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
                number, names = _place(reasoner, place)
                pattern = reasoner.patterns[number]
                _require(relation, len(names) + pattern.words)
                pattern.tables[frozenset(names)] = _relation_rows(relation, names)
            case "blocked":
                of_pattern, _, index = place.partition("/")
                _hold_blocked(reasoner.patterns[_index(of_pattern)], _index(index), relation)
            case "answered":
                reasoner.answered = _memory(relation, len(reasoner.answered.columns))
            case "lapsed":
                reasoner.lapsed = _memory(relation, len(reasoner.lapsed.columns))
            case "doubtful":
                reasoner.given_up.answers = _memory(relation, len(reasoner.given_up.answers.columns))
            case "given up":
                number, names = _place(reasoner, place)
                reasoner.given_up.memories[number, frozenset(names)] = _memory(relation, len(names))
            case "waiting":
                _require(relation, reasoner.unfolding.program.signatures[place].arity)
                reasoner.waiting[place] = points_of(place, relation)
    for name, below in reasoner.below.items():
        below.closed = reasoner.closed
        _hold(below, relations, f"{path}not {name}/")


def _hold_blocked(pattern: PatternRows, index: int, relation: Relation) -> None:
    blocked = pattern.blocked[index]
    blocked.hold(dict(zip(blocked.variables, relation.columns, strict=True)), len(relation))


def _index(text: str) -> int:
    if not text.isdecimal():
        raise damaged("it holds rows of no pattern")
    return int(text)


def _place(reasoner: HypothesisReasoner, place: str) -> tuple[int, list[str]]:
    """Which pattern, and which variables of it are bound."""
    number, _, bound = place.partition("/")
    names = bound.split(",") if bound else []
    if names != sorted({*names}) or not {*names} <= {*reasoner.patterns[_index(number)].pattern.variables}:
        raise damaged("it holds rows of no pattern")
    return int(number), names


def _require(relation: Relation, arity: int) -> None:
    if relation.arity != arity:
        raise damaged("rows have another number of columns")


def _memory(relation: Relation, arity: int) -> Memory:
    _require(relation, arity)
    return Memory(relation.columns, relation.start)


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
