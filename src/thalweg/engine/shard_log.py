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

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.difference import row_difference
from thalweg.columnar.relation import Relation, concat, empty
from thalweg.columnar.shift import clip
from thalweg.columnar.values import Data, Values
from thalweg.engine.frames import FrameError, pack, relation_table, table_relation, unpack
from thalweg.engine.snapshot import triggers_of, triggers_to_json, triggers_to_relation
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

VERSION = 2
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
        return pack(header, tables)

    def read(self, segments: Iterable[bytes], values: Values | None = None) -> State:
        """The state after the last of the segments.

        They follow a base, or what has been written and read so far; then ``values`` is the table as it is.
        """
        state: State | None = None
        for segment in segments:
            header, tables = unpack(segment)
            if header["version"] != VERSION:
                raise FrameError(f"the state has version {header['version']}, but this program writes {VERSION}")
            state = self._apply(values, header, tables)
            values = state.values
        if state is None:
            raise FrameError("there is no state")
        return state

    def _apply(self, values: Values | None, header: dict[str, Any], tables: list[pa.RecordBatch]) -> State:
        if header["base"]:
            values, self._written = Values(), {}
        elif values is None:
            raise FrameError("the first piece is not a base")
        assert values is not None
        remaining = iter(tables)
        written, relations = {}, {}
        for name, edge, until, arity, gone, new in header["relations"]:
            now = _cut(self._written.get(name, empty(arity)), edge)
            if gone:
                now, _ = row_difference(now, table_relation(next(remaining)))
            if new:
                now = coalesce(concat((now, table_relation(next(remaining))), arity))
            if len(now):
                written[name] = now
            relations[name] = Held(_until(now, until), edge, until)
        for value in _table_values(next(remaining)):
            values.code(value)
        said, made = header["nulls"], map(table_relation, remaining)
        values.nulls.hold([triggers_of(*each) for each in zip(said, made, strict=True)])
        tick = Fraction(*header["tick"])
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
        self.hold(self.log.read(segments))

    def catch_up(self, segments: Iterable[bytes]) -> None:
        """Go on from what others have added to the log since it was written or read here."""
        self.hold(self.log.read(segments, self.values))


def compact(state: State) -> State:
    """The same state with a table of only those values that occur in it."""
    codes = [column for held in state.relations.values() for column in held.relation.columns]
    nulls = state.values.nulls.kept(codes)
    codes += [column for each in nulls.held() for column in each.columns[: each.shape.arity]]
    interned = np.unique(np.concatenate([column[_is_interned(column)] for column in codes])) if codes else _NOTHING
    values = Values()
    new_codes = values.encode(state.values.distinct(interned)) if len(interned) else _NOTHING
    values.nulls = nulls.recoded(lambda column: _recoded(column, interned, new_codes))
    relations = {}
    for name, held in state.relations.items():
        columns = tuple(_recoded(column, interned, new_codes) for column in held.relation.columns)
        relation = coalesce(Relation(columns, held.relation.start, held.relation.end))
        relations[name] = Held(relation, held.edge, held.until)
    return State(relations, values, state.tick, state.rest)


_NOTHING: Ints = np.empty(0, dtype=np.int64)


def _recoded(column: Ints, old: Ints, new: Ints) -> Ints:
    if not len(old):
        return column
    place = np.minimum(np.searchsorted(old, column), len(old) - 1)
    return np.where(_is_interned(column), new[place], column)


def _is_interned(column: Ints) -> Bools:
    """Which codes stand for entries of the table; integers and nulls stand for themselves."""
    interned: Bools = (column & 1 == 1) & (column > 0)
    return interned


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
        yield Fraction(text) if is_number else text
