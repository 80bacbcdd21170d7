"""What queries can read: streams, tables, and the results of other queries."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field

from thalweg.errors import did_you_mean
from thalweg.source import Span
from thalweg.syntax.ast import TypeName
from thalweg.syntax.cql.names import ROWTIME, fold
from thalweg.syntax.mistake import Mistake


class RelationKind(enum.Enum):
    """Where the tuples come from."""

    STREAM = "stream"
    TABLE = "table"
    QUERY = "view"


@dataclass(frozen=True)
class Column:
    """A column; the result of an expression without AS has no name."""

    name: str | None
    type: TypeName = TypeName.ANY
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Relation:
    """A predicate that queries can read."""

    kind: RelationKind
    predicate: str
    columns: tuple[Column, ...]
    span: Span | None = field(default=None, compare=False)

    def position(self, name: str) -> int | None:
        """Where the column of that name stands, counted from 0."""
        wanted = fold(name)
        positions = (index for index, column in enumerate(self.columns) if fold(column.name or "") == wanted)
        return next(positions, None)

    @property
    def has_rowtime(self) -> bool:
        """Whether its tuples have a time; those of a table hold always."""
        return self.kind is not RelationKind.TABLE and self.position(ROWTIME) is None

    @property
    def column_names(self) -> list[str]:
        """The names that can be asked for."""
        return [column.name for column in self.columns if column.name] + [ROWTIME] * self.has_rowtime


class Unreadable(Exception):  # noqa: N818  # not an error: the mistake it follows from has been reported
    """A query reads something whose declaration is wrong."""


class Catalog:
    """The relations declared so far, and the predicates in use."""

    def __init__(self, later: Iterable[str] = ()) -> None:
        self._relations: dict[str, Relation | None] = {}
        self._predicates: set[str] = {fold(name) for name in later}
        self.read: set[str] = set()
        """The predicates that some query reads."""

    def declare(self, relation: Relation) -> None:
        """Make a relation known under its name, which must be new."""
        folded = fold(relation.predicate)
        if folded in self._relations:
            message = f"{relation.predicate} is declared twice"
            raise Mistake("E159", relation.span, message, "give one of the two another name")
        self._relations[folded] = relation
        self._predicates.add(folded)

    def set_aside(self, name: str) -> None:
        """Remember a name whose declaration is wrong, so that its readers are not reported as well."""
        self._relations.setdefault(fold(name), None)

    def find(self, name: str, span: Span) -> Relation:
        """The relation of that name."""
        folded = fold(name)
        if folded not in self._relations:
            hint = did_you_mean(name, self._names()) or "declare it before: CREATE STREAM, CREATE TABLE or CREATE VIEW"
            raise Mistake("E156", span, f"there is no stream, table or view {name}", hint)
        relation = self._relations[folded]
        if relation is None:
            raise Unreadable
        self.read.add(relation.predicate)
        return relation

    def fresh(self, name: str) -> str:
        """A predicate that is not in use: the name itself, or the name with a number."""
        number, candidate = 1, name
        while fold(candidate) in self._predicates:
            number += 1
            candidate = f"{name}{number}"
        self._predicates.add(fold(candidate))
        return candidate

    def _names(self) -> list[str]:
        return [relation.predicate for relation in self._relations.values() if relation]
