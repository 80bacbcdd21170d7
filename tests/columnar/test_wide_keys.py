"""Kernels on rows in any order whose keys fill the 64 bits: arguments and times together are sorted, never cut off."""

import itertools
from collections import Counter

import numpy as np
import pytest

from thalweg.columnar import aggregate
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.difference import row_difference
from thalweg.columnar.intersect import intersect
from thalweg.columnar.join import overlapping_pairs
from thalweg.columnar.keys import TimeScale
from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.subtract import subtract

SPANS = {
    "small": (8, 40),
    "few arguments, long times": (4, 1 << 31),
    "many arguments, long times": (1 << 31, 1 << 30),
    "arguments by rank": (1 << 40, 1 << 30),
    "times by rank": (1 << 20, 1 << 50),
    "both by rank": (1 << 60, 1 << 55),
}


@pytest.fixture(params=SPANS)
def spans(request):
    return SPANS[request.param]


def shuffled(spans, seed, size=60):
    """Rows of few different arguments and short ranges, far apart, in any order; each twice in a while."""
    chance = np.random.default_rng(seed)
    arguments, times = spans
    argument = chance.integers(0, 4, size) * (arguments // 4)
    start = chance.integers(0, 10, size) * (times // 10) + chance.integers(0, 6, size) - times // 2
    return Relation((argument,), start, start + chance.integers(0, 4, size))


def rows_of(relation):
    return [*zip(*(c.tolist() for c in (*relation.columns, relation.start, relation.end)), strict=True)]


def cells(relation):
    return {(argument, time) for argument, start, end in rows_of(relation) for time in range(start, end + 1)}


def test_coalescing(spans):
    given = shuffled(spans, 1)
    merged = coalesce(given)
    assert rows_of(merged) == sorted(rows_of(merged))
    assert cells(merged) == cells(given)
    touching = [(a, b) for a, b in itertools.pairwise(rows_of(merged)) if a[0] == b[0] and b[1] <= a[2] + 1]
    assert touching == []


def test_intersecting(spans):
    one, other = coalesce(shuffled(spans, 2)), coalesce(shuffled(spans, 3))
    common = intersect([one, other])
    assert cells(common) == cells(one) & cells(other)
    assert rows_of(common) == sorted(rows_of(common))
    assert common.coalesced


def test_intersecting_ten_relations(spans):
    common = coalesce(shuffled(spans, 20, 12))
    many = [coalesce(concat((common, shuffled(spans, 21 + i)), 1)) for i in range(10)]
    wanted = set.intersection(*map(cells, many))
    assert cells(common) <= wanted
    assert cells(intersect(many)) == wanted


def two_wide_columns(seed):
    chance = np.random.default_rng(seed)
    columns = tuple(chance.integers(0, 3, 50) * ((1 << 30) - 1) for _ in range(2))
    start = chance.integers(0, 3, 50) * (1 << 29) + chance.integers(0, 4, 50)
    return Relation(columns, start, start + chance.integers(0, 4, 50))


def wide_cells(relation):
    return Counter((*row[:2], time) for row in rows_of(relation) for time in range(row[-2], row[-1] + 1))


def test_two_wide_columns_and_long_times_intersected_and_counted():
    one, other = two_wide_columns(30), two_wide_columns(31)
    common = intersect([coalesce(one), coalesce(other)])
    assert wide_cells(common).keys() == wide_cells(one).keys() & wide_cells(other).keys()
    assert rows_of(common) == sorted(rows_of(common))
    counted = aggregate.count(one, (0, 1))
    found = {(a, b, t): code // 2 for a, b, code, start, end in rows_of(counted) for t in range(start, end + 1)}
    assert found == wide_cells(one)


def test_two_wide_columns_and_long_times():
    given = two_wide_columns(30)
    merged = coalesce(given)
    assert rows_of(merged) == sorted(rows_of(merged))
    assert wide_cells(merged).keys() == wide_cells(given).keys()
    found = overlapping_pairs(given, given, [(0, 0), (1, 1)])
    wanted = [
        (i, j)
        for (i, one), (j, other) in itertools.product(enumerate(rows_of(given)), repeat=2)
        if one[:2] == other[:2] and one[2] <= other[3] and other[2] <= one[3]
    ]
    assert sorted(zip(*(side.tolist() for side in found), strict=True)) == wanted


def test_one_relation_has_its_own_time_in_common(spans):
    one = coalesce(shuffled(spans, 2))
    assert rows_of(intersect([one])) == rows_of(one)


@pytest.mark.parametrize("size", [60, 12])
@pytest.mark.parametrize("coalesced", [True, False])
def test_joining(spans, coalesced, size):
    left, right = shuffled(spans, 4, size), shuffled(spans, 5)
    if coalesced:
        right = coalesce(right)
    wanted = [
        (i, j)
        for (i, one), (j, other) in itertools.product(enumerate(rows_of(left)), enumerate(rows_of(right)))
        if one[0] == other[0] and one[1] <= other[2] and other[1] <= one[2]
    ]
    found = overlapping_pairs(left, right, [(0, 0)])
    assert sorted(zip(*(side.tolist() for side in found), strict=True)) == wanted


def test_subtracting(spans):
    left, right = shuffled(spans, 6), shuffled(spans, 7)
    assert cells(subtract(left, right, [(0, 0)])) == cells(left) - cells(right)


def test_telling_rows_apart(spans):
    one, other = ({*rows_of(shuffled(spans, seed, 40))} for seed in (8, 9))
    other |= {row for i, row in enumerate(sorted(one)) if i % 3}
    given = [relation([*part]) for part in (one, other)]
    alone, other_alone = row_difference(*given)
    assert ({*rows_of(alone)}, {*rows_of(other_alone)}) == (one - other, other - one)


def test_counting(spans):
    given = concat((shuffled(spans, 10), shuffled(spans, 11)), 1)
    counted = aggregate.count(given, (0,))
    found = {(a, t): code // 2 for a, code, start, end in rows_of(counted) for t in range(start, end + 1)}
    wanted = {}
    for argument, start, end in rows_of(given):
        for time in range(start, end + 1):
            wanted[argument, time] = wanted.get((argument, time), 0) + 1
    assert found == wanted


def relation(rows):
    argument, start, end = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Relation((argument,), start, end)


def test_times_far_on_both_sides_of_zero_are_ranked():
    # Their sum is small, their distance is not: as offsets they would not leave room for a key.
    far = 1 << 58
    scale = TimeScale.fit(np.array([-far, -1, far]))
    assert scale.span < 20
    assert scale.place(np.array([-far, -1, far])).tolist() == sorted(scale.place(np.array([-far, -1, far])).tolist())


def test_ranges_that_overlap_under_a_part_of_their_columns_are_all_found():
    # right   a b ├───────────────┤   [0,10]
    #         a c   ├┤                [1,2]
    # left    a          ├┤           [5,6]
    right = coalesce(Relation((np.array([2, 2]), np.array([4, 6])), np.array([0, 1]), np.array([10, 2])))
    left = Relation((np.array([2]),), np.array([5]), np.array([6]))
    rows_left, rows_right = overlapping_pairs(left, right, [(0, 0)])
    assert rows_left.tolist() == [0]
    assert right.columns[1][rows_right].tolist() == [4]


def test_keys_that_would_meet_beyond_64_bits_stay_apart():
    # 16 * 2^30 in the key, times 2^30 for the time, is 2^64: as if it were 0.
    last, far = (1 << 31) - 1, (1 << 30) - 1
    first, second = np.array([0, 16, 0, last]), np.array([0, 0, far, far])
    start = np.array([5, 5, 0, (1 << 30) - 5])
    given = Relation((first, second), start, start)
    rows_left, rows_right = overlapping_pairs(given, given, [(0, 0), (1, 1)])
    assert sorted(zip(rows_left.tolist(), rows_right.tolist(), strict=True)) == [(i, i) for i in range(4)]
    assert wide_cells(intersect([coalesce(given), coalesce(given)])) == wide_cells(given)
    # Counting looks one time point further.
    start = np.array([5, 5, 0, (1 << 30) - 6])
    counted = aggregate.count(Relation((first, second), start, start), (0, 1))
    assert {row[2] for row in rows_of(counted)} == {2}  # the code of 1
