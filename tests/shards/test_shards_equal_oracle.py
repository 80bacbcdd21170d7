"""Shards, stages, batches and order make no difference: the answers are those of the oracle."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from amount import amount
from shards.simulation import Simulation, batch_answers
from stream.streaming import REFUSALS
from thalweg.analysis.sharding import plan_shards
from thalweg.engine.pipeline import make_pipeline
from thalweg.errors import ProgramError
from thalweg.testing import assert_same_answers, naive_materialise
from thalweg.testing.strategies import Knobs, integer_cases, rational_cases
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet
from thalweg.time.ticks import POSITIVE_INFINITY
from thalweg.time.timeline import Timeline

cases = st.one_of(rational_cases(), rational_cases(Knobs(future=False)), integer_cases())


def pipeline_of(case, shards, **options):
    try:
        return make_pipeline(case.program, plan_shards(case.program, case.program.predicates), shards, **options)
    except ProgramError as error:
        assume(not all(diagnostic.code in REFUSALS for diagnostic in error.diagnostics))
        raise


def inside(answers, case):
    window = IntervalSet((Interval(case.start, case.end),), case.program.timeline)
    cut = {key: IntervalSet(held, case.program.timeline).intersection(window) for key, held in answers.items()}
    return {key: held.intervals for key, held in cut.items() if held}


@settings(max_examples=amount(60))
@given(cases, st.integers(1, 4))
def test_a_batch_equals_the_oracle(case, shards):
    pipeline = pipeline_of(case, shards, streaming=False, start=case.start, end=case.end)
    expected = naive_materialise(case.program, case.facts, case.start, case.end)
    assert_same_answers(batch_answers(pipeline, case.facts), expected, case.program.timeline)


def streams(examples):
    """Any case, any number of shards, any arrival within a delay, and a process that forgets or does not."""
    memory = st.sampled_from(["stays", "lost", "turns"])

    def decorate(test):
        return settings(max_examples=examples)(
            given(cases, st.integers(1, 4), st.randoms(use_true_random=False), memory)(test)
        )

    return decorate


@streams(amount(50))
def test_a_stream_equals_the_oracle(case, shards, random, memory):
    compare_stream(case, shards, random, memory)


@pytest.mark.soak
@streams(5000)
def test_many_streams_equal_the_oracle(case, shards, random, memory):
    compare_stream(case, shards, random, memory)


def compare_stream(case, shards, random, memory):
    delay = Fraction(random.choice((0, 1, 3)))
    pipeline = pipeline_of(case, shards, streaming=True, delay=delay, end=case.end + 10)
    simulation = Simulation(pipeline, memory)
    late = 0
    for tasks in arrivals(case, delay, random):
        late += sum(outcome.progress.late for outcome in simulation.batch(*tasks))
    simulation.batch(final=True)
    assert late == 0
    expected = naive_materialise(case.program, case.facts, case.start, case.end)
    assert_same_answers(inside(simulation.answers(), case), expected, case.program.timeline)


@settings(max_examples=amount(30))
@given(cases, st.integers(1, 3), st.randoms(use_true_random=False), st.sampled_from(["stays", "lost", "turns"]))
def test_changes_tell_the_same_as_intervals(case, shards, random, memory):
    pipeline = pipeline_of(case, shards, streaming=True, end=case.end + 10, changes=True)
    simulation = Simulation(pipeline, memory)
    for tasks in arrivals(case, Fraction(0), random):
        simulation.batch(*tasks)
    simulation.batch(final=True)
    expected = naive_materialise(case.program, case.facts, case.start, case.end)
    assert_same_answers(inside(put_together(simulation), case), expected, case.program.timeline)


def put_together(simulation):
    """The intervals between beginnings and ends, which must take turns."""
    told = {}
    timeline = simulation.pipeline.program.timeline
    for outcome in simulation.outcomes:
        for answers in outcome.answers:
            packet = answers.packet
            columns = [column.texts().to_pylist() for column in packet.columns]
            for row, code in enumerate(packet.start.tolist()):
                key = packet.predicate, tuple(_value(column[row]) for column in columns)
                told.setdefault(key, []).append(
                    (_position(code, packet.tick, answers.change, timeline), answers.change)
                )
    return {key: tuple(_intervals(sorted(events, key=_order))) for key, events in told.items()}


def _value(text):
    return Fraction(text) if text.lstrip("-")[:1].isdigit() else text


def _position(code, tick, change, timeline):
    """A time, and whether the change is just before it (-1), at it (0) or just after it (1)."""
    if abs(code) == POSITIVE_INFINITY:
        return (math.inf if code > 0 else -math.inf), 0
    if timeline is Timeline.INTEGER:
        return Fraction(code), 0
    side = 0 if code % 2 == 0 else 1 if change == "began" else -1
    return Fraction(code - side, 2) * tick, side


def _order(event):
    position, change = event
    return *position, change == "ended"


def _intervals(events):
    began = None
    for (time, side), change in events:
        assert (change == "began") == (began is None), events
        if change == "began":
            began = time, side == 0 and time != -math.inf
            continue
        yield Interval(began[0], time, began[1], side == 0)
        began = None
    if began is not None:
        yield Interval(began[0], math.inf, began[1], False)


def begins(fact, case):
    """The first time of a fact; among the integers an open start is the next one."""
    is_open = case.program.timeline is Timeline.INTEGER and not fact.interval.start_closed
    return fact.interval.start + (1 if is_open else 0)


def arrivals(case, delay, random):
    """The facts in an order that the delay allows, cut into batches, each read by one to three tasks."""
    shuffled = sorted(case.facts, key=lambda fact: begins(fact, case) + Fraction(random.randint(0, 4), 4) * delay)
    batches = []
    while shuffled:
        size = random.randint(1, max(1, len(shuffled) // 2))
        batch, shuffled = shuffled[:size], shuffled[size:]
        random.shuffle(batch)
        tasks = [[] for _ in range(random.randint(1, 3))]
        for fact in batch:
            random.choice(tasks).append(fact)
        batches.append(tasks)
    return batches
