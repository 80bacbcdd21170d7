"""Nulls as texts that can be read back: on their way between shards.

Nulls share parts, so a null is written as a list of nulls, each made from those before it; the last one is meant.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from thalweg.null import Null
from thalweg.time.exact import exact_ratio


def null_to_text(null: Null) -> str:
    """The null and all nulls that it was made from, as JSON."""
    nulls = null.made_from()
    places = {each: place for place, each in enumerate(nulls)}
    nodes = [[n.rule, n.variable, [_argument(part, places) for part in n.arguments], n.time] for n in nulls]
    return json.dumps(nodes, separators=(",", ":"))


def null_from_text(text: str) -> Null:
    """The null of :func:`null_to_text`; raises ValueError, TypeError or IndexError for anything else."""
    nulls: list[Null] = []
    for rule, variable, arguments, time in json.loads(text):
        if type(rule) is not int or type(variable) is not str or type(time) not in (int, type(None)):
            raise ValueError("a null is made by a rule, for a variable, at a time")
        values = tuple(_value(argument, nulls) for argument in arguments)
        nulls.append(Null(rule, variable, values, time))
    return nulls[-1]


def _argument(value: str | Fraction | Null, places: dict[Null, int]) -> Any:
    if isinstance(value, Null):
        return places[value]
    return value if isinstance(value, str) else [value.numerator, value.denominator]


def _value(argument: Any, nulls: list[Null]) -> str | Fraction | Null:
    if isinstance(argument, int):
        if not 0 <= argument < len(nulls):
            raise IndexError("a null is made from those before it")
        return nulls[argument]
    return argument if isinstance(argument, str) else exact_ratio(argument)
