"""Δ_FROM (LARS paper, Table 1): FROM items to formulas."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from thalweg.syntax import ast
from thalweg.syntax.cql.query import Item, Slot
from thalweg.syntax.cql.schema import RelationKind
from thalweg.syntax.cql.variables import Variables
from thalweg.syntax.cql.windows import Now, Range, Rows, Window


def translate_item(item: Item, variables: Variables, timed: Collection[Item]) -> ast.Formula:
    """A window over the item's atom: at some time in it, or at the time that a variable stands for.

    ============================  ==================================================
    ``S``, ``S [NOW]``            ``S(X)``
    ``S [RANGE L SLIDE D]``       ``window[last L, slide D] some S(X)``
    ``S [ROWS N]``                ``window[last N tuples] some S(X)``
    ``S [PARTITION BY X ROWS N]`` ``window[last N tuples per 1] some S(X)``
    with ``S.rowtime``            ``window[…] (S(X) at T)``, also of ``window[last 0]``
    ============================  ==================================================
    """
    slots = [Slot(item, position) for position in range(len(item.relation.columns))]
    atom = ast.Atom(item.relation.predicate, tuple(variables.at(slot, item.span) for slot in slots), item.span)
    is_timed = item in timed
    if isinstance(item.window, Now) and not is_timed:
        return atom
    window = _translate_window(item.window, item)
    operand = ast.At(atom, variables[Slot(item, None)], item.span) if is_timed else ast.Some(atom, item.span)
    return ast.Windowed(window, operand, item.span)


def item_slots(item: Item, timed: Collection[Item]) -> list[Slot]:
    """The columns that the formula of an item gives values to."""
    slots = [Slot(item, position) for position in range(len(item.relation.columns))]
    return slots + [Slot(item, None)] * (item in timed)


def spans_times(item: Item) -> bool:
    """Whether one tuple can be in the item's window several times, at different times."""
    return item.relation.kind is not RelationKind.TABLE and not isinstance(item.window, Now)


def _translate_window(window: Window, item: Item) -> ast.Window:
    match window:
        case Now(span):
            return ast.TimeWindow(ast.Number(Fraction(0)), span=span)
        case Range(length, slide, span):
            return ast.TimeWindow(length, slide=slide, span=span)
        case Rows(count, (), span):
            return ast.TupleWindow(count, span=span)
        case Rows(count, columns, span):
            return ast.PartitionWindow(count, tuple(_position(item, name) for name, _ in columns), span=span)


def _position(item: Item, name: str) -> ast.Number:
    position = item.relation.position(name)
    assert position is not None
    return ast.Number(Fraction(position + 1))
