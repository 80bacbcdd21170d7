"""Any order within the delay, any split into batches and tasks, rows repeated: the same answers.

Rows later than the delay: the answers are those of the rows that were in time, and each of the others is set aside.
"""

from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from reliability.arriving import Judge, begins, counted, cut, dealt, permuted, repeated
from shards.simulation import Simulation, rows
from shards.test_shards_equal_oracle import inside, pipeline_of
from thalweg.testing import assert_same_answers, naive_materialise
from thalweg.testing.strategies import (
    Knobs,
    LarsKnobs,
    LarsPlusKnobs,
    integer_cases,
    lars_cases,
    lars_plus_cases,
    rational_cases,
)
from thalweg.time.timeline import Timeline

WINDOWS = LarsKnobs(future=False, unbounded=False)
KINDS = {
    "DatalogMTL": st.one_of(rational_cases(), rational_cases(Knobs(future=False)), integer_cases()),
    "aggregates": rational_cases(Knobs(aggregates=True)),
    "windows": lars_cases(WINDOWS),
    "windows over tuples": lars_cases(LarsKnobs(future=False, unbounded=False, metric=False, at=False)),
    "existential rules": lars_plus_cases(LarsPlusKnobs(unbounded=False, per=True)),
}
SHARDS = st.integers(1, 4)
CHANCE = st.integers(0, 1 << 32).map(Random)
MEMORY = st.sampled_from(["stays", "lost", "turns"])
DELAYS = (0, 0, 1, Fraction(5, 2), 4, 100)


@pytest.mark.parametrize("kind", KINDS)
def test_any_order_within_the_delay_any_split_and_repeated_rows_give_the_same_answers(kind):
    @settings(max_examples=amount(4))
    @given(KINDS[kind], SHARDS, CHANCE, MEMORY)
    def compare(case, shards, random, memory):
        compare_arrival(case, shards, random, memory)

    compare()


@pytest.mark.parametrize("kind", KINDS)
def test_later_rows_are_set_aside_one_by_one_and_change_nothing(kind):
    @settings(max_examples=amount(4))
    @given(KINDS[kind], SHARDS, CHANCE, MEMORY)
    def compare(case, shards, random, memory):
        compare_late(case, shards, random, memory)

    compare()


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_many_arrivals_give_the_same_answers(kind):
    @settings(max_examples=500)
    @given(KINDS[kind], SHARDS, CHANCE, MEMORY, st.booleans())
    def compare(case, shards, random, memory, with_late):
        (compare_late if with_late else compare_arrival)(case, shards, random, memory)

    compare()


def compare_arrival(case, shards, random, memory):
    """Draw an order that the delay allows; nothing is late, and the answers are those of all facts at once."""
    simulation, delay = a_stream(case, shards, random, memory)

    def start(fact):
        return begins(fact, case.program.timeline)

    sent = repeated(case.facts, random)
    for batch in cut(permuted(sent, start, lambda fact: start(fact) + delay, random), random):
        simulation.batch(*dealt(batch, random))
    simulation.batch(final=True)
    told = [outcome.progress for outcome in simulation.outcomes]
    assert sum(each.late for each in told) == 0
    assert sum(each.rows for each in told) == len(sent)
    compare_answers(simulation, case, case.facts)


def compare_late(case, shards, random, memory):
    """Draw any order at all; what is late is found by the definition."""
    simulation, delay = a_stream(case, shards, random, memory)
    sent = repeated(case.facts, random)
    random.shuffle(sent)
    judge, timely, late = Judge(delay), [], []
    for batch in cut(sent, random):
        in_time, others = judge.in_time(batch, lambda fact: begins(fact, case.program.timeline))
        outcomes = simulation.batch(*dealt(batch, random))
        assert sum(outcome.progress.late for outcome in outcomes) == len(others)
        timely, late = timely + in_time, late + others
    simulation.batch(final=True)
    assert set_aside(simulation) == counted(late, key_of(case))
    assert sum(outcome.progress.rows for outcome in simulation.outcomes) == len(timely) + len(late)
    compare_answers(simulation, case, timely)


def a_stream(case, shards, random, memory):
    delay = Fraction(random.choice(DELAYS))
    return Simulation(pipeline_of(case, shards, streaming=True, delay=delay, end=case.end + 10), memory), delay


def compare_answers(simulation, case, facts):
    expected = naive_materialise(case.program, facts, case.start, case.end)
    assert_same_answers(inside(simulation.answers(), case), expected, case.program.timeline)


def set_aside(simulation):
    """The rows that were set aside, as often as they were."""
    program = simulation.pipeline.program
    return Counter(row for outcome in simulation.outcomes for packet in outcome.late for row in rows(program, packet))


def key_of(case):
    """A fact as it is read back: on the integer timeline with closed ends."""
    is_integer = case.program.timeline is Timeline.INTEGER

    def key(fact):
        values = tuple(term.value for term in fact.atom.arguments)
        return (fact.atom.predicate, values), fact.interval.to_integers() if is_integer else fact.interval

    return key
