"""Window functions against tables made by hand (LARS paper, Definitions 2 and 3)."""

import math
from fractions import Fraction

import pytest

from thalweg.model.formula import TimeWindow, TupleWindow
from thalweg.testing.lars import Stream, valuation, window_of


def stream(first, last, *tuples):
    """A stream from texts: ``stream(0, 9, "3 P a", "5 P b 2")``."""
    return Stream(first, last, valuation(_tuple(text) for text in tuples))


def _tuple(text):
    time, predicate, *arguments = text.split()
    values = tuple(Fraction(word) if word.lstrip("-")[0].isdigit() else word for word in arguments)
    return int(time), (predicate, values)


def contents(window):
    """A window as texts, its timeline first."""
    tuples = (
        " ".join([str(time), predicate, *map(str, arguments)])
        for time, atoms in window.contents().items()
        for predicate, arguments in atoms
    )
    return [(window.first, window.last), *sorted(tuples)]


def applied(window, of, time, *predicates):
    return contents(window_of(window, of, time, predicates or ("P",)))


TRAMS = stream(0, 50, "36 tram a1 p1", "40 tram a2 p2")


def test_example_3_time_based():
    assert applied(TimeWindow(Fraction(10)), TRAMS, 40) == [(30, 40), "36 tram a1 p1", "40 tram a2 p2"]


def test_example_3_tuple_based():
    assert applied(TupleWindow(1), TRAMS, 40, "tram") == [(40, 40), "40 tram a2 p2"]


def test_example_4_looks_ahead():
    assert applied(TimeWindow(Fraction(0), Fraction(5)), TRAMS, 43)[0] == (43, 48)


@pytest.mark.parametrize(
    ("time", "timeline"),
    [(0, (0, 0)), (2, (0, 2)), (3, (0, 3)), (4, (1, 4)), (9, (6, 9)), (-1, (0, -1)), (12, (9, 9)), (13, (10, 9))],
)
def test_time_windows_are_clipped_to_the_timeline(time, timeline):
    assert applied(TimeWindow(Fraction(3)), stream(0, 9), time) == [timeline]


@pytest.mark.parametrize(
    ("time", "timeline"), [(0, (0, 1)), (3, (0, 1)), (4, (2, 5)), (5, (2, 5)), (7, (2, 5)), (8, (6, 9)), (9, (6, 9))]
)
def test_a_slide_moves_the_pivot_in_steps(time, timeline):
    # t       0 1 2 3 4 5 6 7 8 9
    # pivot   0 0 0 0 4 4 4 4 8 8
    assert applied(TimeWindow(Fraction(2), Fraction(1), 4), stream(0, 9), time) == [timeline]


def test_pivots_before_zero_round_down():
    assert applied(TimeWindow(Fraction(1), Fraction(0), 2), stream(-5, 5), -3) == [(-5, -4)]


def test_windows_without_an_end_reach_the_ends_of_the_timeline():
    everything = stream(2, 9, "3 P a", "8 P b")
    assert applied(TimeWindow(math.inf), everything, 5) == [(2, 5), "3 P a"]
    assert applied(TimeWindow(Fraction(0), math.inf), everything, 5) == [(5, 9), "8 P b"]
    assert applied(TimeWindow(math.inf, math.inf, 3), everything, 5) == [(2, 9), "3 P a", "8 P b"]


def test_a_window_of_a_window_is_within_it():
    inner = window_of(TimeWindow(Fraction(2)), stream(0, 9, "1 P a", "4 P b", "5 P c"), 5, ("P",))
    assert applied(TimeWindow(Fraction(4), Fraction(4)), inner, 4) == [(3, 5), "4 P b", "5 P c"]
    assert applied(TimeWindow(Fraction(1)), inner, 1) == [(3, 1)]


def test_the_pivot_can_leave_the_reference_time_outside():
    assert applied(TimeWindow(Fraction(1), Fraction(0), 3), stream(0, 9), 5) == [(2, 3)]


# P   a b . a . c        at 0, 1, 3, 5
P = stream(0, 9, "0 P a", "1 P b", "3 P a", "5 P c")


