"""The whole state of a stream reasoner as bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thalweg.columnar.relation import Relation
from thalweg.columnar.trigger_table import Triggers
from thalweg.columnar.values import Data, Values
from thalweg.engine.frames import pack as pack_frame
from thalweg.engine.frames import relation_table, table_relation
from thalweg.engine.frames import unpack as unpack_frame
from thalweg.engine.held_checks import check_relation, check_triggers, checked_triggers
from thalweg.engine.state_errors import damaged, reading
from thalweg.time.exact import exact_ratio

KIND = "snapshot"


def pack(header: Mapping[str, Any], relations: Mapping[str, Relation]) -> bytes:
    """A header that JSON can hold, and relations by name."""
    listed = [[name, relation.arity] for name, relation in relations.items()]
    return pack_frame(KIND, {**header, "relations": listed}, [relation_table(each) for each in relations.values()])


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, Relation]]:
    """The header and the relations; raises :class:`StateError` for bytes that are no snapshot."""
    header, tables = unpack_frame(KIND, data)
    with reading():
        relations = {
            name: table_relation(table, arity)
            for (name, arity), table in zip(header.pop("relations"), tables, strict=True)
        }
        if len(relations) != len(tables) or not all(isinstance(name, str) for name in relations):
            raise damaged("a relation is there twice")
    return header, relations


def value_to_json(value: Data) -> Any:
    """A text as it is; a rational as a list of its parts."""
    return value if isinstance(value, str) else [value.numerator, value.denominator]


def value_from_json(item: Any) -> Data:
    """The value of :func:`value_to_json`."""
    return item if isinstance(item, str) else exact_ratio(item)


def values_to_json(values: Values) -> list[Any]:
    """The interned values in the order of their codes."""
    return [value_to_json(value) for value in values.entries()]


def values_from_json(listed: list[Any]) -> Values:
    """The table of values with the same codes."""
    values = Values()
    for item in listed:
        intern_next(values, value_from_json(item))
    return values


def intern_next(values: Values, value: Data) -> None:
    """Give a value the next code of a table; raises :class:`StateError` where it has one of its own."""
    before = len(values)
    values.code(value)
    if len(values) != before + 1:
        raise damaged("a value is there twice, or needs no place in the table")


def hold_relations(relations: Mapping[str, Relation], values: Values, nulls: list[Any]) -> dict[str, Relation]:
    """The relations of a snapshot without those of its nulls, which the table of values gets; all are checked."""
    held = dict(relations)
    made = [checked_triggers(said, held.pop(f"N {place}"), values) for place, said in enumerate(nulls)]
    values.nulls.hold(made)
    check_triggers(made, values)
    for relation in held.values():
        check_relation(relation, values)
    return held


def triggers_to_json(triggers: Triggers) -> list[Any]:
    """What the columns of triggers do not say."""
    return [triggers.shape.rule, triggers.shape.arity, triggers.shape.timed, list(triggers.variables)]


def triggers_to_relation(triggers: Triggers) -> Relation:
    """The columns of triggers, as those of a relation."""
    return Relation(triggers.columns, triggers.numbers, triggers.depths)
