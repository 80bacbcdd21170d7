"""Times as far from 0 as they can be counted, and facts that hold at no time."""

from fractions import Fraction

import pytest

import thalweg
from thalweg.columnar.values import Values
from thalweg.engine.intake import Intake
from thalweg.engine.tables import read_table
from thalweg.errors import DataError
from thalweg.time.ticks import FINITE_LIMIT, Ticks
from thalweg.time.timeline import Timeline


def answers(rules, facts):
    return thalweg.materialise(thalweg.parse(rules), facts).to_text().splitlines()


@pytest.mark.parametrize("sign", ["", "-"])
def test_the_last_time_that_can_be_counted_is_taken_and_the_next_is_refused(sign):
    rules, last = "timeline integer. Q(X) :- P(X).", FINITE_LIMIT - 2
    assert f"Q(a)@[{sign}{last},{sign}{last}]" in answers(rules, f"P(a)@{sign}{last}")
    with pytest.raises(DataError, match=f"the time {sign}{last + 1} is too far from 0") as refused:
        answers(rules, f"P(b)@0\nP(a)@{sign}{last + 1}")
    diagnostic = refused.value.diagnostics[0]
    assert (diagnostic.code, str(diagnostic.place)[-2:]) == ("E431", ":2")


def test_on_the_rational_timeline_codes_are_twice_the_ticks():
    rules, last = "Q(X) :- P(X).", (FINITE_LIMIT - 2) // 2
    assert f"Q(a)@[{last},{last}]" in answers(rules, f"P(a)@{last}")
    with pytest.raises(DataError, match=f"the time {last + 1} is too far from 0"):
        answers(rules, f"P(a)@{last + 1}")


def test_a_fact_at_no_time_point_is_refused_with_its_place():
    facts = "P(a)@[0,3]\nP(b)@(1,2]\nP(c)@(1,2)\nP(d)@(5,6)"
    with pytest.raises(DataError, match="holds at no time point") as refused:
        answers("timeline integer. Q(X) :- P(X).", facts)
    diagnostic = refused.value.diagnostics[0]
    assert (diagnostic.code, str(diagnostic.place)[-2:]) == ("E433", ":3")


def test_open_ends_of_the_integer_timeline_are_the_next_whole_numbers():
    found = answers("timeline integer. Q(X) :- P(X).", "P(a)@(0,3)\nP(b)@(0,inf)\nP(c)@(-inf,3)\nP(d)@[0,1)")
    assert [line for line in found if line.startswith("Q")] == [
        "Q(a)@[1,2]",
        "Q(b)@[1,inf)",
        "Q(c)@(-inf,2]",
        "Q(d)@[0,0]",
    ]


def test_a_time_between_two_ticks_is_refused():
    rules = f"tick {Fraction(1, 2)}. Q(X) :- P(X)."
    assert "Q(a)@[1.5,1.5]" in answers(rules, "P(a)@1.5")
    with pytest.raises(DataError):
        answers(rules, "P(a)@1.25")


def test_a_number_out_of_range_is_refused_with_its_place():
    with pytest.raises(DataError, match="out of range") as refused:
        answers("Q(X) :- P(X).", f"P(1)@0\nP({2**61 - 1})@0\nP({2**61})@0\nP(2)@0")
    diagnostic = refused.value.diagnostics[0]
    assert (diagnostic.code, str(diagnostic.place)[-2:]) == ("E431", ":3")


@pytest.mark.parametrize("tick", ["1", "0.5"])
def test_times_without_an_end_are_null_in_tables(tick):
    model = thalweg.materialise(thalweg.parse(f"tick {tick}. Q(X) :- P(X)."), "P(a)@[0,inf)\nP(b)@(-inf,3]\nP(c)@[1,2]")
    rows = model.table("Q").to_pylist()
    assert [(row["start"], row["end"]) for row in rows] == [(0, None), (None, 3), (1, 2)]


def test_a_time_that_makes_the_tick_too_fine_for_what_is_held_is_refused():
    reasoner = thalweg.StreamReasoner(thalweg.parse("Q(X) :- P(X)."), "Q")
    reasoner.advance(f"P(a)@{FINITE_LIMIT // 4}", 1)
    with pytest.raises(DataError) as refused:
        reasoner.advance("P(b)@2.0009765625", 3)
    (diagnostic,) = refused.value.diagnostics
    assert (diagnostic.code, diagnostic.span) == ("E451", None)
    assert diagnostic.hint == "declare a tick and round the times to it before they come in"


def codes_of(table):
    """The codes of the times in a table, on the integer timeline."""
    (batch,) = read_table("P", table, None).batches
    start, end = Intake(Values(), Ticks(Timeline.INTEGER)).times(batch)
    return start.tolist(), end.tolist()


def test_the_last_time_that_has_a_code():
    last = FINITE_LIMIT - 2
    assert codes_of({"time": [0, last, -last]}) == ([0, last, -last],) * 2
    for beyond in (last + 1, -last - 1):
        with pytest.raises(DataError, match="too far from 0") as refused:
            codes_of({"time": [0, beyond]})
        (diagnostic,) = refused.value.diagnostics
        assert (diagnostic.code, diagnostic.place) == ("E431", "table P:2")


def test_an_interval_between_two_time_points_has_no_codes():
    open_ends = {"start": [0, 1], "end": [3, 2], "start_closed": [False, False], "end_closed": [True, False]}
    with pytest.raises(DataError, match="holds at no time point") as refused:
        codes_of(open_ends)
    (diagnostic,) = refused.value.diagnostics
    assert (diagnostic.code, diagnostic.place) == ("E433", "table P:2")
