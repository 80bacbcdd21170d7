"""EXISTS and NOT EXISTS: a predicate over the columns of the outer query (LARS paper, Section 4, Discussion)."""

from __future__ import annotations

from collections.abc import Sequence

from thalweg.syntax.cql.from_clause import item_slots
from thalweg.syntax.cql.query import AnySlot, ComputedSlot, Item, Literal, Query, Slot
from thalweg.syntax.cql.rule_body import build_body, timed_items
from thalweg.syntax.cql.rule_writer import RuleWriter, atom
from thalweg.syntax.cql.where_clause import alternatives
from thalweg.syntax.mistake import Mistake


def define_existence(writer: RuleWriter, query: Query) -> None:
    """Write the rules of the predicate that holds for the outer columns for which the query has a row."""
    timed = timed_items(query)
    for alternative in alternatives(query.condition, query.span):
        body = build_body(query, alternative, timed, _helping_items(query, alternative))
        head = atom(query.name, [body.variables[slot] for slot in query.free], query.span)
        writer.add(head, body.formulas(), query.span)


def _helping_items(query: Query, alternative: Sequence[Literal]) -> list[Item]:
    """The items of the outer query that an alternative needs for a column it does not equate with one of its own."""
    variables = build_body(query, alternative, timed_items(query)).variables
    own: list[AnySlot] = [slot for item in query.items for slot in item_slots(item, timed_items(query))]
    items: dict[Item, None] = {}
    for slot in query.free:
        if not any(variables.are_equal(slot, other) for other in own):
            items[_item_of(slot, query)] = None
    return list(items)


def _item_of(slot: AnySlot, query: Query) -> Item:
    if isinstance(slot, Slot):
        return slot.item
    assert isinstance(slot, ComputedSlot)
    hint = "write what it is computed from instead, or equate it with a column of the subquery"
    raise Mistake("E171", query.span, f"the subquery compares {slot.name}, which is computed outside it", hint)
