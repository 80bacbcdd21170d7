"""The comparison of shards with the oracle can fail: each of these bugs must make it do so."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

import thalweg
from differential.planting import planted, some
from shards.simulation import Simulation, rows
from shards.test_shards_equal_oracle import arrivals, cases, inside
from thalweg.analysis.sharding import plan_shards
from thalweg.engine import pipeline as pipelines
from thalweg.engine import routing, shard, shard_log, window
from thalweg.engine.pipeline import make_pipeline
from thalweg.errors import ProgramError
from thalweg.testing import assert_same_answers, naive_materialise
from thalweg.testing.strategies import Case

BUGS = {
    "routing: keys are ignored": (pipelines.Pipeline._spread, "stage.keys.get(packet.predicate)", "0"),
    "routing: what has no key reaches one shard only": (routing.split, "if key is None or shards == 1:", "if False:"),
    "stages: what was derived does not go on": (
        shard.Shard._onward,
        "[*fed, *transit]",
        "[*transit]",
    ),
    "stages: input for later stages is lost": (shard.Shard._onward, "[*fed, *transit]", "[*fed]"),
    "stages: later ones do not wait for what looks ahead": (
        shard.Shard._stop,
        "before - self.stage.lag",
        "before",
    ),
    "copies: every shard reports what all of them derive": (
        pipelines.PipelineStage.own,
        "name not in self.copied or",
        "name in self.copied or",
    ),
    "frontier: the newest time itself is taken for complete": (
        shard.Shard._stop,
        "self._code(before - self.stage.lag) - 1",
        "self._code(before - self.stage.lag) + 1",
    ),
    "frontier: the delay is ignored": (shard.Shard._due, "self.newest - self.pipeline.delay", "self.newest"),
    "log: what goes on until now ends where it was": (
        shard_log._until,
        "until, relation.end)",
        "until - 1, relation.end)",
    ),
    "log: rows that are gone stay": (shard_log.ShardLog._apply, "if gone:", "if False and next(remaining, 0):"),
    "log: waiting facts are not kept": (window.SlidingWindow.held, 'f"P {name}"', 'f"X {name}"'),
}


_AHEAD = thalweg.parse(
    "Soon(X) :- diamondplus[0,3] P(X, Y). Both(Y) :- P(X, Y), Soon(X). Far(Y) :- diamondplus[0,2] Both(Y)."
    " P(a,b)@1. P(c,d)@3. P(a,b)@5. P(c,b)@6. P(a,d)@9."
)
AHEAD = Case(replace(_AHEAD, facts=()), _AHEAD.facts, Fraction(0), Fraction(12))
"""Two stages, the second of which must wait for what the first looks ahead to."""


@pytest.fixture(scope="module")
def prepared():
    """Cases with their answers, those with more than one stage or shard among them."""
    found = []
    for case in (AHEAD, *some(cases, 160)):
        sharding = plan_shards(case.program, case.program.predicates)
        expected = naive_materialise(case.program, case.facts, case.start, case.end)
        if expected and len(case.facts) > 3:
            found.append((case, sharding, expected))
    return found


def agrees(case, sharding, expected, seed):
    chooser = random.Random(seed)
    delay = chooser.choice((0, 1, 3))
    try:
        pipeline = make_pipeline(
            case.program, sharding, 3, streaming=True, delay=case.start * 0 + delay, end=case.end + 10
        )
    except ProgramError:
        return True
    simulation = Simulation(pipeline, ("stays", "lost", "turns")[seed % 3])
    for tasks in arrivals(case, delay, chooser):
        simulation.batch(*tasks)
    simulation.batch(final=True)
    assert_same_answers(inside(simulation.answers(), case), expected, case.program.timeline)
    assert_told_once(simulation)
    return True


def assert_told_once(simulation):
    """No fact leaves two shards, or the same shard twice."""
    told = set()
    for outcome in simulation.outcomes:
        for answers in outcome.answers:
            for (predicate, values), interval in rows(simulation.pipeline.program, answers.packet):
                assert (predicate, values, interval) not in told
                told.add((predicate, values, interval))


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug, prepared):
    function, right, wrong = BUGS[bug]
    with planted(function, right, wrong):
        for seed, (case, sharding, expected) in enumerate(prepared):
            try:
                agrees(case, sharding, expected, seed)
            except Exception:  # a crash is as good as a difference
                return
    pytest.fail(f"nobody noticed: {bug}")
