"""Queries as the stream advances."""

from dataclasses import replace
from fractions import Fraction

import pytest
from asking import DATA, EXAMPLE_1
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from query_cases import GIVEN, answered, asked, rows_at

import thalweg
from amount import amount
from stream.streaming import REFUSALS, batches_of
from thalweg.engine.query import QueryStream, read_query
from thalweg.testing.strategies import LarsPlusKnobs
from thalweg.time.interval_set import IntervalSet
from thalweg.time.timeline import Timeline


def stream_of(query, rules=EXAMPLE_1, **options):
    return QueryStream(thalweg.parse(rules), query, **options)


def test_answers_come_when_they_are_complete():
    # temp > 80   x x x . x .
    # all, 2 back x x x . . .
    stream = stream_of("window 2 all hot(B)", "timeline integer. hot(B) :- temp(B, T), T > 80.")
    assert stream.advance("temp(b1,90)@[0,2]", to=1).to_text() == "answer(b1)@[0,1]"
    assert stream.advance("", to=3).to_text() == "answer(b1)@[2,2]"
    assert stream.advance("temp(b1,90)@[4,4]", to=9).to_text() == ""


def test_the_query_of_the_paper():
    stream = stream_of("exists X: window 5 all warn(X)")
    assert stream.advance(DATA, to=3).to_text() == "answer@[0,3]"
    assert stream.advance("", to=9).to_text() == "answer@[4,4]"
    assert not stream.advance("", to=10)


def test_a_query_that_looks_ahead_waits():
    stream = stream_of("window[next 2] some p(X)", "timeline integer. predicate p(x).")
    assert stream.reasoner.delay == 2
    assert stream.advance("p(a)@3", to=2).to_text() == ""
    assert stream.advance("", to=3).to_text() == "answer(a)@[1,1]"
    assert stream.advance("", to=9).to_text() == "answer(a)@[2,3]"


def test_nulls():
    assert stream_of("beltOperator(X, Y)").advance(DATA, to=2).to_text() == ""
    kept = stream_of("beltOperator(X, Y)", nulls=True).advance(DATA, to=1)
    assert kept.to_text().splitlines() == [f"answer(b1,_:Y.2(b1@{time}))@[{time},{time}]" for time in (0, 1)]
    assert list(stream_of("exists Y: beltOperator(X, Y)").advance(DATA, to=2)) == [("b1",)]


def test_output_times():
    stream = stream_of("warn(X)", output_times="every:2")
    assert stream.advance(DATA, to=9).to_text().splitlines() == [f"answer(b1)@[{time},{time}]" for time in (0, 2, 4)]


def test_predicates_must_be_known_before_the_facts_are():
    with pytest.raises(thalweg.ProgramError) as caught:
        stream_of("extra(X), warm(Y)")
    messages = [(each.code, each.message, each.hint) for each in caught.value.diagnostics]
    assert messages == [
        ("E261", "the program does not mention extra", "declare it, if facts will bring it: input extra."),
        ("E261", "the program does not mention warm", "did you mean warn?"),
    ]


def test_what_no_stream_can_answer():
    with pytest.raises(thalweg.ProgramError, match=r"query:1:1: error\[E321\]: at any time in the query cannot be"):
        stream_of("warn(X) at T")


def test_an_error_on_the_way_is_told_of_the_query():
    stream = stream_of("belt(X), Y = X + 1")
    with pytest.raises(thalweg.ReasoningError, match="in the query"):
        stream.advance(DATA, to=3)


@pytest.mark.parametrize(
    ("query", "algorithm", "answers"),
    [
        ("exists X: boxminus[0,1] Hot(X), diamondminus[0,2] Calm(X)", 6, ["answer@[3,4.5)"]),
        ("exists X: boxminus[0,1] Hot(X), not diamondminus[0,2] Calm(X)", 1, ["answer@[2,3)"]),
    ],
)
def test_on_the_rational_timeline(query, algorithm, answers):
    rules, facts = "Hot(X) :- diamondminus[0,1/2] Temp(X). predicate Calm(x).", "Temp(a)@[1,4)\nCalm(a)@3"
    stream = stream_of(query, rules)
    assert stream.reasoner.algorithm == algorithm
    pieces = [stream.advance(facts, to="2.5"), stream.advance("", to="3.5"), stream.advance("", to=9)]
    held = IntervalSet(tuple(each for piece in pieces for each in piece.times()), Timeline.RATIONAL)
    assert [f"answer@{each}" for each in held.intervals] == answers
    assert thalweg.query(thalweg.parse(rules), facts, query).to_text().splitlines() == answers


def test_a_state_goes_on_elsewhere():
    first, second = stream_of("window 3 all warn(X)"), stream_of("window 3 all warn(X)")
    first.advance(DATA, to=2)
    second.reasoner.restore(first.reasoner.snapshot())
    assert second.advance("", to=9).to_text() == first.advance("", to=9).to_text() == "answer(b1)@[3,4]"


@settings(max_examples=amount(30))
@given(asked(LarsPlusKnobs(unbounded=False, max_groups=2), count=2), st.sets(st.integers(1, 9), max_size=4))
def test_a_stream_gives_what_a_batch_gives(queries, cuts):
    for query in queries:
        points = range(int(query.case.end) + 1)
        expected = rows_at(answered(query, start=query.case.start, end=query.case.end, nulls=True), points)
        assert streamed(query, sorted(cuts), points) == expected


def streamed(query, cuts, points):
    """The rows at each time point that come out when facts come in pieces."""
    case = query.case
    try:
        stream = QueryStream(case.program, read_query(query.text, case.program, GIVEN), nulls=True)
    except thalweg.ProgramError as error:
        assume(not all(each.code in REFUSALS for each in error.diagnostics))
        raise
    found, before = {time: set() for time in points}, Fraction(-1)
    for stop in sorted({*cuts, max(*points, *cuts) + int(stream.reasoner.delay) + 1}):
        due = [fact for fact in case.facts if before < max(fact.interval.start, 0) <= stop]
        answers = stream.advance(batches_of(replace(case.program, facts=()), due), stop)
        for time, rows in rows_at(answers, points).items():
            found[time] |= rows
        before = Fraction(stop)
    return found
