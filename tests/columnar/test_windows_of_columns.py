"""The kernels of windows against the definitions of the LARS paper, time point by time point."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from thalweg.columnar import tuples, windows
from thalweg.columnar.bridge import bridge
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

TIMES = range(-10, 11)
slides = st.integers(1, 4)


@st.composite
def relations(draw):
    ranges = draw(st.lists(st.tuples(st.sampled_from(TIMES), st.sampled_from(TIMES)).map(sorted), max_size=5))
    keys = np.arange(len(ranges))
    return Relation((keys,), *(np.array([r[i] for r in ranges], dtype=np.int64) for i in (0, 1)))


def points(relation):
    return {
        (key, time)
        for key, start, end in zip(relation.columns[0].tolist(), relation.start, relation.end, strict=True)
        for time in range(max(start, -30), min(end, 30) + 1)
    }


class TestPivots:
    @settings(max_examples=amount(60))
    @given(relations(), slides)
    def test_what_holds_at_a_pivot_holds_until_the_next(self, relation, slide):
        found = points(windows.from_pivots(relation, slide))
        assert found == {
            (k, t) for k in range(5) for t in range(-30, 31) if (k, t // slide * slide) in points(relation)
        }

    @settings(max_examples=amount(60))
    @given(relations(), slides, st.integers(0, 5))
    def test_times_near_their_pivot(self, relation, slide, ahead):
        found = points(windows.near_pivots(relation, slide, ahead))
        assert found == {(k, t) for k, t in points(relation) if t - t // slide * slide <= ahead}

    def test_ranges_without_ends_have_pivots_without_end(self):
        given_ = Relation((), np.array([NEGATIVE_INFINITY, 4]), np.array([4, POSITIVE_INFINITY]))
        found = windows.from_pivots(given_, 3)
        assert (found.start.tolist(), found.end.tolist()) == ([NEGATIVE_INFINITY, 6], [5, POSITIVE_INFINITY])

    @settings(max_examples=amount(60))
    @given(relations())
    def test_every_instant_of_every_row(self, relation):
        rows, times = windows.instants(relation)
        assert {*zip(rows.tolist(), times.tolist(), strict=True)} == points(relation)

    def test_instants_of_what_never_ends_are_refused(self):
        for start, end in ((NEGATIVE_INFINITY, 0), (0, POSITIVE_INFINITY)):
            endless = Relation((), np.array([start]), np.array([end]))
            with pytest.raises(OverflowError, match="infinitely many"):
                windows.instants(endless)
            with pytest.raises(OverflowError, match="infinitely many"):
                windows.near_pivots(endless, 2, 1)

    def test_as_many_points_as_allowed_are_laid_out_and_no_more(self, monkeypatch):
        monkeypatch.setattr(windows, "MOST_POINTS", 6)
        two_ranges = Relation((np.arange(2),), np.array([0, 10]), np.array([2, 12]))
        assert len(windows.instants(two_ranges)[0]) == 6
        longer = Relation((np.arange(2),), np.array([0, 10]), np.array([2, 13]))
        with pytest.raises(OverflowError, match="7 time points"):
            windows.instants(longer)
        assert len(windows.near_pivots(Relation((), np.array([7]), np.array([12])), 1, 0)) == 6
        with pytest.raises(OverflowError, match="7 time points"):
            windows.near_pivots(Relation((), np.array([-9]), np.array([-3])), 1, 0)

    def test_what_reaches_the_end_of_the_timeline_goes_on(self):
        given_ = coalesce(Relation((np.arange(4),), np.array([0, 1, -1, 2]), np.array([8, 9, 10, 7])))
        found = windows.to_the_ends(given_, 0, 9)
        assert found.start.tolist() == [NEGATIVE_INFINITY, 1, NEGATIVE_INFINITY, 2]
        assert found.end.tolist() == [8, POSITIVE_INFINITY, POSITIVE_INFINITY, 7]
        assert found.coalesced

    @settings(max_examples=amount(60))
    @given(st.sampled_from(TIMES), st.integers(0, 5), st.integers(0, 5), slides)
    def test_reference_times_are_those_whose_window_holds_the_point(self, time, last, ahead, slide):
        # the window of t reaches from t' - last to t' + ahead, where t' is the pivot of t
        (low,), (high,) = windows.references(np.array([time]), last, ahead, slide)
        wanted = [t for t in range(-40, 41) if -last <= time - t // slide * slide <= ahead]
        assert [*range(low, high + 1)] == wanted

    def test_a_window_without_end_is_entered_from_everywhere(self):
        low, high = windows.references(np.array([3, 5]), POSITIVE_INFINITY, 1, 2)
        assert (low.tolist(), high.tolist()) == ([2, 4], [POSITIVE_INFINITY] * 2)
        low, high = windows.references(np.array([3, 5]), 1, POSITIVE_INFINITY, 2)
        assert (low.tolist(), high.tolist()) == ([NEGATIVE_INFINITY] * 2, [5, 7])


groups_times = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6)), max_size=10).map(sorted)


class TestTuples:
    @settings(max_examples=amount(80))
    @given(groups_times, st.integers(0, 4))
    def test_the_last_and_the_next_of_a_group_and_the_newest(self, drawn, count):
        key, times = (np.array([row[i] for row in drawn], dtype=np.int64) for i in (0, 1))
        last, after = tuples.last_tuples(times, key, count), tuples.next_tuples(times, key, count)
        kept = tuples.newest(key, count)
        for i, (group, _) in enumerate(drawn):
            of_group = [j for j, (other, _) in enumerate(drawn) if other == group]
            assert kept[i] == (i in of_group[max(len(of_group) - count, 0) :])
            for reference in range(-1, 9):
                before = [j for j in of_group if drawn[j][1] <= reference]
                behind = [j for j in of_group if drawn[j][1] > reference]
                assert (last[0][i] <= reference <= last[1][i]) == (i in before[max(len(before) - count, 0) :])
                assert (after[0][i] <= reference <= after[1][i]) == (i in behind[:count])

    @settings(max_examples=amount(80))
    @given(
        st.lists(
            st.tuples(st.integers(0, 1), st.integers(0, 2), st.sampled_from(["b", "a", 2, 10, -1]), st.integers(0, 9)),
            unique=True,
            max_size=14,
        )
    )
    def test_tuples_are_in_order_of_group_and_time_and_then_arguments(self, drawn):
        values = Values()
        columns = [
            values.encode(v if isinstance(v, str) else Fraction(v) for v in column)
            for column in zip(*(row[2:] for row in drawn), strict=True)
        ] or [np.empty(0, dtype=np.int64)] * 2
        group, times = (np.array([row[i] for row in drawn], dtype=np.int64) for i in (0, 1))
        order, key = tuples.in_order(columns, times, [group], values)
        wanted = sorted(range(len(drawn)), key=lambda i: (*drawn[i][:2], isinstance(drawn[i][2], str), *drawn[i][2:]))
        assert order.tolist() == wanted
        assert key.tolist() == [drawn[i][0] - min(group.tolist()) for i in wanted]

    def test_simultaneous_tuples_of_two_groups_are_in_the_order_of_their_arguments(self):
        values = Values()
        # groups 0 and 1 have the same times; ties are within a group only
        group, times = np.array([0, 1, 0, 1, 0, 1, 0]), np.array([3, 3, 3, 3, 5, 5, 3])
        column = values.encode(["c", "b", "a", "a", "z", "y", "b"])
        order, key = tuples.in_order([column], times, [group], values)
        assert (order.tolist(), key.tolist()) == ([2, 6, 0, 4, 3, 1, 5], [0, 0, 0, 0, 1, 1, 1])

    def test_of_no_tuples_none_is_in_any_window(self):
        times = np.array([3, 7])
        for start, end in (tuples.last_tuples(times, times, 0), tuples.next_tuples(times, times, 0)):
            assert (start > end).all()
        assert not tuples.newest(times, 0).any()


class TestBridge:
    @settings(max_examples=amount(60))
    @given(relations(), st.sampled_from([2, 4, 6]))
    def test_ranges_closer_than_the_gap_become_one(self, relation, gap):
        one_key = Relation((np.zeros(len(relation), dtype=np.int64),), relation.start, relation.end)
        bridged = bridge(one_key, gap)
        held = sorted(time for _, time in points(one_key))
        wanted = {*held}
        for before, behind in itertools.pairwise(held):
            # the cells between two ranges are fewer than gap - 1 exactly where their ends are less than gap apart
            if behind - before < gap:
                wanted |= {*range(before, behind)}
        assert {time for _, time in points(bridged)} == wanted
        assert bridged.coalesced
        assert len(bridged) == len(coalesce(Relation(bridged.columns, bridged.start, bridged.end)))
