"""The variables of one rule: one for all columns that the rule makes equal (LARS paper, Δ_WHERE(P1.X = P2.X) = ∅)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from thalweg.source import Span
from thalweg.syntax.ast import Variable
from thalweg.syntax.cql.names import variable_name
from thalweg.syntax.cql.query import AnySlot, ComputedSlot

_TIME = "T"


class Variables:
    """Which variable stands for which column.

    A variable is called like its column where that is enough (``ID``), otherwise like FROM item and column (``A_ID``).
    """

    def __init__(self, slots: Iterable[AnySlot], equal: Iterable[tuple[AnySlot, AnySlot]] = ()) -> None:
        ordered = list(dict.fromkeys(slots))
        self._same = _unite(ordered, equal)
        firsts = [slot for slot in ordered if self._same[slot] == slot]
        wanted = Counter(_short_name(slot) for slot in firsts)
        self._taken: set[str] = set()
        self._names: dict[AnySlot, str] = {}
        for slot in sorted(firsts, key=lambda slot: wanted[_short_name(slot)] > 1):
            short = _short_name(slot)
            self._names[slot] = self.fresh(short if wanted[short] == 1 else _long_name(slot))

    def __getitem__(self, slot: AnySlot) -> Variable:
        return self.at(slot, None)

    def at(self, slot: AnySlot, span: Span | None) -> Variable:
        """The variable of a column, where it was written."""
        return Variable(self._names[self._same[slot]], span)

    def fresh(self, name: str) -> str:
        """A name that no variable has yet: the name itself, or the name with a number."""
        number, candidate = 1, name
        while candidate in self._taken:
            number += 1
            candidate = f"{name}_{number}"
        self._taken.add(candidate)
        return candidate

    def are_equal(self, first: AnySlot, second: AnySlot) -> bool:
        """Whether two columns have one variable."""
        return self._same[first] == self._same[second]

    def renamed(self, kept: Iterable[AnySlot]) -> Variables:
        """New variables for all columns but some."""
        keep = {self._same[slot] for slot in kept}
        other = Variables(())
        other._same, other._taken = self._same, self._taken
        other._names = {slot: name if slot in keep else self.fresh(name) for slot, name in self._names.items()}
        return other


def _unite(slots: list[AnySlot], equal: Iterable[tuple[AnySlot, AnySlot]]) -> Mapping[AnySlot, AnySlot]:
    """For each column the first of those it is equal to."""
    same = {slot: slot for slot in slots}
    for first, second in equal:
        old, new = sorted((same[first], same[second]), key=slots.index, reverse=True)
        same = {slot: new if root == old else root for slot, root in same.items()}
    return same


def _short_name(slot: AnySlot) -> str:
    if isinstance(slot, ComputedSlot):
        return variable_name(slot.name)
    return _TIME if slot.position is None else variable_name(_column(slot))


def _long_name(slot: AnySlot) -> str:
    if isinstance(slot, ComputedSlot):
        return variable_name(slot.name)
    return variable_name(f"{slot.item.alias}_{_column(slot)}")


def _column(slot: AnySlot) -> str:
    if isinstance(slot, ComputedSlot):
        return slot.name
    if slot.position is None:
        return "rowtime"
    return slot.item.relation.columns[slot.position].name or f"column{slot.position + 1}"
