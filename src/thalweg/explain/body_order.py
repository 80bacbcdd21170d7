"""The order in which the literals of a body are looked at: as they are written, but none before what it needs."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.model.binding import bound_by_all, solved_equations
from thalweg.model.formula import (
    Aggregate,
    Comparison,
    Formula,
    Not,
    Variable,
    children,
    expression_variables,
    variables,
)
from thalweg.model.program import Rule
from thalweg.plan.build import time_of_body


def body_order(rule: Rule) -> list[int]:
    """The places of a rule's literals, from 0: a test comes after the literals that bind its variables."""
    waiting = list(range(len(rule.body)))
    order: list[int] = []
    while waiting:
        before = [rule.body[place] for place in order]
        ready = (place for place in waiting if _is_ready(rule.body[place], before, rule))
        following = next(ready, waiting[0])
        waiting.remove(following)
        order.append(following)
    return order


def _is_ready(literal: Formula, before: list[Formula], rule: Rule) -> bool:
    bound = bound_by_all(before)
    match literal:
        case Comparison():
            return any(bound.issuperset(expression_variables(e)) for _, e in solved_equations(literal)) or (
                bound.issuperset(variables(literal))
            )
        case Aggregate():
            others = [part for part in rule.body if not isinstance(part, Aggregate)]
            return bound.issuperset(bound_by_all(others).intersection(literal.groups))
        case _:
            if time_of_body(literal) is not None:
                return any(time_of_body(part) is None and not isinstance(part, Comparison | Not) for part in before)
            return bound_by_all([*before, literal]).issuperset(_tested(literal))


def _tested(formula: Formula) -> Iterator[Variable]:
    """The variables of a formula that it tests rather than binds: in negations and comparisons."""
    match formula:
        case Not() | Comparison():
            yield from (variable for variable in variables(formula) if not variable.is_anonymous)
        case Aggregate():
            return
        case _:
            for child in children(formula):
                yield from _tested(child)
