from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from sampling import inner_times, intervals

from thalweg.time.interval import ALWAYS, Interval, format_rational, point
from thalweg.time.timeline import Timeline

TIMES = inner_times(Timeline.RATIONAL)


def test_infinite_ends_are_open():
    assert Interval(-math.inf, math.inf, True, True) == ALWAYS


@pytest.mark.parametrize(
    "ends", [(2, 1, True, True), (1, 1, True, False), (1, 1, False, True), (math.inf, math.inf, True, True)]
)
def test_an_empty_interval_is_refused(ends):
    with pytest.raises(ValueError, match="is empty"):
        Interval(*ends)


def test_a_float_endpoint_is_refused():
    with pytest.raises(ValueError, match=r"0\.1 is not an exact time"):
        Interval(0.1, 1)


def test_whole_numbers_become_fractions():
    assert isinstance(Interval(0, 1).start, Fraction)


def test_adding_to_an_infinite_end_never_overflows():
    huge = point(10**400)
    assert huge.plus(Interval(0, math.inf)) == Interval(10**400, math.inf)
    assert Interval(0, math.inf).length == math.inf


def test_the_operations_of_the_paper_on_its_examples():
    long, short = Interval(0, 10), Interval(2, 4)
    assert long.plus(short) == Interval(2, 14)
    assert long.minus(short) == Interval(-4, 8)
    assert long.oplus(short) == Interval(4, 12)


@pytest.mark.parametrize(
    ("fact", "operator", "expected"),
    [
        (Interval(0, 3, False, False), Interval(1, 2, False, False), Interval(2, 4)),
        (Interval(0, 3, False, False), Interval(1, 2), Interval(2, 4, False, False)),
        (Interval(0, 3), Interval(1, 2, False, False), Interval(2, 4)),
        (Interval(0, 1), Interval(0, 2), None),
        (Interval(0, math.inf), Interval(1, math.inf), None),
        (Interval(-math.inf, 3), Interval(1, math.inf), Interval(-math.inf, 4)),
    ],
)
def test_oplus_at_open_and_infinite_ends(fact, operator, expected):
    assert fact.oplus(operator) == expected


@given(intervals(), intervals())
def test_intersection_is_what_lies_in_both(left, right):
    both = left.intersection(right)
    for t in TIMES:
        assert (both is not None and t in both) == (t in left and t in right)


@given(intervals(), intervals())
def test_difference_is_what_lies_in_the_first_only(left, right):
    parts = left.difference(right)
    for t in TIMES:
        assert any(t in part for part in parts) == (t in left and t not in right)
    assert not (len(parts) == 2 and parts[0].touches(parts[1]))


@given(intervals(), intervals())
def test_two_intervals_touch_when_their_union_has_no_hole(left, right):
    covered = [t in left or t in right for t in TIMES]
    without_hole = "01" not in "".join("01"[c] for c in covered).strip("0").replace("11", "1")
    assert left.touches(right) == right.touches(left) == without_hole


@given(intervals(), intervals())
def test_union_of_touching_intervals_is_what_lies_in_either(left, right):
    if not left.touches(right):
        with pytest.raises(ValueError, match="is not an interval"):
            left.union(right)
        return
    union = left.union(right)
    assert all((t in union) == (t in left or t in right) for t in TIMES)


@pytest.mark.parametrize(
    ("interval", "integers"),
    [
        (Interval(Fraction(1, 2), Fraction(5, 2)), Interval(1, 2)),
        (Interval(0, 3, False, False), Interval(1, 2)),
        (Interval(0, 1, False, False), None),
        (Interval(-math.inf, Fraction(-1, 2), False, False), Interval(-math.inf, -1)),
        (ALWAYS, ALWAYS),
    ],
)
def test_to_integers_closes_the_ends(interval, integers):
    assert interval.to_integers() == integers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("3", "3"),
        ("-1/4", "-0.25"),
        ("1/3", "1/3"),
        ("7/50", "0.14"),
        ("-21/10", "-2.1"),
        ("1/1000", "0.001"),
    ],
)
def test_rationals_are_written_as_decimals_where_that_is_exact(value, text):
    assert format_rational(Fraction(value)) == text
