"""Many rules of one shape at once: see :mod:`thalweg.plan.merge`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.nulls import Group, null_codes
from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.trigger_table import Shape
from thalweg.columnar.values import Values
from thalweg.engine.bindings import Bindings
from thalweg.engine.points import at_points
from thalweg.model.formula import Skolem
from thalweg.plan.build import RulePlan
from thalweg.plan.rule_table import ROW, RuleTable, place_name
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

_NO_HEAD = -1
_CONSTANT = -1


@dataclass(frozen=True)
class MergedRules:
    """A table of rules as arrays, with the codes that values have now.

    ``sources`` says for a row, one of its heads and an argument where it comes from: the place of a variable, or the
    number of places plus that of an existential variable; ``constants`` has the code where it is a value.
    """

    table: RuleTable
    numbers: Ints
    in_frontier: npt.NDArray[np.bool_]
    members: Ints
    sources: Ints
    constants: Ints

    @classmethod
    def of(cls, table: RuleTable, values: Values) -> MergedRules:
        """The arrays of a table."""
        rows = table.rows
        most = max(len(row.heads) for row in rows)
        arity = len(rows[0].heads[0].arguments)
        members = np.full((len(rows), most), _NO_HEAD, dtype=np.int64)
        sources = np.full((len(rows), most, arity), _CONSTANT, dtype=np.int64)
        constants = np.zeros((len(rows), most, arity), dtype=np.int64)
        in_frontier = np.zeros((len(rows), table.width), dtype=np.bool_)
        for i, row in enumerate(rows):
            in_frontier[i, list(row.frontier)] = True
            for k, head in enumerate(row.heads):
                members[i, k] = values.code(head.member)
                for j, source in enumerate(head.arguments):
                    if isinstance(source, Skolem):
                        sources[i, k, j] = table.width + row.variables.index(source.variable)
                    elif isinstance(source, int):
                        sources[i, k, j] = source
                    else:
                        constants[i, k, j] = values.code(source)
        numbers = np.array([2 * row.rule.number for row in rows], dtype=np.int64)
        return cls(table, numbers, in_frontier, members, sources, constants)

    @property
    def shape(self) -> Shape:
        """That of the triggers of all the rules."""
        return shape_of(self.table)

    def heads(self, plan: RulePlan, body: Bindings, values: Values) -> Relation:
        """What the rules derive, given what their bodies bind."""
        names = (ROW, *(place_name(place) for place in range(self.table.width)))
        body = body.project(names)
        body = Bindings(names, coalesce(body.relation))
        if self.table.timed is not None:
            if self.table.timed:
                body = at_points(plan, body)
            body, triggers = self._triggers(body, values)
        else:
            triggers = np.zeros(len(body), dtype=np.int64)
        relation = body.relation
        rows = relation.columns[0] >> 1
        matrix = np.stack(relation.columns[1:], axis=1) if self.table.width else np.zeros((len(rows), 1), np.int64)
        parts = [self._head(k, rows, matrix, triggers, relation) for k in range(self.members.shape[1])]
        return concat(parts, 1 + self.sources.shape[2])

    def _triggers(self, body: Bindings, values: Values) -> tuple[Bindings, Ints]:
        relation = body.relation
        rows = relation.columns[0] >> 1
        counts = self.in_frontier[rows]
        columns = [self.numbers[rows]]
        columns += [np.where(counts[:, i], column, 0) for i, column in enumerate(relation.columns[1:])]
        if not self.table.timed:
            return body, values.nulls.triggers(self.shape, columns, len(rows))
        # All that a rule derives at a time point is given by the trigger: once is enough.
        fresh, triggers = values.nulls.fire(self.shape, [*columns, relation.start], len(rows))
        return Bindings(body.variables, relation.take(fresh)), triggers

    def _head(self, k: int, rows: Ints, matrix: Ints, triggers: Ints, relation: Relation) -> Relation:
        has: Bools = self.members[rows, k] != _NO_HEAD
        if not has.all():
            chosen = np.flatnonzero(has)
            rows, matrix, triggers, relation = rows[chosen], matrix[chosen], triggers[chosen], relation.take(chosen)
        everything = np.arange(len(rows))
        width = self.table.width
        columns = [self.members[rows, k]]
        for j in range(self.sources.shape[2]):
            source = self.sources[rows, k, j]
            column = matrix[everything, np.clip(source, 0, width - 1)] if width else np.zeros(len(rows), np.int64)
            column = np.where(source >= width, null_codes(triggers, source - width), column)
            is_constant = source == _CONSTANT
            if is_constant.any():
                column = np.where(is_constant, self.constants[rows, k, j], column)
            columns.append(column)
        return Relation(tuple(columns), relation.start, relation.end)


def shape_of(table: RuleTable) -> Shape:
    """The shape of the triggers of a table's rules."""
    return Shape(-1 - table.number, 1 + table.width, bool(table.timed))


def groups_of(tables: Iterable[RuleTable]) -> Mapping[int, Group]:
    """How the nulls of the rules in tables are kept, by the rule's number."""
    return {
        row.rule.number: Group(shape_of(table), row.frontier, row.variables) for table in tables for row in table.rows
    }


def table_facts(table: RuleTable, values: Values) -> Relation:
    """The rows of a table as facts that always hold: the predicates of the body, and the number of the row."""
    arity = len(table.rows[0].members)
    columns = [values.encode([row.members[place] for row in table.rows]) for place in range(arity)]
    size = len(table.rows)
    start, end = np.full(size, NEGATIVE_INFINITY), np.full(size, POSITIVE_INFINITY)
    return Relation((*columns, 2 * np.arange(size)), start, end)
