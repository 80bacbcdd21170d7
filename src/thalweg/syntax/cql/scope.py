"""Which column a name means."""

from __future__ import annotations

from collections.abc import Iterable

from thalweg.errors import did_you_mean
from thalweg.source import Span
from thalweg.syntax.cql.names import ROWTIME, fold
from thalweg.syntax.cql.query import AnySlot, ComputedSlot, Item, Slot
from thalweg.syntax.mistake import Mistake


class Scope:
    """The FROM items of a query, and the scope of the query around it."""

    def __init__(self, items: Iterable[Item], outer: Scope | None) -> None:
        self.items = tuple(items)
        self.computed: dict[str, ComputedSlot] = {}
        self.free: dict[AnySlot, None] = {}
        """The columns of outer scopes that were asked for."""
        self._outer = outer

    def find(self, name: str, alias: str | None, span: Span) -> AnySlot:
        """The column of that name, in the inner query before the outer ones."""
        slot = self.look_up(name, alias, span)
        if slot is None:
            raise self._unknown(name, alias, span)
        return slot

    def look_up(self, name: str, alias: str | None, span: Span) -> AnySlot | None:
        """The column of that name, if there is one."""
        own = self._own(name, alias, span)
        if own is not None or self._outer is None:
            return own
        slot = self._outer.look_up(name, alias, span)
        if slot is not None:
            self.free[slot] = None
        return slot

    def item(self, alias: str, span: Span) -> Item:
        """The FROM item that is called so."""
        for item in self.items:
            if fold(item.alias) == fold(alias):
                return item
        raise self._unknown_item(alias, span)

    def _own(self, name: str, alias: str | None, span: Span) -> AnySlot | None:
        items = [item for item in self.items if alias is None or fold(item.alias) == fold(alias)]
        found = [slot for item in items if (slot := column_of(item, name)) is not None]
        if len(found) > 1:
            hint = f"write {' or '.join(f'{slot.item.alias}.{name}' for slot in found)}"
            raise Mistake("E158", span, f"{name} is a column of several FROM items", hint)
        if found:
            return found[0]
        return self.computed.get(fold(name)) if alias is None else None

    def _unknown(self, name: str, alias: str | None, span: Span) -> Mistake:
        if alias is None:
            known = [column for item in self._all_items() for column in item.relation.column_names]
            hint = did_you_mean(name, known) or f"the columns are {', '.join(dict.fromkeys(known))}"
            return Mistake("E157", span, f"no FROM item has a column {name}", hint)
        items = [item for item in self._all_items() if fold(item.alias) == fold(alias)]
        if not items:
            return self._unknown_item(alias, span)
        known = items[0].relation.column_names
        hint = did_you_mean(name, known) or f"its columns are {', '.join(known)}"
        return Mistake("E157", span, f"{alias} has no column {name}", hint)

    def _unknown_item(self, alias: str, span: Span) -> Mistake:
        known = [item.alias for item in self._all_items()]
        hint = did_you_mean(alias, known) or f"FROM has {', '.join(known)}"
        return Mistake("E156", span, f"FROM has nothing called {alias}", hint)

    def _all_items(self) -> list[Item]:
        return [*self.items, *(self._outer._all_items() if self._outer else ())]


def column_of(item: Item, name: str) -> Slot | None:
    """The column of a FROM item, if it has one of that name."""
    position = item.relation.position(name)
    if position is not None:
        return Slot(item, position)
    return Slot(item, None) if fold(name) == ROWTIME and item.relation.has_rowtime else None
