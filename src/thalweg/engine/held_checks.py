"""Whether relations and nulls that were read back make sense: no code stands for a value that is not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thalweg.columnar.arrays import Ints
from thalweg.columnar.nulls import MOST_VARIABLES, is_null, trigger_numbers
from thalweg.columnar.relation import Relation
from thalweg.columnar.trigger_table import Shape, Triggers
from thalweg.columnar.values import Values
from thalweg.engine.state_errors import damaged
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

_MOST_TRIGGERS = 1 << 54
"""Numbers of triggers stay below this, so that the codes of their nulls fit."""


def check_relation(relation: Relation, values: Values) -> None:
    """Raise :class:`StateError` where a fact ends before it begins, or has a value that the table does not have."""
    start, end = relation.start, relation.end
    if len(start) and ((start > end).any() or start.min() < NEGATIVE_INFINITY or end.max() > POSITIVE_INFINITY):
        raise damaged("a fact has no time")
    for column in relation.columns:
        check_codes(column, values)


def check_codes(codes: Ints, values: Values) -> None:
    """Raise :class:`StateError` for a code that stands for nothing."""
    odd = codes[(codes & 1) == 1]
    if not len(odd):
        return
    if int(odd.max()) >> 1 >= len(values):
        raise damaged("a fact has a value that is not in the table of values")
    nulls = odd[is_null(odd)]
    if len(nulls) and not values.nulls.knows(trigger_numbers(nulls)):
        raise damaged("a fact has a new value that no rule made")


def checked_triggers(said: Any, relation: Relation, values: Values) -> Triggers:
    """The triggers that a header and a relation of columns describe; they follow those that are known."""
    rule, arity, timed, variables = said
    shapes = type(rule) is int and type(arity) is int and type(timed) is bool
    if not shapes or relation.arity != arity + timed:
        raise damaged("the origin of new values makes no sense")
    names = tuple(variables)
    if len(names) > MOST_VARIABLES or not all(isinstance(name, str) for name in names):
        raise damaged("the origin of new values makes no sense")
    numbers, depths = relation.start, relation.end
    if len(numbers):
        # Those that were dropped from a base may have had larger numbers; whoever read it counts on from what is left.
        grows = (np.diff(numbers) > 0).all() and values.nulls.last_number < numbers[0] <= numbers[-1] < _MOST_TRIGGERS
        if not grows or depths.min() < 1:
            raise damaged("new values are not in the order in which they were made")
    return Triggers(Shape(rule, arity, timed), names, relation.columns, numbers, depths)


def check_triggers(triggers: Sequence[Triggers], values: Values) -> None:
    """Raise :class:`StateError` where new values are made from what is not there, or from later ones."""
    for each in triggers:
        for column in each.columns[: each.shape.arity]:
            check_codes(column, values)
            made = is_null(column)
            if (trigger_numbers(column[made]) >= each.numbers[made]).any():
                raise damaged("a new value is made from itself")
