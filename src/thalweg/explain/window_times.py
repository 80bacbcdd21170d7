"""When a formula of a window holds: by the engine."""

from __future__ import annotations

import numpy as np

from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.shift import clip
from thalweg.engine.derive import body_of
from thalweg.explain.atoms import Binding
from thalweg.explain.reading import Reader
from thalweg.explain.times import decode_all, encode_around
from thalweg.model.formula import Atom, Variable, Windowed, variables
from thalweg.model.program import Rule
from thalweg.plan.build import plan_rule
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

_VALUES = "#values"
"""The predicate of the one fact that gives variables their values."""


def window_times(formula: Windowed, binding: Binding, within: Interval, reader: Reader) -> IntervalSet:
    """The time points inside a stretch at which a formula holds, for the values that its variables have."""
    known = reader.known
    names = [v.name for v in dict.fromkeys(variables(formula)) if v.name in binding]
    given = Atom(_VALUES, tuple(map(Variable, names)))
    rule = Rule(Atom("#instance"), (given, formula))
    range_ = encode_around(within, known.ticks)
    evaluator = reader.evaluator()
    reader.fill(evaluator, (formula,), binding, range_)
    evaluator.interpretation.set(_VALUES, _always([known.values.code(binding[name]) for name in names]))
    held = [body_of(plan, evaluator, range_).relation for plan in plan_rule(rule, known.program.background)]
    times = clip(coalesce(concat([relation.select_columns(()) for relation in held], 0)), *range_)
    return IntervalSet(decode_all(times.start, times.end, known.ticks), known.timeline)


def _always(codes: list[int]) -> Relation:
    """One fact that always holds."""
    columns = tuple(np.array([code], dtype=np.int64) for code in codes)
    return Relation(columns, np.array([NEGATIVE_INFINITY]), np.array([POSITIVE_INFINITY]))
