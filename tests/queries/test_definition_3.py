"""Queries against Definition 3 of the LARS+ paper: T-matches on streams that are models."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from query_cases import answered, asked, certain, matched, rows_at

from amount import amount
from thalweg.engine.limits import Limits
from thalweg.testing import naive_materialise
from thalweg.testing.lars_plus import restricted_chase, timed_atoms, timeline
from thalweg.testing.lars_plus.stream import GrowingStream
from thalweg.testing.strategies import LarsPlusKnobs

PURE = LarsPlusKnobs(endless=False, max_groups=2)


def chased(case):
    """The stream that the oracle's skolem chase gives."""
    points = timeline(case.program)
    answers = naive_materialise(case.program, case.facts, case.start, case.end)
    return GrowingStream(points, timed_atoms(answers, points))


@settings(max_examples=amount(40))
@given(asked(PURE))
def test_answers_are_the_matches_on_the_chase(queries):
    stream = chased(queries[0].case)
    for query in queries:
        expected = matched(query, stream)
        assert rows_at(answered(query, nulls=True), expected) == expected
        assert rows_at(answered(query), expected) == certain(expected)


@settings(max_examples=amount(20))
@given(asked(PURE), st.data())
def test_the_answers_at_a_time_are_those_of_that_time(queries, data):
    stream = chased(queries[0].case)
    for query in queries:
        time = data.draw(st.sampled_from(stream.timeline))
        expected = matched(query, stream)
        found = answered(query, start=time, end=time, nulls=True)
        assert {*found} == expected[time]
        assert bool(found) == bool(expected[time])
        assert {*answered(query, start=time, end=time)} == certain(expected)[time]


@settings(max_examples=amount(20))
@given(asked(PURE))
def test_certain_answers_hold_in_other_models(queries):
    program, facts = queries[0].case.program, queries[0].case.facts
    points = timeline(program)
    universal = GrowingStream(points, restricted_chase(program, facts))
    small = GrowingStream(points, restricted_chase(program, facts, lambda: "a"))
    for query in queries:
        found = rows_at(answered(query), points)
        assert found == certain(matched(query, universal))
        assert found == rows_at(answered(query, limits=Limits(restricted=True)), points)
        others = matched(query, small)
        assert all(found[time] <= others[time] for time in points)


@pytest.mark.soak
@settings(max_examples=5_000, derandomize=False)
@given(asked(LarsPlusKnobs(endless=False)))
def test_at_length(queries):
    stream = chased(queries[0].case)
    for query in queries:
        expected = matched(query, stream)
        assert rows_at(answered(query, nulls=True), expected) == expected
