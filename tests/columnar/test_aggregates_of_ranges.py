"""Counts, sums, means and extremes of ranges against the plain definition, time point by time point."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from thalweg.columnar import aggregate
from thalweg.columnar.relation import Relation, empty
from thalweg.columnar.values import Values
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

TIMES = range(12)
amounts = st.one_of(
    st.integers(-4, 4).map(Fraction),
    st.fractions(-3, 3, max_denominator=6),
    st.integers(-(1 << 60), 1 << 60).map(Fraction),
)
small = st.integers(-4, 4).map(Fraction) | st.fractions(-3, 3, max_denominator=6)
texts = st.sampled_from(["", "a", "B", "b", "ab"])


def rows(values):
    stretch = st.tuples(st.sampled_from(TIMES), st.sampled_from(TIMES)).map(sorted)
    return st.lists(st.tuples(st.integers(0, 2), values, stretch), min_size=1, max_size=8)


def relation(drawn, values):
    start, end = ([s[i] for _, _, s in drawn] for i in (0, 1))
    columns = np.array([2 * group for group, _, _ in drawn]), values.encode(value for _, value, _ in drawn)
    return Relation(columns, np.array(start, dtype=np.int64), np.array(end, dtype=np.int64))


def by_point(relation_, values):
    """What holds at each time point; one value only for a group and a time."""
    found = {}
    assert all(column.dtype == np.int64 for column in (*relation_.columns, relation_.start, relation_.end))
    for *row, start, end in zip(*relation_.columns, relation_.start, relation_.end, strict=True):
        *group, code = map(int, row)
        for time in range(int(start), int(end) + 1):
            assert (*group, time) not in found
            found[*group, time] = values.value(code)
    return found


def expected(drawn, groups, summary):
    held = defaultdict(list)
    for group, value, (start, end) in drawn:
        for time in range(start, end + 1):
            held[(2 * group, time) if groups else (time,)].append(value)
    return {key: summary(found) for key, found in held.items()}


grouping = st.sampled_from([(), (0,)])


@settings(max_examples=amount(80))
@given(rows(small), grouping)
def test_count_and_sum_and_mean_at_every_time(drawn, groups):
    values = Values()
    given_ = relation(drawn, values)
    assert by_point(aggregate.count(given_, groups), values) == expected(drawn, groups, len)
    assert by_point(aggregate.total(given_, groups, 1, values), values) == expected(drawn, groups, sum)
    means = aggregate.total(given_, groups, 1, values, mean=True)
    assert by_point(means, values) == expected(drawn, groups, lambda found: sum(found) / len(found))


@settings(max_examples=amount(80))
@given(st.one_of(rows(amounts), rows(texts)), grouping)
def test_the_least_and_the_greatest_at_every_time(drawn, groups):
    values = Values()
    given_ = relation(drawn, values)
    least = aggregate.extreme(given_, groups, 1, values, greatest=False)
    greatest = aggregate.extreme(given_, groups, 1, values, greatest=True)
    assert by_point(least, values) == expected(drawn, groups, min)
    assert by_point(greatest, values) == expected(drawn, groups, max)


def test_the_least_of_many_overlapping_rows():
    # row i holds on [i, 63]: the least of those that hold at t is the smallest of the first t + 1 values
    values, size = Values(), 64
    numbers = [(7 * i) % size for i in range(size)]
    given_ = Relation((values.encode(map(Fraction, numbers)),), np.arange(size), np.full(size, size - 1))
    least = by_point(aggregate.extreme(given_, (), 0, values, greatest=False), values)
    assert least == {(t,): min(numbers[: t + 1]) for t in range(size)}


def test_sums_beyond_64_bits_on_the_way_are_exact():
    values = Values()
    # Two large numbers together leave 64 bits; with the third they come back.
    big = Fraction((1 << 61) - 1)
    given_ = Relation((values.encode([big] * 8 + [-big] * 8),), np.zeros(16, np.int64), np.full(16, 3))
    assert by_point(aggregate.total(given_, (), 0, values), values) == {(t,): 0 for t in range(4)}
    with pytest.raises(OverflowError, match="out of range"):
        aggregate.total(given_.take(np.arange(8)), (), 0, values)


def test_sums_and_means_of_long_fractions_are_exact():
    values = Values()
    parts = [Fraction((1 << 55) + 1, 3), Fraction(-(1 << 54) - 3, 7), Fraction(5, 21), Fraction((1 << 54) + 7)]
    given_ = Relation((values.encode(parts),), np.zeros(4, np.int64), np.arange(4))
    totals, means = ({} for _ in range(2))
    for time in range(4):
        totals[(time,)] = sum(parts[time:])
        means[(time,)] = sum(parts[time:]) / (4 - time)
    assert by_point(aggregate.total(given_, (), 0, values), values) == totals
    assert by_point(aggregate.total(given_, (), 0, values, mean=True), values) == means


def test_ranges_without_ends_are_counted():
    #        ────┤       ├────
    # count  ─1──┤├─ 0 ─┤├─1──
    given_ = Relation((), np.array([NEGATIVE_INFINITY, 9]), np.array([4, POSITIVE_INFINITY]))
    counted = aggregate.count(given_, ())
    assert (counted.start.tolist(), counted.end.tolist()) == ([NEGATIVE_INFINITY, 9], [4, POSITIVE_INFINITY])
    assert counted.columns[0].tolist() == [2, 2]


def test_of_no_rows_there_is_nothing():
    values = Values()
    for found in (
        aggregate.count(empty(2), (0,)),
        aggregate.total(empty(2), (0,), 1, values),
        aggregate.total(empty(2), (0,), 1, values, mean=True),
        aggregate.extreme(empty(2), (0,), 1, values, greatest=True),
    ):
        assert (found.arity, len(found)) == (2, 0)


def test_texts_and_numbers_have_no_common_order():
    values = Values()
    given_ = Relation((values.encode(["a", Fraction(1)]),), np.array([0, 0]), np.array([1, 1]))
    with pytest.raises(TypeError, match="cannot order a text and a number"):
        aggregate.extreme(given_, (), 0, values, greatest=False)
