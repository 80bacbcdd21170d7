"""Proposition 10: where nothing is late and one time gives all others, facts are worked in by time, to the same end."""

from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hypotheses.busy_streams import PROMPT as BUSY
from hypotheses.busy_streams import busy
from hypotheses.engine_rows import fact_text
from hypotheses.engine_runs import cut, examples, steps, stream_of, told, without_order
from hypotheses.reading import TURBINES, read
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

PROMPT = HypothesesKnobs(max_delay=0, several_times=False, named_times=False)
RICH = HypothesesKnobs(max_delay=0, several_times=False, max_layers=2, comparisons=True, metric=True, negation=True)


def check(case, seed):
    """Slice by slice, and several slices at once."""
    stream = stream_of(case)
    assume(stream._reasoner.in_order)
    in_order = [(told(step.answers), told(step.stream.open())) for step in steps(case, stream)]
    with without_order():
        other = stream_of(case)
        assert not other._reasoner.in_order
        assert in_order == [(told(step.answers), told(step.stream.open())) for step in steps(case, other)]
    parts = [*cut(case, Random(seed))]
    in_order = in_parts(case, parts)
    with without_order():
        assert in_order == in_parts(case, parts)


def in_parts(case, parts):
    stream = stream_of(case)
    return [(told(stream.advance(fact_text(facts), to)), told(stream.open())) for facts, to in parts]


@examples(14)
@given(hypotheses_cases(PROMPT), st.integers(0, 1_000_000))
def test_both_paths_say_the_same(case, seed):
    check(case, seed)


@examples(12)
@given(hypotheses_cases(RICH), st.integers(0, 1_000_000))
def test_both_paths_say_the_same_of_richer_programs(case, seed):
    check(case, seed)


@pytest.mark.parametrize("name", BUSY)
def test_both_paths_say_the_same_where_many_facts_come(name):
    for seed in range(2):
        check(busy(BUSY[name], seed), seed)


def test_only_connected_queries_without_delays_are_worked_in_by_time():
    assert in_order(TURBINES, "Malf")
    assert not in_order(TURBINES + "delay Temp = 1.", "Malf")
    assert not in_order(TURBINES + 'delay Temp("wt4", _) = 1.', "Malf")
    assert not in_order(TURBINES + "Defective(X) at 0 :- Temp(X, high) at T, Temp(X, low) at S.", "Defective")


def test_facts_of_one_time_point_meet_though_they_come_apart():
    stream = HypothesisStream(read("timeline integer. P(X) at T :- A(X) at T, B(X) at T, A(X) at T + 1."), "P")
    assert stream._reasoner.in_order
    stream.advance("A(a)@3", to=1)
    stream.advance("A(a)@4", to=2)
    answers = stream.advance("B(a)@3").table().to_pylist()
    assert [(row["status"], row["time"]) for row in answers if row["status"] == "confirmed"] == [("confirmed", 3)]


def in_order(text, query):
    return HypothesisStream(read(text), query)._reasoner.in_order
