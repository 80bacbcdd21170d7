"""A table of rules of one shape: see :mod:`thalweg.plan.merge`."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.model.formula import Data, Skolem
from thalweg.model.program import Rule
from thalweg.model.shapes import FAMILY

TABLE = f"{FAMILY}rules "
ROW = f"{FAMILY}I"
"""The variable for the row of a table."""


@dataclass(frozen=True)
class MergedHead:
    """A head atom of one of the rules: its predicate in the family, and where each argument comes from."""

    member: str
    arguments: tuple[int | Data | Skolem, ...]
    """The place of a variable among the body's, a value (a text or a fraction), or a null."""


@dataclass(frozen=True)
class MergedRule:
    """One of the rules: its predicates in the body, its heads, and the places of its frontier among the variables."""

    rule: Rule
    members: tuple[str, ...]
    heads: tuple[MergedHead, ...]
    frontier: tuple[int, ...]
    variables: tuple[str, ...]


@dataclass(frozen=True)
class RuleTable:
    """The rules of one shape whose heads are in one family.

    ``number`` is that of the shape: nulls of its rules are told apart by the rule's number.
    """

    number: int
    rows: tuple[MergedRule, ...]
    width: int
    timed: bool | None

    @property
    def name(self) -> str:
        """The predicate whose facts are the rows: the body's predicates, and the number of the row."""
        return f"{TABLE}{self.number}"


def place_name(place: int) -> str:
    """The variable at a place of the body, in the names of its shape."""
    return f"x{place + 1}"
