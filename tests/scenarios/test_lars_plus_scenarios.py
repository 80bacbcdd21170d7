"""The scenarios of the LARS+ paper that the benchmarks measure, small: their answers are right."""

from functools import partial

import clingo
import numpy as np
import pytest

import thalweg
from thalweg.bench.lars_plus.anew import chase
from thalweg.bench.lars_plus.belt_stream import belt_batches
from thalweg.bench.lars_plus.deep import Deep
from thalweg.bench.lars_plus.scenarios import Scenario
from thalweg.generators.belts import Belts, Chances

DEPENDENCIES = """\
v0(?X1,?X2) -> m1(?X1,?X2), m2(?X2,?X3) .
v1(?X1,?X2) -> m2(?X1,?X2) .
m1(?X1,?X2) -> m3(?X2,?X4), m3(?X4,?X1) .
m2(?X1,?X2) -> m3(?X2,?X1) .
m3(?X1,?X2) -> m4(?X1,?X5) .
m4(?X1,?X2) -> m5(?X2,?X2) .
"""


@pytest.fixture
def deep(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_DATA", str(tmp_path))
    tmp_path = tmp_path / "chasebench-deep-100"
    (tmp_path / "dependencies").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    (tmp_path / "dependencies" / "deep.t-tgds.txt").write_text(DEPENDENCIES)
    (tmp_path / "data" / "v0.csv").write_text('"X1","X2"\n')
    (tmp_path / "data" / "v1.csv").write_text('"X9","X2"\n')
    return Deep.read()


def test_no_belt_is_slow_or_hot_by_no_chance():
    belts = Belts(20, 30, Chances(0.0, 0.0, 0.0), seed=1)
    assert not belts.is_slow.any()
    assert belts.temperature.min() >= 1
    assert belts.temperature.max() <= 7


def test_a_high_temperature_that_lasts_stays_for_four_time_points():
    belts = Belts(50, 40, Chances(0.0, 0.1, 1.0), seed=2)
    hot = np.pad(belts.temperature >= 8, ((1, 1), (0, 0)))
    begins, ends = (np.argwhere(np.diff(hot.astype(int).T) == change)[:, 1] for change in (1, -1))
    assert len(begins) > 20
    assert ((ends - begins >= 4) | (ends == 40)).all()


@pytest.mark.parametrize("times_longer", [1, 2])
def test_belts_have_the_answers_counted_by_hand(times_longer):
    belts = Belts(12, 20, Chances(0.3, 0.5, 0.7), seed=3, times_longer=times_longer)
    program = thalweg.parse(belts.declarations + belts.rules)
    reasoner = thalweg.StreamReasoner(program, program.derived_predicates)
    for time in range(20):
        answers = reasoner.advance(belt_batches(belts, time, time), time)
        if time:
            assert {name: answers.count(name) for name in reasoner.queries} == belts.expected(time)


def test_belts_chased_anew_have_the_same_answers():
    belts = Belts(12, 20, Chances(0.5, 0.7, 1.0), seed=4)
    scenario = Scenario(belts.declarations + belts.rules, partial(belt_batches, belts), window=6, reach=6)
    assert newest(scenario, going_on(scenario, 15), 15) == chase(scenario, 9, 15).derived.facts_at(15)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_deep_rules_chased_as_far_back_as_they_reach_have_the_same_answers(deep, n):
    reach = n * deep.longest_chain
    scenario = Scenario(deep.rules(n, seed=5), deep.batches, window=6, reach=reach)
    last = reach + 3
    expected = newest(scenario, going_on(scenario, last), last)
    assert expected
    assert chase(scenario, last - reach, last).derived.facts_at(last) == expected


def test_half_of_the_deep_rules_ask_for_all_time_points_and_half_for_some(deep):
    rules = deep.rules(n=3, seed=6)
    assert rules.count("window[last 3] all") == rules.count("window[last 3] some") == 3
    assert deep.longest_chain == 4


def test_clingo_derives_as_many_facts(deep):
    control, atoms = clingo.Control(), []
    control.add("base", [], deep.clingo_rules())
    control.ground([("base", [])])
    control.solve(on_model=lambda model: atoms.append(len(model.symbols(atoms=True))))
    model = thalweg.materialise(thalweg.parse(deep.rules()), deep.batches(0, 0), end=0)
    assert atoms == [sum(map(model.count, model.predicates))]


def going_on(scenario, last):
    reasoner = thalweg.StreamReasoner(scenario.program, scenario.queries)
    for time in range(last + 1):
        answers = reasoner.advance(scenario.facts(time, time), time)
    return answers


def newest(scenario, answers, time):
    assert all(interval.start == interval.end == time for held in answers.facts().values() for interval in held)
    return {*answers.facts()}
