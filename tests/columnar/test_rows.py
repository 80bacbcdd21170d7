"""Rows by their columns alone: order, groups, pairs and differences, each against the plain definition."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from thalweg.columnar.arrays import MAX_KEY, add_saturating, expand_ranges, search, sort_order, starts_group
from thalweg.columnar.difference import row_difference
from thalweg.columnar.growing import GrowingInts
from thalweg.columnar.keys import Packing, TimeScale, group_keys
from thalweg.columnar.matching import agreeing_pairs, group_numbers, grouped, occurs_in
from thalweg.columnar.relation import Relation, always, concat, empty, mirror
from thalweg.time.ticks import FINITE_LIMIT, NEGATIVE_INFINITY, POSITIVE_INFINITY

numbers = st.integers(-3, 3)
wide = st.integers(-(1 << 61), 1 << 61)
as_wide_as_a_digit = st.sampled_from([0, 1, 5, (1 << 31) - 2, (1 << 31) - 1, 1 << 31])  # three fill more than 64 bits
any_width = st.sampled_from([numbers, numbers | wide, as_wide_as_a_digit])
some_columns = st.tuples(st.integers(0, 4), any_width).flatmap(
    lambda drawn: st.lists(st.tuples(*[drawn[1]] * drawn[0]), max_size=12)
)


def ints(*given_):
    return np.array(given_, dtype=np.int64)


def columns_of(rows, arity):
    return [np.array([row[i] for row in rows], dtype=np.int64) for i in range(arity)]


class TestOrder:
    @settings(max_examples=amount(60))
    @given(st.lists(numbers | wide, max_size=40), st.booleans())
    def test_the_order_sorts_and_equal_numbers_keep_no_gap(self, given_, ascending):
        key = np.array(sorted(given_) if ascending else given_, dtype=np.int64)
        order = sort_order(key)
        if order is None:
            assert key.tolist() == sorted(given_)
        else:
            assert sorted(order.tolist()) == list(range(len(key)))
            assert key[order].tolist() == sorted(given_)

    def test_what_is_sorted_already_needs_no_order(self):
        assert sort_order(ints(1, 1, 2, 9)) is None
        assert sort_order(ints()) is None
        assert sort_order(ints(1, 0)) is not None

    @pytest.mark.parametrize("span", [40, MAX_KEY // 40, MAX_KEY // 40 + 1, MAX_KEY])
    def test_keys_just_below_their_span_are_sorted_whatever_the_span(self, span):
        key = np.array([span - 1 - (i * 7) % 40 % span for i in range(40)], dtype=np.int64)
        order = sort_order(key, span)
        assert key[order].tolist() == sorted(key.tolist())

    @settings(max_examples=amount(60))
    @given(st.lists(numbers, max_size=12), st.lists(numbers, max_size=40))
    def test_a_search_gives_the_first_place_at_which_a_value_could_stand(self, ordered, values):
        ordered.sort()
        found = search(np.array(ordered, dtype=np.int64), np.array(values, dtype=np.int64))
        assert found.tolist() == [sum(known < value for known in ordered) for value in values]

    def test_groups_start_where_the_key_changes(self):
        assert starts_group(ints(4, 4, 5, 7, 7, 4)).tolist() == [True, False, True, True, False, True]
        assert starts_group(ints()).tolist() == []


class TestRanges:
    @settings(max_examples=amount(60))
    @given(st.lists(st.tuples(numbers, numbers), max_size=8))
    def test_ranges_are_laid_out_one_after_another(self, ranges):
        first, last = columns_of(ranges, 2)
        owner, index = expand_ranges(first, last)
        wanted = [(i, at) for i, (low, high) in enumerate(ranges) for at in range(low, high)]
        assert [*zip(owner.tolist(), index.tolist(), strict=True)] == wanted

    def test_a_column_grows_at_its_end(self):
        column, wanted = GrowingInts(), []
        for more in (range(3), range(16), (), range(100), range(1), range(40)):
            column.append(np.array([*more], dtype=np.int64))
            wanted += more
            assert column.array.tolist() == wanted
            assert len(column) == len(wanted)


class TestAddition:
    def test_infinite_codes_stay_and_others_move(self):
        codes = ints(NEGATIVE_INFINITY, -4, 0, POSITIVE_INFINITY)
        assert add_saturating(codes, 6).tolist() == [NEGATIVE_INFINITY, 2, 6, POSITIVE_INFINITY]
        assert add_saturating(ints(NEGATIVE_INFINITY), 6).tolist() == [NEGATIVE_INFINITY]
        assert add_saturating(ints(POSITIVE_INFINITY), -6).tolist() == [POSITIVE_INFINITY]
        assert add_saturating(ints(), 6).tolist() == []

    def test_the_last_finite_code_is_reached_and_none_beyond(self):
        assert add_saturating(ints(FINITE_LIMIT - 8, 0), 7).tolist() == [FINITE_LIMIT - 1, 7]
        assert add_saturating(ints(8 - FINITE_LIMIT, 0), -7).tolist() == [1 - FINITE_LIMIT, -7]
        for codes, amount_ in ((ints(FINITE_LIMIT - 8, 0), 8), (ints(8 - FINITE_LIMIT, 0), -8)):
            with pytest.raises(OverflowError, match="out of range"):
                add_saturating(codes, amount_)
            with pytest.raises(OverflowError, match="out of range"):
                add_saturating(np.append(codes, POSITIVE_INFINITY), amount_)


class TestKeys:
    @settings(max_examples=amount(80))
    @given(some_columns, st.sampled_from([1, 1 << 20, 1 << 62]))
    def test_keys_are_equal_exactly_where_rows_are(self, rows, reserve):
        arity = len(rows[0]) if rows else 2
        key, span = group_keys(columns_of(rows, arity), len(rows), reserve)
        assert all((key[i] == key[j]) == (rows[i] == rows[j]) for i, j in itertools.product(range(len(rows)), repeat=2))
        assert all(0 <= k < span for k in key.tolist())
        assert key.dtype == np.int64
        assert span * reserve <= MAX_KEY or span <= len(rows)

    @settings(max_examples=amount(80))
    @given(st.data(), some_columns, st.sampled_from([1, 1 << 62]))
    def test_foreign_rows_get_the_key_of_the_row_they_equal_or_are_said_to_have_none(self, data, rows, reserve):
        if not rows:
            return
        arity = len(rows[0])
        near = st.tuples(*[st.sampled_from([*column, column[0] + 1]) for column in zip(*rows, strict=True)])
        others = data.draw(st.lists(st.sampled_from(rows) | near | st.tuples(*[numbers | wide] * arity), max_size=8))
        packing, key = Packing.fit(columns_of(rows, arity), len(rows), reserve)
        foreign, possible = packing.pack_foreign(columns_of(others, arity), len(others))
        assert foreign.dtype == np.int64
        known = {row: int(k) for row, k in zip(rows, key, strict=True)}
        for other, k, may in zip(others, foreign.tolist(), possible.tolist(), strict=True):
            if other in known:
                assert may
                assert k == known[other]
            else:
                assert not (may and k in known.values())

    def test_columns_that_together_fill_more_than_64_bits_are_packed_by_rank(self):
        ends = 0, (1 << 31) - 1
        rows = [*itertools.product(ends, repeat=4)]
        known, others = rows[::2] + rows[1:8:2], [*rows[9::2], (0, 0, 0, 1), (0, 0, 1 << 31, 0)]
        packing, key = Packing.fit(columns_of(known, 4), len(known))
        assert len({*key.tolist()}) == len(known)
        for found, wanted in ((known, True), (others, False)):
            foreign, possible = packing.pack_foreign(columns_of(found, 4), len(found))
            matches = possible & np.isin(foreign, key)
            assert matches.tolist() == [wanted] * len(found)
        assert packing.pack_foreign(columns_of(known, 4), len(known))[0].tolist() == key.tolist()

    def test_foreign_values_between_and_beyond_the_ranked_ones_are_no_match(self):
        packing, key = Packing.fit([ints(0, 1 << 40)], 2)
        foreign, possible = packing.pack_foreign([ints(-1, 0, 5, 1 << 40, 1 << 41)], 5)
        assert possible.tolist() == [False, True, False, True, False]
        assert foreign[[1, 3]].tolist() == key.tolist()

    @pytest.mark.parametrize(
        "codes", [(0, 4, 10), (0, 1 << 40), (), (NEGATIVE_INFINITY, 3, 1 << 45, POSITIVE_INFINITY)]
    )
    def test_the_order_of_any_time_to_the_fitted_ones_is_kept(self, codes):
        scale = TimeScale.fit(ints(*codes))
        near = {code + step for code in codes for step in (-1, 0, 1) if abs(code) < FINITE_LIMIT}
        times = sorted({*near, *codes, NEGATIVE_INFINITY, -(1 << 50), 1 << 50, POSITIVE_INFINITY})
        place = dict(zip(times, scale.place(ints(*times)).tolist(), strict=True))
        assert all(0 <= at < scale.span for at in place.values())
        for code, time in itertools.product(codes, times):
            assert (place[code] < place[time], place[code] > place[time]) == (code < time, code > time)

    def test_a_foreign_value_beyond_its_digit_is_no_match_though_its_key_would_be(self):
        # as digits of two values each, (0, 2) and (2, -2) would be packed as (1, 0) is
        packing, _ = Packing.fit(columns_of([(0, 0), (1, 0), (1, 1)], 2), 3)
        _, possible = packing.pack_foreign(columns_of([(0, 2), (2, -2), (-1, 4), (1, 0), (0, 1)], 2), 5)
        assert possible.tolist() == [False, False, False, True, True]


class TestMatching:
    @settings(max_examples=amount(80))
    @given(st.data(), st.integers(0, 3))
    def test_agreeing_pairs_are_all_pairs_of_equal_rows(self, data, arity):
        rows = st.lists(st.tuples(*[numbers] * arity), max_size=8)
        left, right = data.draw(rows), data.draw(rows)
        sizes = len(left), len(right)
        pairs = agreeing_pairs(columns_of(left, arity), columns_of(right, arity), sizes)
        wanted = [(i, j) for i, one in enumerate(left) for j, other in enumerate(right) if one == other]
        assert [*zip(*(side.tolist() for side in pairs), strict=True)] == wanted
        assert all(side.dtype == np.int64 for side in pairs)
        found = occurs_in(columns_of(left, arity), columns_of(right, arity), sizes)
        assert found.tolist() == [one in right for one in left]
        assert found.dtype == np.bool_

    def test_rows_without_columns_all_agree(self):
        assert occurs_in([], [], (2, 3)).tolist() == [True, True]
        assert occurs_in([], [], (2, 3)).dtype == np.bool_
        assert occurs_in([], [], (2, 0)).tolist() == [False, False]

    def test_of_many_equal_rows_the_pairs_are_in_the_order_of_the_rows(self):
        right = np.arange(400) % 3
        rows, found = agreeing_pairs([ints(1, 2)], [right], (2, 400))
        assert rows.tolist() == [0] * 133 + [1] * 133
        assert found.tolist() == [*range(1, 400, 3), *range(2, 400, 3)]

    @settings(max_examples=amount(80))
    @given(st.data(), st.integers(0, 3))
    def test_groups_stand_together_with_their_first_row_first(self, data, arity):
        rows = data.draw(st.lists(st.tuples(*[numbers | wide] * arity), max_size=30))
        order, starts = grouped(columns_of(rows, arity), len(rows))
        groups = [part.tolist() for part in np.split(order, starts[1:])] if len(rows) else []
        assert order.dtype == starts.dtype == np.int64
        assert sorted(itertools.chain(*groups)) == list(range(len(rows)))
        assert all(part == [i for i, row in enumerate(rows) if row == rows[part[0]]] for part in groups)
        numbered = group_numbers(columns_of(rows, arity), len(rows))
        assert numbered.dtype == np.int64
        assert all(numbered[i] == n for n, part in enumerate(groups) for i in part)

    @pytest.mark.parametrize("width", [1, 1 << 29, 1 << 60])
    def test_forty_rows_of_few_groups_in_any_order(self, width):
        drawn = np.random.default_rng(5).integers(0, 3, (40, 2)) * width
        rows = [tuple(row) for row in drawn.tolist()]
        order, starts = grouped([*drawn.T], 40)
        groups = [part.tolist() for part in np.split(order, starts[1:])]
        assert [[rows[i] for i in part] for part in groups] == [[row] * rows.count(row) for row in sorted({*rows})]
        assert all(part == sorted(part) for part in groups)


class TestDifference:
    @settings(max_examples=amount(80))
    @given(st.data(), st.integers(0, 2), st.booleans())
    def test_what_one_has_and_the_other_lacks(self, data, arity, coalesced):
        rows = st.lists(st.tuples(*[st.integers(0, 2)] * (arity + 1)), unique=True, max_size=6)
        one, other = ([(*row, row[-1] + 1) for row in data.draw(rows)] for _ in range(2))
        given_ = [relation(part, arity, coalesced) for part in (one, other)]
        alone, other_alone = row_difference(*given_)
        assert rows_of(alone) == [row for row in one if row not in other]
        assert rows_of(other_alone) == [row for row in other if row not in one]
        # A choice of coalesced rows is coalesced; and of others nothing is claimed.
        if not coalesced:
            assert not (len(alone) and alone.coalesced)
            assert not (len(other_alone) and other_alone.coalesced)

    def test_parts_of_coalesced_relations_stay_so(self):
        one, other = relation([(1, 0, 0), (2, 0, 0)], 1, True), relation([(2, 0, 0), (3, 0, 0)], 1, True)
        assert all(part.coalesced for part in row_difference(one, other))


class TestRelation:
    def test_rows_are_put_together_in_their_order(self):
        one, other = relation([(1, 5, 0, 3)], 2, True), relation([(0, 6, 4, 9), (1, 7, 2, 3)], 2, True)
        together = concat((one, empty(2), other), 2)
        assert rows_of(together) == [(1, 5, 0, 3), (0, 6, 4, 9), (1, 7, 2, 3)]
        assert not together.coalesced
        assert concat((empty(2), one), 2) is one
        assert (concat((), 2).arity, len(concat((), 2))) == (2, 0)

    def test_no_rows_are_coalesced_rows(self):
        assert empty(2).coalesced
        assert [*map(len, (*empty(2).columns, empty(2).start, empty(2).end))] == [0, 0, 0, 0]
        assert all(c.dtype == np.int64 for c in (*empty(2).columns, empty(2).start, empty(2).end))

    def test_always_is_one_coalesced_row_without_ends(self):
        assert rows_of(always()) == [(NEGATIVE_INFINITY, POSITIVE_INFINITY)]
        assert always().coalesced

    def test_mirrored_twice_a_relation_is_itself(self):
        given_ = relation([(1, 5, 0, 3), (1, 6, 2, 4)], 2, True)
        assert rows_of(mirror(given_)) == [(1, 5, -3, 0), (1, 6, -4, -2)]
        assert rows_of(mirror(mirror(given_))) == rows_of(given_)
        assert not mirror(given_).coalesced

    def test_chosen_columns_are_not_coalesced_unless_all_are_chosen(self):
        given_ = relation([(1, 5, 0, 3), (1, 6, 2, 4)], 2, True)
        assert given_.select_columns([0, 1]) is given_
        assert rows_of(given_.select_columns([1, 0])) == [(5, 1, 0, 3), (6, 1, 2, 4)]
        assert not given_.select_columns([0]).coalesced


def relation(rows, arity, coalesced):
    columns = columns_of(rows, arity + 2)
    return Relation(tuple(columns[:arity]), columns[arity], columns[arity + 1], coalesced)


def rows_of(relation_):
    return [*zip(*(c.tolist() for c in (*relation_.columns, relation_.start, relation_.end)), strict=True)]
