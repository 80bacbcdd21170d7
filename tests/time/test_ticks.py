from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import TIMELINES, intervals

from thalweg.time.interval import ALWAYS, Interval, point
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks, common_tick
from thalweg.time.timeline import Timeline

HALVES = Ticks(Timeline.RATIONAL, Fraction(1, 2))
INTEGERS = Ticks(Timeline.INTEGER)


@pytest.mark.parametrize(
    ("interval", "codes"),
    [
        (point(Fraction(3, 2)), (6, 6)),
        (Interval(0, 1), (0, 4)),
        (Interval(0, 1, False, True), (1, 4)),
        (Interval(0, 1, True, False), (0, 3)),
        (Interval(0, Fraction(1, 2), False, False), (1, 1)),
        (Interval(-1, 0, False, False), (-3, -1)),
        (ALWAYS, (NEGATIVE_INFINITY, POSITIVE_INFINITY)),
        (Interval(2, math.inf, False), (9, POSITIVE_INFINITY)),
    ],
)
def test_points_are_even_and_gaps_are_odd(interval, codes):
    assert HALVES.encode(interval) == codes
    assert HALVES.decode(*codes) == interval


@pytest.mark.parametrize(
    ("interval", "codes"),
    [
        (Interval(0, 3), (0, 3)),
        (Interval(0, 3, False, False), (1, 2)),
        (Interval(Fraction(-1, 2), Fraction(5, 2)), (0, 2)),
        (Interval(-math.inf, 3, False, False), (NEGATIVE_INFINITY, 2)),
    ],
)
def test_the_codes_of_integers_are_the_integers(interval, codes):
    assert INTEGERS.encode(interval) == codes
    assert INTEGERS.decode(*codes) == interval.to_integers()


def test_an_interval_without_integers_has_no_code():
    assert INTEGERS.encode(Interval(0, 1, False, False)) is None


@given(intervals(), st.sampled_from(TIMELINES))
def test_decoding_undoes_encoding(interval, timeline):
    ticks = Ticks(timeline)
    codes = ticks.encode(interval)
    expected = interval.to_integers() if timeline is Timeline.INTEGER else interval
    assert (codes and ticks.decode(*codes)) == expected


@given(intervals(), intervals())
def test_intervals_touch_when_their_codes_do(left, right):
    ticks = Ticks(Timeline.RATIONAL)
    (from_left, to_left), (from_right, to_right) = ticks.encode(left), ticks.encode(right)
    assert left.touches(right) == (from_right <= to_left + 1 and from_left <= to_right + 1)


def test_a_shifted_infinity_is_still_infinite():
    assert HALVES.decode(NEGATIVE_INFINITY + 5, POSITIVE_INFINITY - 7) == ALWAYS


def test_a_time_between_ticks_is_refused_by_name():
    with pytest.raises(ValueError, match=r"the tick 0\.5 does not divide the time 1/3"):
        HALVES.encode(point(Fraction(1, 3)))


def test_a_time_beyond_64_bits_is_refused():
    with pytest.raises(OverflowError, match=r"too far from 0 to be counted in 64 bits with the tick 0\.5"):
        HALVES.encode(point(1 << 60))


def test_the_integer_timeline_has_no_other_tick():
    with pytest.raises(ValueError, match="the integer timeline has the tick 1, not 2"):
        Ticks(Timeline.INTEGER, Fraction(2))


def test_a_tick_is_positive():
    with pytest.raises(ValueError, match="a tick must be positive, not 0"):
        Ticks(Timeline.RATIONAL, Fraction(0))


@pytest.mark.parametrize(
    ("values", "tick"),
    [
        ((), "1"),
        (("0",), "1"),
        (("4", "6"), "2"),
        (("1/2", "1/3"), "1/6"),
        (("0", "-3/4", "3/2"), "3/4"),
    ],
)
def test_the_common_tick_is_the_greatest_common_divisor(values, tick):
    assert common_tick(map(Fraction, values)) == Fraction(tick)


@given(st.lists(st.fractions(-5, 5, max_denominator=12), max_size=5))
def test_the_common_tick_divides_every_value(values):
    tick = common_tick(values)
    assert all((value / tick).denominator == 1 for value in values)