@pytest.mark.parametrize(
    ("last", "ahead", "time", "expected"),
    [
        (1, 0, 4, [(3, 4), "3 P a"]),
        (2, 0, 4, [(1, 4), "1 P b", "3 P a"]),
        (2, 0, 0, [(0, 0), "0 P a"]),
        (4, 0, 4, [(0, 4), "0 P a", "1 P b", "3 P a"]),
        (0, 1, 3, [(3, 5), "5 P c"]),
        (0, 2, 3, [(3, 9), "5 P c"]),
        (1, 1, 1, [(1, 3), "1 P b", "3 P a"]),
        (1, 1, 9, [(5, 9), "5 P c"]),
        (0, 1, 9, [(9, 9)]),
        (1, 0, 12, [(5, 9), "5 P c"]),
        (0, 2, -4, [(0, 1), "0 P a", "1 P b"]),
        (1, 0, -4, [(0, -4)]),
        (0, 1, 12, [(12, 9)]),
    ],
)
def test_tuple_windows_count(last, ahead, time, expected):
    assert applied(TupleWindow(last, ahead), P, time) == expected


def test_of_simultaneous_tuples_the_greatest_are_most_recent():
    ties = stream(0, 9, "2 P 10", "2 P 9", "2 P a", "2 P B")
    assert applied(TupleWindow(1), ties, 4) == [(2, 4), "2 P a"]
    assert applied(TupleWindow(2), ties, 4) == [(2, 4), "2 P B", "2 P a"]
    assert applied(TupleWindow(3), ties, 4) == [(2, 4), "2 P 10", "2 P B", "2 P a"]
    assert applied(TupleWindow(0, 1), ties, 1) == [(1, 2), "2 P 9"]


def test_ties_are_broken_position_by_position():
    ties = stream(0, 9, "2 P a 2", "2 P b 1", "2 P b x")
    assert applied(TupleWindow(1), ties, 2) == [(2, 2), "2 P b x"]
    assert applied(TupleWindow(2), ties, 2) == [(2, 2), "2 P b 1", "2 P b x"]


def test_each_predicate_is_counted_by_itself():
    both = stream(0, 9, "1 P a", "2 P b", "5 Q a", "6 R a")
    assert applied(TupleWindow(1), both, 7, "P", "Q") == [(2, 7), "2 P b", "5 Q a"]


def test_a_predicate_without_tuples_was_looked_for_everywhere():
    assert applied(TupleWindow(1), P, 7, "P", "Q") == [(0, 7), "5 P c"]
    assert applied(TupleWindow(0, 1), P, 3, "P", "Q") == [(3, 9), "5 P c"]


def test_without_predicates_the_window_is_as_with_one_that_has_no_tuples():
    assert contents(window_of(TupleWindow(1), P, 7, ())) == [(0, 7)]
    assert contents(window_of(TupleWindow(0, 1), P, 7, ())) == [(7, 9)]


# a 1   x . . x .        b 1   . x . . .
D = stream(0, 9, "0 D a 1", "3 D a 2", "1 D b 1")


def test_partitions_are_counted_one_by_one():
    assert applied(TupleWindow(1, 0, (0,)), D, 5, "D") == [(1, 5), "1 D b 1", "3 D a 2"]
    assert applied(TupleWindow(1, 0, (1,)), D, 5, "D") == [(1, 5), "1 D b 1", "3 D a 2"]
    assert applied(TupleWindow(2, 0, (0,)), D, 5, "D") == [(0, 5), "0 D a 1", "1 D b 1", "3 D a 2"]
    assert applied(TupleWindow(1, 0, (0, 1)), D, 5, "D") == [(0, 5), "0 D a 1", "1 D b 1", "3 D a 2"]


def test_a_partition_that_has_not_begun_does_not_count():
    assert applied(TupleWindow(1, 0, (0,)), stream(0, 9, "2 D a 1", "7 D b 1"), 5, "D") == [(2, 5), "2 D a 1"]


def test_a_partition_with_too_few_tuples_was_looked_for_from_the_start():
    tuples = stream(0, 9, "2 D a 1", "3 D a 2", "4 D b 1")
    assert applied(TupleWindow(2, 0, (0,)), tuples, 5, "D") == [(0, 5), "2 D a 1", "3 D a 2", "4 D b 1"]


def test_without_partitions_the_window_is_as_with_one_that_has_no_tuples():
    assert applied(TupleWindow(1, 0, (0,)), D, 5, "E") == [(0, 5)]


def test_tuple_windows_of_a_window_see_its_tuples_only():
    inner = window_of(TimeWindow(Fraction(2)), P, 4, ("P",))
    assert applied(TupleWindow(2), inner, 4) == [(2, 4), "3 P a"]
