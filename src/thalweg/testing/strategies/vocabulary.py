"""The predicates and values of generated cases."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from thalweg.model.formula import Data, Variable


class Direction(enum.Enum):
    """Where an operator looks, or where a recursion takes its premises from."""

    PAST = "past"
    FUTURE = "future"


class Kind(enum.Enum):
    """What an argument is; the two never mix in one position, so that every order is defined."""

    TEXT = "text"
    NUMBER = "number"


@dataclass(frozen=True)
class Predicate:
    """A predicate, the kinds of its arguments, and the directions in which it may never settle.

    What recurses to the past can go on changing for ever in the future, and the other way round. An
    operator that looks without bound in that direction could not be decided on a finite stretch of time.
    """

    name: str
    kinds: tuple[Kind, ...] = ()
    unsettled: frozenset[Direction] = frozenset()


VALUES: Mapping[Kind, tuple[Data, ...]] = {
    Kind.TEXT: ("a", "b", "a", "b", "c"),
    Kind.NUMBER: (Fraction(0), Fraction(1), Fraction(2), Fraction(7, 2)),
}

INPUTS = (
    Predicate("A"),
    Predicate("B", (Kind.TEXT,)),
    Predicate("C", (Kind.TEXT,)),
    Predicate("D", (Kind.TEXT, Kind.TEXT)),
    Predicate("N", (Kind.TEXT, Kind.NUMBER)),
    Predicate("M", (Kind.NUMBER,)),
    Predicate("E", (Kind.TEXT, Kind.TEXT, Kind.TEXT)),
)

GUARDS = (Predicate("G"), Predicate("H", (Kind.TEXT,)))
"""Input predicates whose facts are bounded."""

BINDERS = {Kind.TEXT: INPUTS[1], Kind.NUMBER: INPUTS[5]}
"""Unary input predicates: an atom of one binds a variable of the kind."""

NAMES: Mapping[Kind, Sequence[str]] = {Kind.TEXT: ("X", "Y", "Z"), Kind.NUMBER: ("S", "T")}
"""The variables of rules, by what they stand for."""

RESULT = Variable("R")
"""The variable that an equality gives a value."""

LOCAL_NAMES: Mapping[Kind, Sequence[str]] = {Kind.TEXT: ("X1", "Y1"), Kind.NUMBER: ("S1",)}
"""The variables of aggregates."""

SECOND_NAMES: Mapping[Kind, Sequence[str]] = {Kind.TEXT: ("X2",), Kind.NUMBER: ("S2",)}
"""Those of a second aggregate in a rule, so that they are not group variables of the first."""

KIND_OF: Mapping[str, Kind] = {
    RESULT.name: Kind.NUMBER,
    **{
        name: kind
        for names in (NAMES, LOCAL_NAMES, SECOND_NAMES)
        for kind, several in names.items()
        for name in several
    },
}
