"""The state of a shard as a log: a base, and the changes since.

A batch writes what it changed, not the whole state. Three things cost nothing to write: facts that slide out of the
window (a change says up to where to cut), facts that go on holding (their end is written as *until now*), and values
that are already in the table. When the changes have grown as large as the state itself, a new base replaces them, so
that all bases together are no larger than all changes together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.difference import row_difference
from thalweg.columnar.relation import Relation, concat, empty
from thalweg.columnar.shift import clip
from thalweg.columnar.values import Data, Values
from thalweg.engine.compaction import compacted
from thalweg.engine.frames import pack, relation_table, table_relation, unpack
from thalweg.engine.held_checks import check_relation, check_triggers, checked_triggers
from thalweg.engine.snapshot import intern_next, triggers_to_json, triggers_to_relation
from thalweg.engine.state_errors import damaged, other_version, reading
from thalweg.time.exact import exact, exact_ratio
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

KIND = "shard"
VERSION = 3
"""The version of what a log has in it; the frame around it has one of its own."""
_UNTIL_NOW = POSITIVE_INFINITY - 1


@dataclass(frozen=True)
class Held:
    """One relation of the state.

    ``edge`` is where it was cut last, ``until`` the code up to which its facts are known; None where that means
    nothing for it.
    """

    relation: Relation
    edge: int | None = None
    until: int | None = None


@dataclass(frozen=True)
class State:
    """Everything a shard must find again: relations, the values they are coded with, their tick, and the rest."""

    relations: Mapping[str, Held]
    values: Values
    tick: Fraction
    rest: Mapping[str, Any]


class ShardLog:
    """Remembers what has been written, and writes what is new."""

    def __init__(self) -> None:
        self._written: dict[str, Relation] = {}
        self._values = 0
        self._triggers = 0
        self._tick: Fraction | None = None

    def base(self, state: State) -> bytes:
        """The whole state."""
        self._written, self._values, self._triggers, self._tick = {}, 0, 0, None
        return self.change(state, is_base=True)

    def change(self, state: State, *, is_base: bool = False) -> bytes:
        """What a reader of everything written so far needs, to have this state; a base where the tick is another."""
        if self._tick not in (None, state.tick):
            return self.base(state)
        is_base = is_base or self._tick is None
        relations, tables, written = [], [], {}
        for name, held in state.relations.items():
            now = _until_now(held)
            known = self._written.get(name, empty(now.arity))
            gone, new = row_difference(_cut(known, held.edge), now)
            if len(now):
                written[name] = now
            relations.append([name, held.edge, held.until, now.arity, len(gone), len(new)])
            tables += [relation_table(part) for part in (gone, new) if len(part)]
        entries = state.values.entries()[self._values :]
        tables.append(_values_table(entries))
        triggers = [each for each in state.values.nulls.held(self._triggers) if len(each.numbers)]
        tables += [relation_table(triggers_to_relation(each)) for each in triggers]
        header = {
            "version": VERSION,
            "base": is_base,
            "tick": [state.tick.numerator, state.tick.denominator],
            "rest": dict(state.rest),
            "relations": relations,
            "nulls": [triggers_to_json(each) for each in triggers],
        }
        self._remember(written, state.values, state.tick)
        return pack(KIND, header, tables)

    def read(self, segments: Iterable[bytes], values: Values | None = None) -> State:
        """The state after the last of the segments.

        They follow a base, or what has been written and read so far; then ``values`` is the table as it is. Raises
        :class:`StateError` for anything that no log wrote.
        """
        state: State | None = None
        for segment in segments:
            header, tables = unpack(KIND, segment)
            if header.get("version") != VERSION:
                raise other_version(header.get("version"), VERSION)
            with reading():
                state = self._apply(values, header, tables)
            values = state.values
        if state is None:
            raise damaged("there is no state")
        for held in state.relations.values():
            check_relation(held.relation, state.values)
        return state

    def _apply(self, values: Values | None, header: dict[str, Any], tables: list[pa.RecordBatch]) -> State:
        if header["base"]:
            values, self._written = Values(), {}
        elif values is None:
            raise damaged("the first piece is not a base")
        assert values is not None
        remaining = iter(tables)
        written, relations = {}, {}
        for name, edge, until, arity, gone, new in header["relations"]:
            _check_numbers(edge, until, arity)
            now = _cut(self._written.get(name, empty(arity)), edge)
            if now.arity != arity:
                raise damaged("a relation has another number of columns than before")
            if gone:
                now, _ = row_difference(now, table_relation(next(remaining), arity))
            if new:
                now = coalesce(concat((now, table_relation(next(remaining), arity)), arity))
            if len(now):
                written[name] = now
            relations[name] = Held(_until(now, until), edge, until)
        for value in _table_values(next(remaining)):
            intern_next(values, value)
        made = [
            checked_triggers(said, table_relation(table), values)
            for said, table in zip(header["nulls"], remaining, strict=True)
        ]
        values.nulls.hold(made)
        check_triggers(made, values)
        tick = exact_ratio(header["tick"])
        self._remember(written, values, tick)
        return State(relations, values, tick, header["rest"])

    def _remember(self, written: dict[str, Relation], values: Values, tick: Fraction) -> None:
        self._written, self._values, self._tick = written, len(values), tick
        self._triggers = values.nulls.next_number


class Logged(ABC):
    """What keeps its state in a log."""

    log: ShardLog

    @abstractmethod
    def state(self) -> State:
        """Everything that must be found again."""

    @abstractmethod
    def hold(self, state: State) -> None:
        """Go on from a state."""

    @property
    @abstractmethod
    def values(self) -> Values:
        """The table of values as it is."""

    def change(self) -> bytes:
        """What the last batch changed, for the log."""
        return self.log.change(self.state())

    def base(self) -> bytes:
        """The whole state, for the log, without values that are no longer used."""
        state = compact(self.state())
        self.hold(state)
        return self.log.base(state)

    def read(self, segments: Iterable[bytes]) -> None:
        """Go on from what the log holds."""
        with reading():
            self.hold(self.log.read(segments))

    def catch_up(self, segments: Iterable[bytes]) -> None:
        """Go on from what others have added to the log since it was written or read here."""
        with reading():
            self.hold(self.log.read(segments, self.values))


def compact(state: State) -> State:
    """The same state with a table of only those values that occur in it."""
    relations, values = compacted({name: held.relation for name, held in state.relations.items()}, state.values)
    held = {name: Held(relations[name], each.edge, each.until) for name, each in state.relations.items()}
    return State(held, values, state.tick, state.rest)


def _until_now(held: Held) -> Relation:
    """The relation with a mark in place of the ends that move with the present."""
    relation = held.relation
    if held.until is None or abs(held.until) == POSITIVE_INFINITY or not len(relation):
        return relation
    end = np.where(relation.end == held.until, _UNTIL_NOW, relation.end)
    return relation.with_time(relation.start, end, coalesced=True)


def _until(relation: Relation, until: int | None) -> Relation:
    if until is None or not len(relation):
        return relation
    end = np.where(relation.end == _UNTIL_NOW, until, relation.end)
    return relation.with_time(relation.start, end, coalesced=True)


def _cut(relation: Relation, edge: int | None) -> Relation:
    """What the window keeps: the part after the edge, and what holds always."""
    if edge is None or not len(relation):
        return relation
    always = (relation.start == NEGATIVE_INFINITY) & (relation.end == POSITIVE_INFINITY)
    if always.all():
        return relation
    return clip(relation, edge, POSITIVE_INFINITY)


def _values_table(values: Iterable[Data]) -> pa.RecordBatch:
    values = tuple(values)
    texts = [value if isinstance(value, str) else str(value) for value in values]
    numbers = [not isinstance(value, str) for value in values]
    return pa.record_batch([pa.array(texts, pa.string()), pa.array(numbers, pa.bool_())], ["value", "number"])


def _table_values(table: pa.RecordBatch) -> Iterable[Data]:
    for text, is_number in zip(table.column(0).to_pylist(), table.column(1).to_pylist(), strict=True):
        if text is None or is_number is None:
            raise damaged("a value is missing")
        yield exact(text) if is_number else text


def _check_numbers(edge: Any, until: Any, arity: Any) -> None:
    codes = [code for code in (edge, until) if code is not None]
    if not all(type(code) is int and abs(code) <= POSITIVE_INFINITY for code in codes) or type(arity) is not int:
        raise damaged("how a relation was cut makes no sense")
