"""Formulas that are left to the engine: those of windows, and those whose variables have no values yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.shift import clip
from thalweg.engine.bindings import Bindings
from thalweg.engine.derive import body_of
from thalweg.explain.atoms import Binding
from thalweg.explain.free import free_variables
from thalweg.explain.reading import Reader
from thalweg.explain.times import decode_all, encode_around
from thalweg.model.formula import Atom, Formula, Variable, variables
from thalweg.model.program import Rule
from thalweg.plan.build import plan_rule
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

_VALUES = "#values"
"""The predicate of the one fact that gives variables their values."""


def times_of(formula: Formula, binding: Binding, within: Interval, reader: Reader) -> IntervalSet:
    """When a formula holds, inside a stretch, for some values of the variables that have none."""
    known = reader.known
    found = [each.relation.select_columns(()) for each in _bindings((formula,), binding, within, reader)]
    times = clip(coalesce(concat(found, 0)), *encode_around(within, known.ticks))
    return IntervalSet(decode_all(times.start, times.end, known.ticks), known.timeline)


def ways_of(
    body: Sequence[Formula], binding: Binding, within: Interval, reader: Reader
) -> Iterator[tuple[Binding, IntervalSet]]:
    """The values of all variables for which literals hold together, sometime in a stretch; each with a time of it."""
    known = reader.known
    for found in _bindings(body, binding, within, reader):
        relation = found.relation
        columns = [known.values.decode(column) for column in relation.columns]
        rows = zip(*columns, strict=True) if columns else [()] * len(relation)
        for values, interval in zip(rows, decode_all(relation.start, relation.end, known.ticks), strict=True):
            extended = {**binding, **dict(zip(found.variables, values, strict=True))}
            yield extended, IntervalSet((interval,), known.timeline)


def _bindings(body: Sequence[Formula], binding: Binding, within: Interval, reader: Reader) -> Iterator[Bindings]:
    known = reader.known
    names = [v.name for v in dict.fromkeys(v for literal in body for v in variables(literal)) if v.name in binding]
    head = dict.fromkeys(v.name for literal in body for v in free_variables(literal))
    given = Atom(_VALUES, tuple(map(Variable, names)))
    rule = Rule(Atom("#instance", tuple(map(Variable, head))), (given, *body))
    range_ = encode_around(within, known.ticks)
    first, last = known.history.timeline
    range_ = max(range_[0], first), min(range_[1], last)
    if range_[0] > range_[1]:
        return
    evaluator = reader.evaluator()
    reader.fill(evaluator, body, binding, range_)
    evaluator.interpretation.set(_VALUES, _always([known.values.code(binding[name]) for name in names]))
    for plan in plan_rule(rule, known.program.background):
        yield body_of(plan, evaluator, range_)


def _always(codes: list[int]) -> Relation:
    """One fact that always holds."""
    columns = tuple(np.array([code], dtype=np.int64) for code in codes)
    return Relation(columns, np.array([NEGATIVE_INFINITY]), np.array([POSITIVE_INFINITY]))
