"""Every kernel against the reference algebra of ``thalweg.time``, on random relations."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.intersect import intersect
from thalweg.columnar.join import containing_rows, intersection_join
from thalweg.columnar.relation import Relation, concat, empty, mirror
from thalweg.columnar.shift import box, clip, diamond
from thalweg.columnar.since import since, vacuous
from thalweg.columnar.subtract import subtract
from thalweg.time import interval_set
from thalweg.time.interval import Interval, interval_or_none
from thalweg.time.interval_set import IntervalSet
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline

TICKS = {Timeline.RATIONAL: Ticks(Timeline.RATIONAL, Fraction(1, 2)), Timeline.INTEGER: Ticks(Timeline.INTEGER)}

timelines = st.sampled_from(list(Timeline))


@st.composite
def intervals(draw, timeline, low=-4, high=8, infinite=True):
    step = 2 if timeline is Timeline.RATIONAL else 1
    ends = st.integers(low * step, high * step).map(lambda n: Fraction(n, step))
    start, end = sorted((draw(ends), draw(ends)))
    if infinite:
        start = draw(st.sampled_from([start] * 8 + [-math.inf]))
        end = draw(st.sampled_from([end] * 8 + [math.inf]))
    made = interval_or_none(start, end, draw(st.booleans()), draw(st.booleans()))
    if made is None or TICKS[timeline].encode(made) is None:
        made = Interval(start, end)
    return made


def operator_intervals(timeline):
    return (
        intervals(timeline, low=0, high=4, infinite=False)
        .flatmap(lambda i: st.sampled_from([i, i, i, Interval(i.start, math.inf, i.start_closed, False)]))
        .filter(lambda i: TICKS[timeline].encode(i) is not None)
    )


def rows(timeline, arity, size=8):
    return st.lists(st.tuples(st.tuples(*[st.integers(0, 2)] * arity), intervals(timeline)), max_size=size)


def relation(rows_, arity, timeline):
    if not rows_:
        return empty(arity)
    codes = [TICKS[timeline].encode(interval) for _, interval in rows_]
    columns = tuple(np.array([key[i] for key, _ in rows_], dtype=np.int64) for i in range(arity))
    return Relation(columns, np.array([c[0] for c in codes]), np.array([c[1] for c in codes]))


def sets(rows_, timeline):
    """The reference: for every key, the set of times."""
    found = {}
    for key, interval in rows_:
        found.setdefault(key, []).append(interval)
    return {key: IntervalSet(tuple(held), timeline) for key, held in found.items()}


def held(relation_, timeline):
    """What a relation says, as the reference says it."""
    rows_ = [
        (
            tuple(int(column[i]) for column in relation_.columns),
            TICKS[timeline].decode(int(relation_.start[i]), int(relation_.end[i])),
        )
        for i in range(len(relation_))
    ]
    return sets(rows_, timeline)


def non_empty(found):
    return {key: held_ for key, held_ in found.items() if held_}


def is_coalesced(relation_):
    keys = list(zip(*relation_.columns, relation_.start, strict=True))
    gaps = all(
        a[:-1] != b[:-1] or relation_.start[i + 1] > relation_.end[i] + 1
        for i, (a, b) in enumerate(itertools.pairwise(keys))
    )
    return gaps and len({k[:-1] for k in keys}) == len(
        [k for i, k in enumerate(keys) if i == 0 or keys[i - 1][:-1] != k[:-1]]
    )


@settings(max_examples=amount(120), deadline=None)
@given(st.data(), timelines, st.integers(0, 3))
def test_coalesce_keeps_the_facts_and_leaves_maximal_ranges(data, timeline, arity):
    drawn = data.draw(rows(timeline, arity, 14))
    result = coalesce(relation(drawn, arity, timeline))
    assert held(result, timeline) == sets(drawn, timeline)
    assert is_coalesced(result)


ENDS = list(itertools.product((True, False), repeat=2))


@pytest.mark.parametrize(("start_closed", "end_closed"), ENDS)
@pytest.mark.parametrize(("from_closed", "to_closed"), ENDS)
@pytest.mark.parametrize("first", [0, 1])
def test_diamond_and_box_with_every_kind_of_ends(first, from_closed, to_closed, start_closed, end_closed):
    # Only open ends round, and each by itself: one of an interval may be open and the other closed.
    timeline = Timeline.RATIONAL
    fact = Interval(Fraction(2), Fraction(6), start_closed, end_closed)
    operator = Interval(Fraction(first), Fraction(2), from_closed, to_closed)
    codes = TICKS[timeline].encode(operator)
    one, expected = relation([((), fact)], 0, timeline), IntervalSet((fact,), timeline)
    assert held(diamond(one, *codes, timeline), timeline)[()] == interval_set.diamond_minus(expected, operator)
    assert held(box(coalesce(one), *codes, timeline), timeline)[()] == interval_set.box_minus(expected, operator)


@settings(max_examples=amount(160), deadline=None)
@given(st.data(), timelines)
def test_diamond_and_box_in_both_directions(data, timeline):
    drawn = data.draw(rows(timeline, 1))
    operator = data.draw(operator_intervals(timeline))
    low, high = TICKS[timeline].encode(operator)
    given_ = coalesce(relation(drawn, 1, timeline))
    expected = sets(drawn, timeline)
    for actual, reference in (
        (diamond(given_, low, high, timeline), interval_set.diamond_minus),
        (diamond(given_, -high, -low, timeline), interval_set.diamond_plus),
        (box(given_, low, high, timeline), interval_set.box_minus),
        (box(given_, -high, -low, timeline), interval_set.box_plus),
    ):
        wanted = {key: reference(times, operator) for key, times in expected.items()}
        assert non_empty(held(actual, timeline)) == non_empty(wanted)
    assert is_coalesced(box(given_, low, high, timeline))


@settings(max_examples=amount(160), deadline=None)
@given(st.data(), timelines)
def test_since_and_until_with_their_vacuous_cases(data, timeline):
    lefts, rights = data.draw(rows(timeline, 1, 5)), data.draw(rows(timeline, 1, 5))
    operator = data.draw(operator_intervals(timeline))
    low, high = TICKS[timeline].encode(operator)
    left, right = coalesce(relation(lefts, 1, timeline)), relation(rights, 1, timeline)
    nothing = IntervalSet((), timeline)
    for reference, turn in ((interval_set.since, lambda r: r), (interval_set.until, mirror)):
        with_left = since(coalesce(turn(left)), turn(right), [(0, 0)], low, high, timeline)
        without = vacuous(turn(right), low, high, timeline) or empty(1)
        actual = held(coalesce(turn(concat((with_left, without), 1))), timeline)
        wanted = {
            key: reference(sets(lefts, timeline).get(key, nothing), times, operator)
            for key, times in sets(rights, timeline).items()
        }
        assert non_empty(actual) == non_empty(wanted)


@settings(max_examples=amount(160), deadline=None)
@given(
    st.data(), timelines, st.sampled_from([((0, 0),), ((0, 0), (1, 1)), ((1, 0),), (), ((0, 1), (1, 0))]), st.booleans()
)
def test_join_pairs_what_agrees_over_the_time_in_common(data, timeline, on, coalesced):
    lefts, rights = data.draw(rows(timeline, 2, 10)), data.draw(rows(timeline, 2, 10))
    left, right = relation(lefts, 2, timeline), relation(rights, 2, timeline)
    if coalesced:
        left, right = coalesce(left), coalesce(right)
    joined = {r for _, r in on}
    wanted = []
    for key, one in sets(lefts, timeline).items():
        for other_key, other in sets(rights, timeline).items():
            if all(key[i] == other_key[j] for i, j in on):
                rest = tuple(v for position, v in enumerate(other_key) if position not in joined)
                wanted += [(key + rest, interval) for interval in one.intersection(other).intervals]
    actual = intersection_join(left, right, on)
    assert held(actual, timeline) == sets(wanted, timeline)


@settings(max_examples=amount(120), deadline=None)
@given(st.data(), timelines, st.integers(0, 2), st.integers(2, 4))
def test_intersect_keeps_the_time_that_all_have_in_common(data, timeline, arity, count):
    drawn = [data.draw(rows(timeline, arity)) for _ in range(count)]
    wanted = sets(drawn[0], timeline)
    for others in drawn[1:]:
        other = sets(others, timeline)
        wanted = {key: times.intersection(other[key]) for key, times in wanted.items() if key in other}
    actual = intersect([coalesce(relation(part, arity, timeline)) for part in drawn])
    assert held(actual, timeline) == non_empty(wanted)
    assert is_coalesced(actual)


def test_join_finds_each_overlapping_pair_once():
    # left   ├─────────┤
    # right ├──┤ ├┤ ├────┤
    left = Relation((np.array([7]),), np.array([2]), np.array([12]))
    right = Relation((np.array([7, 7, 7]),), np.array([0, 6, 10]), np.array([4, 8, 16]))
    joined = intersection_join(left, right, [(0, 0)])
    assert sorted(zip(joined.start.tolist(), joined.end.tolist(), strict=True)) == [(2, 4), (6, 8), (10, 12)]


@settings(max_examples=amount(120), deadline=None)
@given(st.data(), timelines)
def test_subtract_takes_away_the_time_of_matching_rows(data, timeline):
    lefts, rights = data.draw(rows(timeline, 2)), data.draw(rows(timeline, 1))
    actual = subtract(relation(lefts, 2, timeline), relation(rights, 1, timeline), [(1, 0)])
    nothing = IntervalSet((), timeline)
    wanted = {
        key: times.difference(sets(rights, timeline).get(key[1:], nothing))
        for key, times in sets(lefts, timeline).items()
    }
    assert held(actual, timeline) == non_empty(wanted)


@settings(max_examples=amount(80), deadline=None)
@given(st.data(), timelines)
def test_containing_rows_are_those_that_share_time_with_the_part(data, timeline):
    fulls, parts = data.draw(rows(timeline, 1)), data.draw(rows(timeline, 1))
    full = coalesce(relation(fulls, 1, timeline))
    actual = containing_rows(full, coalesce(relation(parts, 1, timeline)))
    nothing = IntervalSet((), timeline)
    wanted = [
        (key, interval)
        for key, times in sets(fulls, timeline).items()
        for interval in times.intervals
        if IntervalSet((interval,), timeline).intersection(sets(parts, timeline).get(key, nothing))
    ]
    assert held(actual, timeline) == sets(wanted, timeline)
    assert is_coalesced(actual)


@settings(max_examples=amount(80), deadline=None)
@given(st.data(), timelines)
def test_clip_cuts_rows_to_the_window(data, timeline):
    drawn, window = data.draw(rows(timeline, 1)), data.draw(intervals(timeline))
    low, high = TICKS[timeline].encode(window)
    actual = clip(coalesce(relation(drawn, 1, timeline)), low, high)
    inside = IntervalSet((window,), timeline)
    wanted = {key: times.intersection(inside) for key, times in sets(drawn, timeline).items()}
    assert held(actual, timeline) == non_empty(wanted)


@pytest.mark.parametrize("timeline", list(Timeline))
def test_a_box_without_end_holds_where_the_operand_always_did(timeline):
    # since ever, up to 8;  from 4 on, for ever;  at all times;  from 4 to 8
    ends = [(NEGATIVE_INFINITY, 8), (4, POSITIVE_INFINITY), (NEGATIVE_INFINITY, POSITIVE_INFINITY), (4, 8)]
    given_ = coalesce(Relation((np.arange(4),), *(np.array([row[i] for row in ends]) for i in (0, 1))))
    past, future = box(given_, 2, POSITIVE_INFINITY, timeline), box(given_, NEGATIVE_INFINITY, -2, timeline)
    rows_ = [[*zip(r.columns[0].tolist(), r.start.tolist(), r.end.tolist(), strict=True)] for r in (past, future)]
    assert rows_[0] == [(0, NEGATIVE_INFINITY, 10), (2, NEGATIVE_INFINITY, POSITIVE_INFINITY)]
    assert rows_[1] == [(1, 2, POSITIVE_INFINITY), (2, NEGATIVE_INFINITY, POSITIVE_INFINITY)]


def test_kernels_that_keep_rows_coalesced_say_so():
    given_ = coalesce(Relation((np.array([1, 1]),), np.array([0, 6]), np.array([4, 8])))
    for low, high in ((-2, 20), (2, 20), (5, 20), (9, 9)):
        assert clip(given_, low, high).coalesced
        assert not clip(given_.with_time(given_.start, given_.end), low, high).coalesced
    assert coalesce(given_.take(np.array([], dtype=np.int64))).coalesced
    assert box(given_, 0, 2, Timeline.INTEGER).coalesced
    assert box(given_, 0, 3, Timeline.INTEGER).coalesced
    assert containing_rows(given_, given_.take(np.array([1]))).coalesced


def test_wide_values_and_times_are_joined_by_rank():
    # Spans this wide do not fit one 62-bit key together; ranks take their place.
    wide = np.array([-(1 << 60), 0, (1 << 60)])
    columns = (wide, wide[::-1].copy(), wide)
    left = coalesce(Relation(columns, np.array([-(1 << 58), 0, 4]), np.array([-(1 << 57), 2, 1 << 59])))
    joined = intersection_join(left, left, [(0, 0), (1, 1), (2, 2)])
    assert sorted(joined.start.tolist()) == sorted(left.start.tolist())
    assert len(coalesce(concat((left, left), 3))) == 3


def test_many_distinct_values_and_a_long_time_fit_one_key():
    count = 120_000
    shuffled = np.random.default_rng(7).permutation(count)
    start = np.arange(count) * 15_000
    wide = Relation((np.arange(count) * 3, shuffled * 5, shuffled[::-1].copy()), start, start + 5)
    assert len(coalesce(concat((wide, wide), 3))) == count


def test_a_shift_out_of_the_encoding_is_refused():
    far = Relation((), np.array([(1 << 60) - 4]), np.array([(1 << 60) - 4]))
    with pytest.raises(OverflowError, match="out of range"):
        diamond(far, 8, 8, Timeline.RATIONAL)
