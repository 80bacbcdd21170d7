"""A stream that is stopped and goes on from a snapshot says what it would have said."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypotheses.busy_streams import BUSY, busy
from hypotheses.engine_rows import fact_text
from hypotheses.engine_runs import cut, examples, stream_of, told
from hypotheses.reading import TURBINES, read
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.testing.hypotheses import slices
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

PLAIN = HypothesesKnobs(max_facts=8)
EVERYTHING = HypothesesKnobs(max_facts=8, negation=True, comparisons=True, metric=True, max_layers=2)
NEGATED = HypothesesKnobs(max_facts=8, negation=True)
PROMPT = HypothesesKnobs(max_delay=0, several_times=False, named_times=False)
SEEDS = st.integers(0, 1_000_000)


def check(case, seed, **options):
    random = Random(seed)
    driven_by_data = random.random() < 0.3
    parts = [*cut(case, random)] if random.random() < 0.5 else by_slices(case)
    stream, stopped = stream_of(case, **options), stream_of(case, **options)
    for facts, to in [*parts, (frozenset(), 1000)]:
        to = None if driven_by_data and to != 1000 else to
        if random.random() < 0.6:
            stopped = restarted(stopped, case, options)
        assert told(stream.advance(fact_text(facts), to)) == told(stopped.advance(fact_text(facts), to))
        assert told(stream.open()) == told(stopped.open())
        assert numbers(stream) == numbers(stopped)


def by_slices(case):
    first = case.times.start
    return [(facts, first + index) for index, facts in enumerate(slices(case.arrivals, first=first))]


def restarted(stream, case, options):
    fresh = stream_of(case, **options)
    fresh.restore(stream.snapshot())
    return fresh


def numbers(stream):
    return stream.closed, stream.open_count, stream.late_count, stream.dropped_count


@examples(8)
@given(hypotheses_cases(PLAIN), SEEDS)
def test_snapshots_change_nothing(case, seed):
    check(case, seed)


@examples(8)
@given(hypotheses_cases(EVERYTHING), SEEDS)
def test_snapshots_change_nothing_in_richer_programs(case, seed):
    check(case, seed)


@examples(8)
@given(hypotheses_cases(PROMPT), SEEDS)
def test_snapshots_change_nothing_where_facts_are_worked_in_by_time(case, seed):
    check(case, seed)


@examples(8)
@given(hypotheses_cases(PLAIN), SEEDS)
def test_snapshots_change_nothing_where_answers_are_given_up(case, seed):
    check(case, seed, max_open=2)


@pytest.mark.parametrize("name", BUSY)
def test_snapshots_change_nothing_where_many_facts_come(name):
    check(busy(BUSY[name], 1), 1)
    check(busy(BUSY[name], 2), 2, max_open=2)


def test_late_facts_and_the_newest_time_are_known_after_a_restart():
    program = read(TURBINES + "delay Temp = 1.")
    stream = HypothesisStream(program, "Malf")
    stream.advance("Temp(a, high)@0\nTemp(a, high)@5")
    stream.advance("Temp(a, high)@1")
    again = HypothesisStream(program, "Malf")
    again.restore(stream.snapshot())
    assert (again.late_count, again.closed) == (1, 4)
    assert again.advance("Temp(a, high)@3").late == ("Temp(a,high)@3",)
    assert not again.advance("Temp(a, high)@4").late


def test_more_atoms_than_bits_to_a_word_are_known_after_a_restart():
    program = read("timeline integer. delay A = 200. P :- boxminus[0,129] A.")
    stream = HypothesisStream(program, "P")
    times = [*range(130)]
    Random(1).shuffle(times)
    for parts in (times[:40], times[40:90], times[90:-1]):
        stream.advance("\n".join(f"A@{time}" for time in parts), to=129)
        again = HypothesisStream(program, "P")
        again.restore(stream.snapshot())
        stream = again
    confirmed = stream.advance(f"A@{times[-1]}", to=129).table().to_pylist()
    assert [(row["time"], len(row["evidence"])) for row in confirmed if row["status"] == "confirmed"] == [(129, 130)]


def test_answers_given_are_remembered_after_a_restart():
    program = read("timeline integer. delay A = 3. delay B = 3. P(X) at T :- A(X, Y) at T, B(Y) at T.")
    stream = HypothesisStream(program, "P")
    stream.advance("A(a, b)@0\nB(b)@0", to=0)
    again = HypothesisStream(program, "P")
    again.restore(stream.snapshot())
    answers = again.advance("A(a, c)@0\nB(c)@0", to=1).table().to_pylist()
    assert [(row["status"], row["arg1"]) for row in answers] == [("extended", None)]
