"""Aggregates of ranges: how many, how much, the least and the greatest, at every time.

Every row adds its value to its group from its start to its end. Between two events of a group, a start or an end,
nothing changes: these stretches are the rows of the result.

    row 1   ├────────┤
    row 2       ├────────┤
    count   ├─1─┤├─2─┤├─1┤
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.columnar.arithmetic import reduced
from thalweg.columnar.arrays import Ints, sort_order, starts_group
from thalweg.columnar.budget import reserve
from thalweg.columnar.keys import TimeScale, group_keys
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values, sort_ranks

_SAFE_SUM = 1 << 61
_OBJECTS = 36
"""The words that the sum of a row takes for a while: several numbers as objects, of four words each, and columns."""


@dataclass(frozen=True)
class Stretches:
    """The stretches of time between the events of each group; ``first`` and ``after`` number those of every row."""

    relation: Relation
    first: Ints
    after: Ints

    @classmethod
    def of(cls, rows: Relation, groups: Sequence[int]) -> Stretches:
        """The stretches on which the rows of a group change nothing, empty ones among them."""
        reserve(2 * len(rows), len(groups) + 10)
        times = np.concatenate((rows.start, rows.end + 1))
        scale = TimeScale.fit(times)
        owner = np.tile(np.arange(len(rows)), 2)
        key, span = group_keys([rows.columns[i] for i in groups], len(rows), reserve=scale.span)
        event = key[owner] * scale.span + scale.place(times)
        order = sort_order(event, span * scale.span)
        order = np.arange(len(event)) if order is None else order
        is_first = starts_group(event[order])
        number = np.empty(len(event), dtype=np.int64)
        number[order] = np.cumsum(is_first) - 1
        begins = order[is_first]
        start = times[begins]
        end = np.append(start[1:], 0) - 1
        columns = tuple(rows.columns[i][owner[begins]] for i in groups)
        return cls(Relation(columns, start, end), number[: len(rows)], number[len(rows) :])

    def totals(self, amounts: Ints) -> Ints:
        """The sum of the amounts of all rows that hold on each stretch."""
        change = np.zeros(len(self.relation), dtype=amounts.dtype)
        np.add.at(change, self.first, amounts)
        np.subtract.at(change, self.after, amounts)
        totals: Ints = np.cumsum(change)
        return totals

    def least(self, ranks: Ints) -> Ints:
        """The least rank of all rows that hold on each stretch.

        A row's stretches are two overlapping blocks of 2^k; blocks are halved until they are single stretches.
        """
        nothing = np.iinfo(np.int64).max
        level = np.frexp((self.after - self.first).astype(np.float64))[1] - 1
        best = np.full(len(self.relation), nothing)
        for power in range(int(level.max(initial=0)), -1, -1):
            rows = np.flatnonzero(level == power)
            np.minimum.at(best, self.first[rows], ranks[rows])
            np.minimum.at(best, self.after[rows] - (1 << power), ranks[rows])
            if power:
                half = 1 << (power - 1)
                best[half:] = np.minimum(best[half:], best[:-half].copy())
        return best


def count(rows: Relation, groups: Sequence[int]) -> Relation:
    """How many rows of each group hold, where any does; the last column is the code of the number."""
    stretches = Stretches.of(rows, groups)
    number = stretches.totals(np.ones(len(rows), dtype=np.int64))
    return _result(stretches, number * 2, number)


def total(rows: Relation, groups: Sequence[int], value: int, values: Values, *, mean: bool = False) -> Relation:
    """The sum, or the ``mean``, of a column over the rows of each group that hold."""
    stretches = Stretches.of(rows, groups)
    number = stretches.totals(np.ones(len(rows), dtype=np.int64))
    reserve(len(rows), _OBJECTS)
    numerators, denominators = values.rationals(rows.columns[value])
    common = int(np.lcm.reduce(denominators.astype(object))) if len(rows) else 1
    exact = numerators.astype(object) * (common // denominators.astype(object))
    fits = sum(map(abs, exact)) < _SAFE_SUM
    sums = stretches.totals(exact.astype(np.int64) if fits else exact)
    holding = number > 0
    divisor = number[holding].astype(sums.dtype) * common if mean else np.full(int(holding.sum()), common, sums.dtype)
    codes = np.zeros(len(number), dtype=np.int64)
    codes[holding] = values.intern_rationals(*reduced(sums[holding], divisor))
    return _result(stretches, codes, number)


def extreme(rows: Relation, groups: Sequence[int], value: int, values: Values, *, greatest: bool) -> Relation:
    """The least, or the greatest, value of a column over the rows of each group that hold."""
    stretches = Stretches.of(rows, groups)
    number = stretches.totals(np.ones(len(rows), dtype=np.int64))
    reserve(len(rows), 6)
    distinct, inverse = np.unique(rows.columns[value], return_inverse=True)
    reserve(len(distinct), _OBJECTS)
    values.refuse_nulls(distinct)
    texts = values.is_text(distinct)
    if texts.any() and not texts.all():
        raise TypeError("cannot order a text and a number")
    ranks = np.array(sort_ranks(values.distinct(distinct)), dtype=np.int64)
    by_rank = np.empty(len(distinct), dtype=np.int64)
    by_rank[ranks] = distinct
    ranks = -ranks[inverse] if greatest else ranks[inverse]
    best = stretches.least(ranks)
    best[number == 0] = 0
    return _result(stretches, by_rank[-best if greatest else best], number)


def _result(stretches: Stretches, codes: Ints, number: Ints) -> Relation:
    relation = stretches.relation
    result = Relation((*relation.columns, codes), relation.start, relation.end)
    return result.take(number > 0)
