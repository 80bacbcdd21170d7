"""Generated belts behave by their chances, and have the answers that were counted by hand."""

import numpy as np
import pytest

import thalweg
from thalweg.generators.belts import FIRST_HIGH, Belts, Chances


def test_the_chances_are_kept():
    belts = Belts(500, 100, Chances(0.3, 0.2, 0.0), seed=1)
    assert belts.is_slow.mean() == pytest.approx(0.3, abs=0.01)
    assert (belts.temperature >= FIRST_HIGH).mean() == pytest.approx(0.2, abs=0.01)


def test_every_belt_reports_at_every_time_point():
    belts = Belts(7, 5, seed=1)
    parts = list(belts.slices())
    assert [int(part.now) for part in parts] == [0, 1, 2, 3, 4]
    assert all(len(table) == 7 for part in parts for table in part.tables.values())
    assert sum(map(len, parts)) == belts.facts
    assert parts[3].tables["bTmp"]["Y"].to_pylist() == belts.temperature[3].tolist()


def test_the_rules_derive_what_was_counted_by_hand():
    belts = Belts(12, 20, Chances(0.3, 0.5, 0.7), seed=3)
    program = thalweg.parse(belts.declarations + belts.rules)
    reasoner = thalweg.StreamReasoner(program, program.derived_predicates)
    for part in belts.slices():
        answers = reasoner.advance(part.tables, part.now)
        if part.now:
            assert {name: answers.count(name) for name in reasoner.queries} == belts.expected(int(part.now))


def test_the_same_seed_gives_the_same_facts_and_another_gives_others():
    first, again, other = (Belts(20, 10, seed=seed).temperature for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
