"""Aggregates over the bindings of a body."""

from __future__ import annotations

import numpy as np

from thalweg.columnar.aggregate import count, extreme, total
from thalweg.columnar.arrays import Ints
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.values import Values
from thalweg.engine.bindings import Bindings
from thalweg.model.formula import Term, Variable
from thalweg.plan.nodes import Aggregated
from thalweg.syntax.ast import AggregateKind


def aggregated(node: Aggregated, body: Bindings, domain: Bindings | None, values: Values) -> Bindings:
    """The value of an aggregate for every group, at every time at which the group is not empty, or is in the domain."""
    rows = _elements(node, body, values)
    found = _computed(node, rows, values) if len(rows) else None
    parts = [] if found is None else [found]
    if domain is not None and node.kind in (AggregateKind.COUNT, AggregateKind.SUM):
        groups = domain.project(node.groups)
        if found is not None:
            filled = Relation(found.columns[:-1], found.start, found.end)
            groups = groups.without(Bindings(node.groups, coalesce(filled)))
        nothing = np.zeros(len(groups), dtype=np.int64)
        parts.append(Relation((*groups.relation.columns, nothing), groups.relation.start, groups.relation.end))
    return Bindings(node.variables, concat(parts, len(node.variables)))


def _elements(node: Aggregated, body: Bindings, values: Values) -> Relation:
    """The distinct elements of every group, and when: the columns of the groups, then those of the elements."""
    names = tuple(dict.fromkeys((*node.groups, *node.element_names)))
    known = body.project(names)

    def column(term: Term) -> Ints:
        if isinstance(term, Variable):
            return known.relation.columns[names.index(term.name)]
        return np.full(len(known), values.code(term.value), dtype=np.int64)

    columns = (*(known.relation.columns[names.index(name)] for name in node.groups), *map(column, node.elements))
    return coalesce(Relation(columns, known.relation.start, known.relation.end))


def _computed(node: Aggregated, rows: Relation, values: Values) -> Relation:
    groups, value = range(len(node.groups)), len(node.groups)
    match node.kind:
        case AggregateKind.COUNT:
            return count(rows, groups)
        case AggregateKind.SUM | AggregateKind.AVERAGE:
            return total(rows, groups, value, values, mean=node.kind is AggregateKind.AVERAGE)
        case AggregateKind.MIN | AggregateKind.MAX:
            return extreme(rows, groups, value, values, greatest=node.kind is AggregateKind.MAX)
