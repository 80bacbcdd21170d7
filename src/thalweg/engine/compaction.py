"""A table of values without those that nothing held has any more: entities come and go, and their names with them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values

_FEW_VALUES = 50_000
"""So many more values are held before the first is let go."""


def is_due(values: Values, left: int) -> bool:
    """Whether a table has grown so far beyond what was left the last time that it pays to look what is in use."""
    return len(values) > 2 * left + _FEW_VALUES


def compacted(relations: Mapping[str, Relation], values: Values) -> tuple[dict[str, Relation], Values]:
    """The same relations, coded by a table of only those values that occur in them."""
    codes = [column for relation in relations.values() for column in relation.columns]
    nulls = values.nulls.kept(codes)
    codes += [column for each in nulls.held() for column in each.columns[: each.shape.arity]]
    interned = np.unique(np.concatenate([column[_is_interned(column)] for column in codes])) if codes else _NOTHING
    kept = Values()
    new_codes = kept.encode(values.distinct(interned)) if len(interned) else _NOTHING
    kept.nulls = nulls.recoded(lambda column: _recoded(column, interned, new_codes))
    return {name: _with_codes(each, interned, new_codes) for name, each in relations.items()}, kept


_NOTHING: Ints = np.empty(0, dtype=np.int64)


def _with_codes(relation: Relation, old: Ints, new: Ints) -> Relation:
    if not relation.columns:
        return relation
    columns = tuple(_recoded(column, old, new) for column in relation.columns)
    return coalesce(Relation(columns, relation.start, relation.end))


def _recoded(column: Ints, old: Ints, new: Ints) -> Ints:
    if not len(old):
        return column
    place = np.minimum(np.searchsorted(old, column), len(old) - 1)
    return np.where(_is_interned(column), new[place], column)


def _is_interned(column: Ints) -> Bools:
    """Which codes stand for entries of the table; integers and nulls stand for themselves."""
    interned: Bools = (column & 1 == 1) & (column > 0)
    return interned
