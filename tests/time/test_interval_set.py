from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import (
    TIMELINES,
    every,
    inner_times,
    interval_sets,
    intervals,
    operator_intervals,
    some,
    unbroken,
)

from thalweg.time.interval import ALWAYS, Interval, point
from thalweg.time.interval_set import (
    IntervalSet,
    box_minus,
    box_plus,
    diamond_minus,
    diamond_plus,
    since,
    until,
)
from thalweg.time.timeline import Timeline


@st.composite
def sets(draw, count):
    timeline = draw(st.sampled_from(TIMELINES))
    return tuple(draw(interval_sets(timeline)) for _ in range(count))


def assert_holds_exactly_where(result, expected):
    for t in inner_times(result.timeline):
        assert result.contains(t) == expected(t), t


def rational(*parts):
    return IntervalSet(parts)


def integer(*parts):
    return IntervalSet(parts, Timeline.INTEGER)


# --- the normal form ------------------------------------------------------------------------------


def test_touching_intervals_are_joined():
    assert rational(Interval(2, 3), Interval(0, 2, True, False)) == rational(Interval(0, 3))


def test_a_missing_point_keeps_intervals_apart():
    parts = Interval(0, 2, True, False), Interval(2, 3, False, True)
    assert rational(*parts).intervals == parts


def test_neighbouring_integers_touch():
    assert integer(Interval(1, 2), Interval(3, 4)).intervals == (Interval(1, 4),)


def test_open_ends_are_closed_on_the_integers():
    assert integer(Interval(0, 5, False, False), Interval(7, 8, False, False)).intervals == (Interval(1, 4),)


@given(st.lists(intervals(), max_size=5), st.sampled_from(TIMELINES))
def test_the_normal_form_keeps_the_time_points(parts, timeline):
    result = IntervalSet(tuple(parts), timeline)
    assert_holds_exactly_where(result, lambda t: any(t in part for part in parts))
    assert IntervalSet(result.intervals[::-1], timeline) == result


def test_sets_of_different_timelines_do_not_mix():
    with pytest.raises(ValueError, match="a rational set cannot meet the integer one"):
        rational().union(integer())


# --- set operations -------------------------------------------------------------------------------


@given(sets(2))
def test_union(pair):
    left, right = pair
    assert_holds_exactly_where(left.union(right), lambda t: left.contains(t) or right.contains(t))


@given(sets(2))
def test_intersection(pair):
    left, right = pair
    assert_holds_exactly_where(left.intersection(right), lambda t: left.contains(t) and right.contains(t))


@given(sets(2))
def test_difference(pair):
    left, right = pair
    assert_holds_exactly_where(left.difference(right), lambda t: left.contains(t) and not right.contains(t))


@given(sets(1))
def test_complement(single):
    (operand,) = single
    assert_holds_exactly_where(operand.complement(), lambda t: not operand.contains(t))
    assert operand.complement().complement() == operand


def test_the_complement_of_everything_is_empty():
    assert not rational(ALWAYS).complement()
    assert rational().complement() == rational(ALWAYS)


# --- metric operators -----------------------------------------------------------------------------


@given(sets(1), operator_intervals())
def test_diamond_minus(single, interval):
    (operand,) = single
    assert_holds_exactly_where(diamond_minus(operand, interval), some(operand, interval, 1))


@given(sets(1), operator_intervals())
def test_diamond_plus(single, interval):
    (operand,) = single
    assert_holds_exactly_where(diamond_plus(operand, interval), some(operand, interval, -1))


@given(sets(1), operator_intervals())
def test_box_minus(single, interval):
    (operand,) = single
    assert_holds_exactly_where(box_minus(operand, interval), every(operand, interval, 1))


@given(sets(1), operator_intervals())
def test_box_plus(single, interval):
    (operand,) = single
    assert_holds_exactly_where(box_plus(operand, interval), every(operand, interval, -1))


@given(sets(2), operator_intervals())
def test_since(pair, interval):
    assert_holds_exactly_where(since(*pair, interval), unbroken(*pair, interval, 1))


@given(sets(2), operator_intervals())
def test_until(pair, interval):
    assert_holds_exactly_where(until(*pair, interval), unbroken(*pair, interval, -1))


@pytest.mark.parametrize("operator", [diamond_minus, diamond_plus, box_minus, box_plus])
def test_an_operator_interval_with_negative_numbers_is_refused(operator):
    with pytest.raises(ValueError, match="must not contain negative numbers"):
        operator(rational(ALWAYS), Interval(-1, 1))


def test_an_operator_interval_without_integers_quantifies_over_nothing():
    between = Interval(0, 1, False, False)
    somewhere, everywhere = integer(Interval(0, 5)), integer(ALWAYS)
    assert diamond_minus(somewhere, between) == diamond_plus(somewhere, between) == integer()
    assert box_minus(somewhere, between) == box_plus(somewhere, between) == everywhere
    assert since(everywhere, somewhere, between) == until(everywhere, somewhere, between) == integer()


def test_since_without_distance_needs_no_left_operand():
    # B                 •          [3, 3]
    # A since[0,2] B    •          A holds nowhere: t' = t
    assert since(rational(), rational(point(3)), Interval(0, 2)) == rational(point(3))


def test_since_over_neighbouring_integers_needs_no_left_operand():
    # B                 •          3
    # A since[0,2] B    • •        3 and 4: no integer lies between 3 and 4
    assert since(integer(), integer(point(3)), Interval(0, 2)) == integer(Interval(3, 4))


def test_since_reaches_from_the_open_start_of_left_to_its_open_end():
    # A                 (─────)       (3, 6)
    # B                 •             [3, 3]
    # A since(0,9] B    (─────]       (3, 6]
    left, right = rational(Interval(3, 6, False, False)), rational(point(3))
    assert since(left, right, Interval(0, 9, False)) == rational(Interval(3, 6, False, True))


def test_until_over_an_unbounded_interval():
    # A                      ├────→   [2, ∞)
    # B                          •    [7, 7]
    # A until[1,∞) B         ├──┤     [2, 6]
    left, right = rational(Interval(2, math.inf)), rational(point(7))
    assert until(left, right, Interval(1, math.inf)) == rational(Interval(2, 6))
