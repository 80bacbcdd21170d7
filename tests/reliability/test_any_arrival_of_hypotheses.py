"""Hypothetical answers whatever the order, the batches and the repetitions: the same are confirmed, none stays open.

What comes after its delay is set aside, each time it comes; then what is confirmed is what follows from the rest.
"""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amount import amount
from hypotheses.engine_rows import fact_text
from hypotheses.engine_runs import Told, examples, stream_of
from reliability.arriving import cut, permuted, repeated
from thalweg.testing.hypotheses import answers, delay
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

CASES = hypotheses_cases(HypothesesKnobs(max_layers=2))
CHANCE = st.integers(0, 1 << 32).map(Random)


def last_present(case):
    """Until when the newest time may have come when a fact comes: its time plus its own δ."""
    return lambda atom: atom.time + delay(case.program, atom.predicate, atom.values)


def time_of(atom):
    return atom.time


def facts_of(case):
    """The facts of predicates that the query waits for; others play no part."""
    awaited = {*stream_of(case).unfolding.inputs()}
    return [arrival.atom for arrival in case.arrivals if arrival.atom.predicate in awaited]


@examples(amount(25))
@given(CASES, CHANCE)
def test_any_arrival_within_the_delays_confirms_the_same(case, random):
    compare_arrival(case, random)


@examples(amount(25))
@given(CASES, CHANCE)
def test_later_facts_are_set_aside_one_by_one(case, random):
    compare_late(case, random)


@pytest.mark.soak
@examples(2000)
@given(CASES, CHANCE, st.booleans())
def test_many_arrivals_confirm_the_same(case, random, with_late):
    (compare_late if with_late else compare_arrival)(case, random)


def compare_arrival(case, random):
    order = permuted(repeated(facts_of(case), random), time_of, last_present(case), random)
    told, late = run(case, cut(order, random))
    assert not late
    compare(case, told, facts_of(case))


def compare_late(case, random):
    order = repeated(facts_of(case), random)
    random.shuffle(order)
    batches, newest, timely, expected = cut(order, random), None, [], Counter()
    for batch in batches:
        for atom in batch:
            if newest is None or newest <= last_present(case)(atom):
                timely.append(atom)
            else:
                expected[fact_text(frozenset([atom]))] += 1
        newest = max([time_of(atom) for atom in batch] + ([] if newest is None else [newest]), default=None)
    told, late = run(case, batches)
    assert late == expected
    compare(case, told, timely)


def run(case, batches):
    """All that a stream says, and how often each fact was late."""
    stream, said, late = stream_of(case), [], Counter()
    for batch in batches:
        said.append(stream.advance("\n".join(fact_text(frozenset([atom])) for atom in batch) or " "))
        late.update(said[-1].late)
    said.append(stream.finish())
    assert stream.open_count == 0
    assert stream.late_count == sum(late.values())
    return Told.of(said), late


def compare(case, told, facts):
    right = answers(case.program, case.query, frozenset(facts), case.constants, case.times)
    assert told.confirmed == right
    assert told.opened <= told.confirmed | told.refuted
    assert not told.confirmed & told.refuted
