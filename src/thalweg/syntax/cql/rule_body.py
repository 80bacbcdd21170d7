"""The body of a rule: Δ_FROM(q) ∪ Δ_WHERE(q) for one alternative of the WHERE clause (LARS paper, rule (6))."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from thalweg.syntax import ast
from thalweg.syntax.ast import ComparisonOperator
from thalweg.syntax.cql.from_clause import item_slots, translate_item
from thalweg.syntax.cql.query import (
    AnySlot,
    Comparison,
    ComputedSlot,
    Existence,
    Expression,
    Item,
    Literal,
    Query,
    Reference,
    Slot,
    slots_of,
    subexpressions,
)
from thalweg.syntax.cql.rule_writer import atom
from thalweg.syntax.cql.variables import Variables
from thalweg.syntax.cql.where_clause import comparisons, equal_slots
from thalweg.syntax.mistake import Mistake


@dataclass(frozen=True)
class Body:
    """What a body is made of; it can be written with other variables, too."""

    items: tuple[Item, ...]
    timed: frozenset[Item]
    literals: tuple[Literal, ...]
    variables: Variables

    def formulas(self, variables: Variables | None = None) -> list[ast.Formula]:
        """The formulas, with the body's own variables or others."""
        chosen = variables or self.variables
        atoms = [translate_item(item, chosen, self.timed) for item in self.items]
        subqueries = [_existence(each, chosen) for each in self.literals if isinstance(each, Existence)]
        return [*atoms, *comparisons(self.literals, chosen), *subqueries]


def build_body(
    query: Query, literals: Sequence[Literal], timed: Collection[Item], more_items: Collection[Item] = ()
) -> Body:
    """The body for one alternative; other items may help to give columns of outer queries their values."""
    items = (*query.items, *more_items)
    slots: list[AnySlot] = [slot for item in items for slot in item_slots(item, timed)]
    variables = Variables([*slots, *query.computed, *query.free], equal_slots(literals))
    _check_computed(query, literals, variables)
    return Body(items, frozenset(timed), tuple(literals), variables)


def timed_items(query: Query) -> set[Item]:
    """The items whose times a query asks for."""
    return {slot.item for slot in slots_of(query) if isinstance(slot, Slot) and slot.is_time}


def _existence(literal: Existence, variables: Variables) -> ast.Formula:
    query = literal.query
    arguments: list[ast.Term] = [variables[slot] for slot in query.free]
    if is_selection(query):
        found = atom(query.name, arguments, literal.span)
    else:
        found = atom(query.name, [ast.Variable("_")] * len(query.selected), literal.span)
    return ast.Not(found, literal.span) if literal.negated else found


def is_selection(query: Query) -> bool:
    """Whether a query only selects: no groups, no aggregates, no stream operator."""
    return query.group is None and not query.aggregates and query.operator is None


def _check_computed(query: Query, literals: Sequence[Literal], variables: Variables) -> None:
    """Every computed column gets a value in this alternative."""
    known: set[ComputedSlot] = set()
    real = [slot for item in query.items for slot in item_slots(item, ())] + list(query.free)
    for slot in query.computed:
        if any(variables.are_equal(slot, other) for other in real):
            known.add(slot)
    equations = [each for each in literals if isinstance(each, Comparison) and _is_equation(each)]
    for _ in equations:
        for equation in equations:
            known |= _given(equation.left, equation.right, known) | _given(equation.right, equation.left, known)
    for slot in query.computed:
        if slot not in known:
            message = f"{slot.name} does not get a value in every alternative of WHERE"
            hint = "write an equation for it, such as t2 = t1 + z, outside OR and NOT"
            raise Mistake("E177", query.span, message, hint)


def _is_equation(comparison: Comparison) -> bool:
    return comparison.operator is ComparisonOperator.EQUAL


def _given(left: Expression, right: Expression, known: Collection[AnySlot]) -> set[ComputedSlot]:
    """The computed column on the left, if all on the right have values."""
    if not isinstance(left, Reference) or not isinstance(left.slot, ComputedSlot):
        return set()
    return {left.slot} if all(slot in known for slot in _computed_in([right])) else set()


def _computed_in(expressions: Iterable[Expression]) -> list[ComputedSlot]:
    parts = (part for expression in expressions for part in subexpressions(expression))
    return [part.slot for part in parts if isinstance(part, Reference) and isinstance(part.slot, ComputedSlot)]
