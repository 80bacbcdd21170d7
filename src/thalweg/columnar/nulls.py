"""Labelled nulls as columns: which trigger of which rule each null was made by.

A *trigger* is a rule with values for its frontier, and a time where its nulls depend on it. It gets a number when it
is first met, and the same number whenever it is met again; the null for the i-th existential variable of its rule has
the number of the trigger times 64, plus i. So a rule makes all its nulls with one look-up for all its rows, and nulls
are as quick to join and sort as other values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.budget import reserve
from thalweg.columnar.growing import GrowingInts
from thalweg.columnar.trigger_table import NONE, Shape, Triggers, TriggerTable, distinct_triggers, trigger_hashes
from thalweg.null import Null

MOST_VARIABLES = 64
"""So many existential variables a rule can have."""


_FOR_A_TRIGGER = 20
"""The words that a trigger takes beside its columns: number, table, depth, hash and index, some of them twice."""


class NullLimitError(Exception):
    """A limit on nulls was reached, by a rule."""

    def __init__(self, rule: int, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule


@dataclass(frozen=True)
class Group:
    """How the nulls of a rule are kept that shares a table with others.

    The table has the number of the rule, then a value for each variable of the body; ``frontier`` are the places of
    those that count, and ``variables`` the existential variables of the rule.
    """

    shape: Shape
    frontier: tuple[int, ...]
    variables: tuple[str, ...]


class Nulls:
    """The triggers met so far, and what their nulls stand for.

    ``most`` and ``deepest`` are limits on the number of triggers held and on how often nulls are made from nulls;
    ``groups`` says which rules share tables, ``written`` has the nulls that have been asked for, by their codes.
    """

    def __init__(self) -> None:
        self.most: int | None = None
        self.deepest: int | None = None
        self.groups: Mapping[int, Group] = {}
        self.written: dict[int, Null] = {}
        self._tables: list[TriggerTable] = []
        self._by_shape: dict[Shape, int] = {}
        self._next = 0
        self._numbers = GrowingInts()
        self._table_of = GrowingInts()
        self._depth_of = GrowingInts()

    def __len__(self) -> int:
        """How many triggers are held."""
        return len(self._numbers)

    def triggers(
        self, shape: Shape, columns: Sequence[Ints], size: int, *, foreign: bool = False, distinct: bool = False
    ) -> Ints:
        """The numbers of so many triggers, given as columns of values (and of times); new ones get a new number.

        Triggers of ``foreign`` nulls, which come from elsewhere, may have been met at any time. The caller may know
        that the triggers are ``distinct``.
        """
        reserve(size, len(columns) + _FOR_A_TRIGGER)
        place = self._place(shape)
        table = self._tables[place]
        hashes = trigger_hashes(columns, size)
        rows = table.find(columns, hashes, everywhere=foreign)
        unknown = np.flatnonzero(rows < 0)
        if len(unknown):
            new = [column[unknown] for column in columns]
            rows[unknown] = self._add(place, new, hashes[unknown], distinct=distinct)
        return table.numbers.array[rows]

    def fire(self, shape: Shape, columns: Sequence[Ints], size: int) -> tuple[Ints, Ints]:
        """The rows of those triggers that have not fired before, one for each, and their numbers; now they have."""
        reserve(size, len(columns) + _FOR_A_TRIGGER)
        place = self._place(shape)
        table = self._tables[place]
        hashes = trigger_hashes(columns, size)
        known = table.find(columns, hashes, everywhere=False)
        unknown = np.flatnonzero(known < 0)
        if len(unknown):
            first, _ = distinct_triggers([column[unknown] for column in columns], hashes[unknown])
            fresh = unknown[first]
            known[fresh] = self._add(place, [column[fresh] for column in columns], hashes[fresh], distinct=True)
        waiting = np.flatnonzero(known >= 0)
        waiting = waiting[table.fired.array[known[waiting]] == 0]
        _, first = np.unique(known[waiting], return_index=True)
        rows = waiting[first]
        table.fired.array[known[rows]] = 1
        return rows, table.numbers.array[known[rows]]

    def codes(self, shape: Shape, variable: str, triggers: Ints) -> Ints:
        """The codes of the nulls that triggers make for an existential variable."""
        slots = self._tables[self._by_shape[shape]].variables
        slot = slots.setdefault(variable, len(slots))
        assert slot < MOST_VARIABLES, "rules with more existential variables were refused before"
        return null_codes(triggers, slot)

    def origin(self, code: int) -> tuple[int, str, tuple[int, ...], int | None]:
        """A null's rule and variable, the codes of its trigger's values, and its time where it depends on one."""
        number, slot = divmod(-code >> 1, MOST_VARIABLES)
        place = int(np.searchsorted(self._numbers.array, number))
        table = self._tables[int(self._table_of.array[place])]
        row = int(np.searchsorted(table.numbers.array, number))
        assert table.numbers.array[row] == number, "the null has been forgotten"
        values = tuple(int(column.array[row]) for column in table.values)
        time = int(table.columns[-1].array[row]) if table.shape.timed else None
        if table.shape.rule >= 0:
            variable = next(name for name, at in table.variables.items() if at == slot)
            return table.shape.rule, variable, values, time
        rule = values[0] >> 1
        group = self.groups[rule]
        return rule, group.variables[slot], tuple(values[1 + place] for place in group.frontier), time

    def foreign(self, rule: int, variable: str, values: Sequence[int], time: int | None) -> int:
        """The code of a null that comes from elsewhere, made by a rule for a variable, values and a time."""
        group = self.groups.get(rule)
        parts = [*values]
        if group is not None:
            parts = [2 * rule, *(0 for _ in range(group.shape.arity - 1))]
            for place, value in zip(group.frontier, values, strict=True):
                parts[1 + place] = value
        shape = Shape(rule, len(values), time is not None) if group is None else group.shape
        parts += [] if time is None else [time]
        trigger = self.triggers(shape, [np.array([part]) for part in parts], 1, foreign=True)
        if group is None:
            return int(self.codes(shape, variable, trigger)[0])
        return int(null_codes(trigger, group.variables.index(variable))[0])

    def knows(self, numbers: Ints) -> bool:
        """Whether all triggers with these numbers are held."""
        known = self._numbers.array
        places = np.minimum(np.searchsorted(known, numbers), max(len(known) - 1, 0))
        return bool(len(known)) and bool((known[places] == numbers).all())

    @property
    def last_number(self) -> int:
        """The largest number of a trigger that is held; −1 where none is."""
        return int(self._numbers.array[-1]) if len(self) else -1

    @property
    def next_number(self) -> int:
        """The number that the next new trigger will get."""
        return self._next

    def held(self, since: int = 0) -> list[Triggers]:
        """The triggers held, from a number on."""
        found = []
        for table in self._tables:
            rows = slice(int(np.searchsorted(table.numbers.array, since)), None)
            numbers = table.numbers.array[rows].copy()
            columns = tuple(column.array[rows].copy() for column in table.columns)
            depths = self._depth_of.array[self._places(numbers)]
            found.append(Triggers(table.shape, tuple(table.variables), columns, numbers, depths))
        return found

    def hold(self, triggers: Sequence[Triggers]) -> None:
        """Add triggers with the numbers that they had elsewhere, all of them after those that are held."""
        for each in triggers:
            place = self._place(each.shape)
            table = self._tables[place]
            table.variables = {name: slot for slot, name in enumerate(each.variables)}
            table.add(each.columns, trigger_hashes(each.columns, len(each.numbers)), each.numbers)
        numbers = np.concatenate([NONE, *(each.numbers for each in triggers)])
        order = np.argsort(numbers)
        places = [np.full(len(each.numbers), self._place(each.shape)) for each in triggers]
        self._numbers.append(numbers[order])
        self._table_of.append(np.concatenate([NONE, *places])[order])
        self._depth_of.append(np.concatenate([NONE, *(each.depths for each in triggers)])[order])
        self._next = max(self._next, int(numbers.max()) + 1 if len(numbers) else 0)

    def recoded(self, recode: Callable[[Ints], Ints]) -> Nulls:
        """The same triggers with other codes for their values."""
        arity = [(each, each.shape.arity) for each in self.held()]
        return self._with(replace(t, columns=(*map(recode, t.columns[:n]), *t.columns[n:])) for t, n in arity)

    def settle(self, time: int) -> None:
        """Say that no rule will be applied any more at this time or before."""
        for table in self._tables:
            table.settle(time)

    def kept(self, codes: Iterable[Ints]) -> Nulls:
        """The triggers whose nulls are among these codes, or among the values of a trigger that is kept."""
        kept = np.zeros(len(self), dtype=np.bool_)
        for used in codes:
            self._mark(used, kept)
        held, before = self.held(), -1
        while (now := int(kept.sum())) > before:
            before = now
            for each in held:
                rows = kept[self._places(each.numbers)]
                for values in each.columns[: each.shape.arity]:
                    self._mark(values[rows], kept)
        return self._with(each.take(kept[self._places(each.numbers)]) for each in held)

    def _with(self, triggers: Iterable[Triggers]) -> Nulls:
        new = Nulls()
        new.most, new.deepest, new.groups = self.most, self.deepest, self.groups
        new.hold([*triggers])
        new._next = self._next
        return new

    def _place(self, shape: Shape) -> int:
        place = self._by_shape.setdefault(shape, len(self._tables))
        if place == len(self._tables):
            self._tables.append(TriggerTable(shape, [GrowingInts() for _ in range(shape.arity + shape.timed)]))
        return place

    def _mark(self, codes: Ints, kept: Bools) -> None:
        kept[self._places(np.unique(trigger_numbers(codes[is_null(codes)])))] = True

    def _places(self, numbers: Ints) -> Ints:
        return np.searchsorted(self._numbers.array, numbers)

    def _add(self, place: int, columns: list[Ints], hashes: Ints, *, distinct: bool) -> Ints:
        """Add triggers that are not known, each once, or several times if they are not distinct; gives their rows."""
        table = self._tables[place]
        if distinct:
            group = np.arange(len(hashes))
        else:
            first, group = distinct_triggers(columns, hashes)
            columns, hashes = [column[first] for column in columns], hashes[first]
        numbers = self._next + np.arange(len(hashes))
        depths = self._depths(columns[:-1] if table.shape.timed else columns, len(hashes))
        self._check_limits(table.shape.rule, len(hashes), depths)
        rows: Ints = len(table) + group
        table.add(columns, hashes, numbers)
        self._numbers.append(numbers)
        self._table_of.append(np.full(len(hashes), place))
        self._depth_of.append(depths)
        self._next += len(hashes)
        return rows

    def _depths(self, columns: Sequence[Ints], size: int) -> Ints:
        depths = np.zeros(size, dtype=np.int64)
        for column in columns:
            nulls = np.flatnonzero(is_null(column))
            if len(nulls):
                inner = self._depth_of.array[self._places(trigger_numbers(column[nulls]))]
                depths[nulls] = np.maximum(depths[nulls], inner)
        return depths + 1

    def _check_limits(self, rule: int, more: int, depths: Ints) -> None:
        if self.most is not None and len(self) + more > self.most:
            raise NullLimitError(rule, f"more than {self.most} new values are held at once")
        if self.deepest is not None and len(depths) and int(depths.max()) > self.deepest:
            raise NullLimitError(rule, f"a new value would be made from others more than {self.deepest} deep")


def null_codes(triggers: Ints, slots: Ints | int) -> Ints:
    """The codes of nulls, from the numbers of their triggers and the places of their variables in the rule."""
    return -(2 * (triggers * MOST_VARIABLES + slots) + 1)


def is_null(codes: Ints) -> Bools:
    """Which codes stand for nulls."""
    nulls: Bools = (codes < 0) & ((codes & 1) == 1)
    return nulls


def trigger_numbers(codes: Ints) -> Ints:
    """The numbers of the triggers of nulls."""
    return (-codes >> 1) // MOST_VARIABLES
