"""Generated traffic is like the hackathon's stream, and its short stops are those that the rules find."""

import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import thalweg
from thalweg.generators.traffic import HEADINGS, KINDS, PACES, PLACES, RULES, VEHICLES_OF_S1, Traffic

TIMES = 200
ABSENT = -1


@pytest.fixture(scope="module")
def real(shared_data):
    """S1: predicate, vehicle and time of each fact."""
    lines = (shared_data / "hackathon" / "S1.txt").read_text().splitlines()
    found = (re.fullmatch(r"(\w+)\(veh(\d+)\)@\[(\d+),\d+\]", line) for line in lines if line)
    return [(match[1], int(match[2]), int(match[3])) for match in found]


@pytest.fixture(scope="module")
def ours():
    return facts_of(Traffic(VEHICLES_OF_S1, TIMES, seed=11))


def facts_of(traffic):
    return [
        (predicate, int(vehicle.removeprefix("veh")), time)
        for part in traffic.slices()
        for predicate, table in part.tables.items()
        for vehicle, time in zip(table["vehicle"].to_pylist(), table["time"].to_pylist(), strict=True)
    ]


def by_time(facts):
    return np.bincount([time for _, _, time in facts], minlength=TIMES + 1)[1:]


def shares(facts):
    counts = Counter(predicate for predicate, _, _ in facts)
    return {predicate: count / len(facts) for predicate, count in counts.items()}


def stop_lengths(facts):
    """How many stops have one time point, two, and so on, as shares."""
    place = np.full((VEHICLES_OF_S1, TIMES + 2), ABSENT)
    for predicate, vehicle, time in facts:
        if predicate in PLACES:
            place[vehicle, time] = PLACES.index(predicate)
    edges = np.diff((place == 0).astype(int), axis=1)
    lengths = np.nonzero(edges == -1)[1] - np.nonzero(edges == 1)[1]
    return np.bincount(lengths, minlength=6)[1:6] / len(lengths)


def test_there_are_as_many_facts_as_in_the_hackathon_stream(real, ours):
    assert len(ours) == pytest.approx(len(real), rel=0.02)


def test_facts_at_a_time_point_rise_and_fall_as_there(real, ours):
    theirs, mine = by_time(real), by_time(ours)
    assert np.abs(mine / theirs - 1).mean() < 0.1
    assert np.corrcoef(theirs, mine)[0, 1] > 0.98


def test_predicates_have_the_shares_that_they_have_there(real, ours):
    theirs, mine = shares(real), shares(ours)
    assert mine.keys() == theirs.keys()
    assert all(mine[predicate] == pytest.approx(theirs[predicate], abs=0.01) for predicate in theirs)


def test_stops_last_as_long_as_there(real, ours):
    assert np.abs(stop_lengths(ours) - stop_lengths(real)).max() < 0.04


def test_short_stops_are_as_many_as_there(ours):
    found = sum(len(vehicles) for _, vehicles in Traffic(VEHICLES_OF_S1, TIMES, seed=11).short_stops())
    assert found == pytest.approx(1263, rel=0.06)


def test_the_rules_find_the_short_stops_found_by_hand():
    traffic = Traffic(40, 60, seed=3)
    reasoner = thalweg.StreamReasoner(thalweg.parse(traffic.declarations + RULES), "ShortStop", "data")
    total = 0
    for part, (time, vehicles) in zip(traffic.slices(), traffic.short_stops(), strict=True):
        answers = reasoner.advance(part.tables, part.now).table("ShortStop")
        assert part.now == time
        assert sorted(answers["vehicle"].to_pylist()) == sorted(traffic.vehicle_names(vehicles).to_pylist())
        total += len(vehicles)
    assert total > 100


def test_a_vehicle_that_does_not_report_in_between_has_made_no_short_stop():
    # time      1       2    3   4
    # reports   NotPos  Pos  –   NotPos
    traffic = Traffic(30, 80, seed=5)
    reported = {time: traffic.reports(time) for time in range(1, 81)}
    for time, vehicles in traffic.short_stops():
        for vehicle in vehicles.tolist():
            assert time == 1 or vehicle in reported[time - 1].vehicle


def test_each_report_has_a_place_a_heading_and_a_pace():
    part = next(Traffic(500, 1, seed=1).slices())
    tables = part.tables
    who = [sorted(name for each in kind for name in tables[each]["vehicle"].to_pylist()) for kind in KINDS]
    assert who[0] == who[1] == who[2]
    assert len(set(who[0])) == len(who[0])
    assert tables.keys() == {*PLACES, *HEADINGS, *PACES}


def test_the_number_of_facts_is_known_beforehand():
    traffic = Traffic(300, 50, seed=2)
    assert sum(map(len, traffic.slices())) == traffic.facts


def test_the_same_seed_gives_the_same_facts_and_another_gives_others():
    first, again, other = (facts_of(Traffic(20, 10, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_longer_stream_begins_as_a_shorter_one():
    short, long = facts_of(Traffic(20, 5, seed=1)), facts_of(Traffic(20, 9, seed=1))
    assert long[: len(short)] == short


def test_a_hundred_thousand_vehicles_can_be_drawn():
    traffic = Traffic(100_000, 1, seed=1)
    part = next(traffic.slices())
    assert part.now == Fraction(1)
    assert len(part) == traffic.facts == 3 * traffic.reporting(1) > 80_000
