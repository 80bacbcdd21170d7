"""In which order facts come, and how the stream is cut, makes no difference to what is true in the end."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypotheses.busy_streams import BUSY, busy
from hypotheses.engine_rows import fact_text
from hypotheses.engine_runs import Told, cut, examples, rearranged, stream_of, told
from hypotheses.reading import TURBINES, read
from hypotheses.streams import query_of
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.testing.hypotheses import arrival_times, slices
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

PLAIN = HypothesesKnobs(max_facts=8)
EVERYTHING = HypothesesKnobs(max_facts=8, max_layers=2, negation=True, comparisons=True, metric=True)
FAR = 1000
SEEDS = st.integers(0, 1_000_000)


def check_order(case, seed):
    """Other arrivals of the same facts, cut anyhow, and driven by the facts alone: the same answers in the end."""
    random = Random(seed)
    data = frozenset(each.atom for each in case.arrivals)
    wanted = query_of(case).answers(data)
    runs = [
        by_slices(case),
        by_parts(case, random),
        by_parts(rearranged(case, random), random),
        by_facts(case, random, one_by_one=True),
        by_facts(case, random, one_by_one=False),
        by_facts(rearranged(case, random), random, one_by_one=False),
    ]
    for found in runs:
        assert found.confirmed == wanted
        assert not found.refuted & wanted
    for one in runs:
        for other in runs:  # what one stream refutes, others refute as well, if they have heard of it
            assert one.refuted & other.met <= other.refuted | stays_open(other)


def stays_open(found):
    """The answers of which the end is not known."""
    return found.opened - found.confirmed - found.refuted


def by_slices(case):
    first = case.times.start
    return ended(case, [(facts, first + index) for index, facts in enumerate(slices(case.arrivals, first=first))])


def by_parts(case, random):
    return ended(case, [*cut(case, random)])


def by_facts(case, random, one_by_one):
    """Facts in the order in which they arrive; the newest moves the present."""
    arrivals = sorted(case.arrivals, key=lambda each: (each.arrives, random.random()))
    parts: list[set] = [set()]
    for arrival in arrivals:
        if one_by_one or random.random() < 0.4:
            parts.append(set())
        parts[-1].add(arrival.atom)
    return ended(case, [(frozenset(part), None) for part in parts])


def ended(case, parts):
    stream = stream_of(case)
    answers = [stream.advance(fact_text(facts), to) for facts, to in parts]
    answers.append(stream.advance(" ", FAR))
    assert stream.late_count == 0
    return Told.of(answers)


def check_repeated(case, seed):
    """Facts that come twice, in time, change nothing."""
    random = Random(seed)
    first = case.times.start
    once, twice = (stream_of(case) for _ in range(2))
    seen = set()
    for closed, facts in enumerate([*slices(case.arrivals, first=first), *([frozenset()] * 4)], first):
        again = {atom for atom in seen if closed in arrival_times(case.program, atom) and random.random() < 0.7}
        seen |= facts
        parts = [fact_text(facts | again), fact_text(facts | again)]
        assert told(once.advance(fact_text(facts), closed)) == told(twice.advance("\n".join(parts), closed))
        assert told(once.open()) == told(twice.open())
    assert twice.late_count == 0


def check_late(case, seed):
    """Facts that come late are named and counted, and change nothing."""
    random = Random(seed)
    first = case.times.start
    without, late = (stream_of(case) for _ in range(2))
    inputs = {*without.unfolding.inputs()}
    universe = sorted((atom for atom in query_of(case).universe if atom.predicate in inputs), key=str)
    count = 0
    for closed, facts in enumerate([*slices(case.arrivals, first=first), *([frozenset()] * 4)], first):
        over = [atom for atom in universe if closed not in arrival_times(case.program, atom) and atom.time < closed]
        spoilt = frozenset(random.sample(over, min(3, len(over))))
        answers = late.advance(fact_text(facts | spoilt), closed)
        if closed == first:
            assert not spoilt
        assert told(without.advance(fact_text(facts), closed)) == told(answers)
        assert frozenset(answers.late) == frozenset(fact_text(frozenset([each])) for each in spoilt)
        count += len(spoilt)
        assert late.late_count == count
        assert told(without.open()) == told(late.open())


@examples(8)
@given(hypotheses_cases(PLAIN), SEEDS)
def test_the_order_of_arrival_changes_no_answer(case, seed):
    check_order(case, seed)


@examples(8)
@given(hypotheses_cases(EVERYTHING), SEEDS)
def test_the_order_of_arrival_changes_no_answer_of_richer_programs(case, seed):
    check_order(case, seed)


@examples(8)
@given(hypotheses_cases(EVERYTHING), SEEDS)
def test_facts_that_come_twice_change_nothing(case, seed):
    check_repeated(case, seed)


@examples(8)
@given(hypotheses_cases(EVERYTHING), SEEDS)
def test_late_facts_are_named_and_counted_and_change_nothing(case, seed):
    check_late(case, seed)


@pytest.mark.parametrize("name", BUSY)
def test_streams_with_many_facts(name):
    check_order(busy(BUSY[name], 1), 1)
    check_repeated(busy(BUSY[name], 2), 2)
    check_late(busy(BUSY[name], 3), 3)


def test_the_present_is_the_newest_time_seen_and_not_over():
    stream = HypothesisStream(read(TURBINES + "delay Temp = 1."), "Malf")
    assert stream.closed is None
    stream.advance("Temp(a, high)@3")
    assert stream.closed == 2
    assert not stream.advance("Temp(a, high)@2\nTemp(b, high)@3").late
    assert stream.advance("Temp(a, high)@1\nTemp(b, high)@3").late == ("Temp(a,high)@1",)


def test_a_batch_is_judged_by_what_was_over_before_it():
    stream = HypothesisStream(read(TURBINES), "Malf")
    assert not stream.advance("Temp(a, high)@9\nTemp(a, high)@0\nTemp(a, high)@1\nTemp(a, high)@2").late
    assert stream.advance("Temp(a, high)@8").late
    assert stream.late_count == 1


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_a_fact_is_in_time_until_its_delay_is_over(delay):
    for over, late in ((4 + delay - 1, 0), (4 + delay, 1)):
        stream = HypothesisStream(read(f"timeline integer. delay A = {delay}. P at T :- A at T."), "P")
        stream.advance(" ", to=over)
        assert len(stream.advance("A@4", to=over).late) == late


def test_an_answer_is_refuted_only_when_no_way_to_it_is_left():
    """q(a)@0 loses its row at 1, and may come by the other rule until 4."""
    stream = HypothesisStream(read(TWO_WAYS), "q")
    assert statuses(stream, "p(a)@0", 0) == ["opened"]
    assert [statuses(stream, " ", closed) for closed in (1, 2, 3)] == [[], [], []]
    assert statuses(stream, " ", 4) == ["refuted"]


def test_an_answer_that_lost_its_rows_may_be_extended_and_confirmed():
    stream = HypothesisStream(read(TWO_WAYS), "q")
    assert statuses(stream, "p(a)@0", 0) == ["opened"]
    assert statuses(stream, " ", 1) == []
    assert statuses(stream, "r(a)@1", 3) == ["extended"]
    assert statuses(stream, " ", 4) == ["confirmed"]


def test_an_answer_that_lost_its_rows_is_refuted_though_its_last_way_is_contradicted():
    stream = HypothesisStream(read(TWO_WAYS), "q")
    assert statuses(stream, "p(a)@0", 0) == ["opened"]
    assert statuses(stream, " ", 1) + statuses(stream, "s(a)@1", 2) == []
    assert statuses(stream, "r(a)@1", 3) + statuses(stream, " ", 4) == ["refuted"]


TWO_WAYS = """
timeline integer. delay r = 3. delay s = 3.
q(X) at T :- p(X) at T, p(X) at T + 1.
q(X) at T :- r(X) at T + 1, not s(X) at T + 1.
"""


def statuses(stream, facts, to):
    return stream.advance(facts, to).table()["status"].to_pylist()
