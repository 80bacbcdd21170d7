"""The whole state of a stream reasoner as bytes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from thalweg.columnar.relation import Relation
from thalweg.columnar.trigger_table import Shape, Triggers
from thalweg.columnar.values import Data, Values
from thalweg.engine.frames import FrameError, relation_table, table_relation
from thalweg.engine.frames import pack as pack_frame
from thalweg.engine.frames import unpack as unpack_frame
from thalweg.errors import UsageError


def pack(header: Mapping[str, Any], relations: Mapping[str, Relation]) -> bytes:
    """A header that JSON can hold, and relations by name."""
    listed = [[name, relation.coalesced] for name, relation in relations.items()]
    return pack_frame({**header, "relations": listed}, [relation_table(each) for each in relations.values()])


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, Relation]]:
    """The header and the relations; raises :class:`UsageError` for bytes that are no snapshot."""
    try:
        header, tables = unpack_frame(data)
        relations = {
            name: table_relation(table, coalesced=coalesced)
            for (name, coalesced), table in zip(header.pop("relations"), tables, strict=True)
        }
    except (FrameError, ValueError, KeyError, TypeError) as error:
        raise UsageError("these bytes are not a snapshot of this version, or not a whole one") from error
    return header, relations


def value_to_json(value: Data) -> Any:
    """A text as it is; a rational as a list of its parts."""
    return value if isinstance(value, str) else [value.numerator, value.denominator]


def value_from_json(item: Any) -> Data:
    """The value of :func:`value_to_json`."""
    return item if isinstance(item, str) else Fraction(*item)


def values_to_json(values: Values) -> list[Any]:
    """The interned values in the order of their codes."""
    return [value_to_json(value) for value in values.entries()]


def values_from_json(listed: list[Any]) -> Values:
    """The table of values with the same codes."""
    values = Values()
    for item in listed:
        values.code(value_from_json(item))
    return values


def triggers_to_json(triggers: Triggers) -> list[Any]:
    """What the columns of triggers do not say."""
    return [triggers.shape.rule, triggers.shape.arity, triggers.shape.timed, list(triggers.variables)]


def triggers_to_relation(triggers: Triggers) -> Relation:
    """The columns of triggers, as those of a relation."""
    return Relation(triggers.columns, triggers.numbers, triggers.depths)


def triggers_of(said: list[Any], relation: Relation) -> Triggers:
    """The triggers of :func:`triggers_to_json` and :func:`triggers_to_relation`."""
    rule, arity, timed, variables = said
    return Triggers(Shape(rule, arity, timed), tuple(variables), relation.columns, relation.start, relation.end)
