"""How often rules divided by zero is counted once, in one process and on any number of shards, batch or stream."""

from fractions import Fraction

import pytest

import thalweg
from shards.simulation import Simulation
from thalweg.analysis.sharding import plan_shards
from thalweg.engine.divisions import added_up
from thalweg.engine.pipeline import make_pipeline
from thalweg.engine.stream import StreamReasoner

PROGRAM = """
background Scale(y).
input Speed(v, x).
Split(V, Z)  :- Speed(V, X), Scale(Y), Z = X / Y.
Alike(Y)     :- Scale(X), Scale(Y), X / Y > 0.
"""
FACTS = "Speed(a,1)@1\nSpeed(b,2)@[2,6]\nSpeed(c,3)@4\nScale(0)\nScale(2)"
EXPECTED = {1: 3, 2: 2}


@pytest.fixture(scope="module")
def program():
    return thalweg.parse(PROGRAM)


def test_in_a_batch(program):
    assert thalweg.materialise(program, FACTS).divisions_by_zero == EXPECTED


@pytest.mark.parametrize("stops", [(9,), (1, 2, 3, 4, 9), (3, 9)])
def test_on_a_stream_each_binding_counts_once_however_long_it_holds(program, stops):
    reasoner = StreamReasoner(program, ("Split", "Alike"))
    given = FACTS
    for stop in stops:
        reasoner.advance(given, Fraction(stop))
        given = ""
    assert reasoner.divisions_by_zero == EXPECTED


def test_no_division_is_no_news():
    model = thalweg.materialise(thalweg.parse("R(Z) :- P(X, Y), Z = X / Y."), "P(4,2)@1")
    assert model.divisions_by_zero == {}


@pytest.mark.parametrize("shards", [1, 2, 3])
def test_on_shards(program, shards):
    pipeline = make_pipeline(program, plan_shards(program, ("Split", "Alike")), shards, streaming=True, end=Fraction(9))
    simulation = Simulation(pipeline)
    facts = [fact for line in FACTS.splitlines() for fact in thalweg.parse(f"{line}.").facts]
    simulation.background([fact for fact in facts if fact.atom.predicate == "Scale"])
    outcomes = simulation.batch([fact for fact in facts if fact.atom.predicate == "Speed"])
    outcomes += simulation.batch(final=True)
    assert added_up(outcome.progress.divisions for outcome in outcomes) == EXPECTED
