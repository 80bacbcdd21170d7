"""Generated trams keep to the plan, but for jams."""

from itertools import pairwise

import numpy as np

import thalweg
from thalweg.generators.trams import JAM_LENGTH, MOST_LATE, RULES, Trams


def test_a_tram_takes_as_long_as_the_plan_says_and_the_minutes_it_is_late():
    trams = Trams(15, 200, seed=1)
    line = {row["id"]: row["line"] for row in trams.background["line"].to_pylist()}
    plan = {(row["line"], row["from"]): (row["to"], row["minutes"]) for row in trams.background["plan"].to_pylist()}
    found = trams.arrivals
    for tram in range(15):
        own = found.tram == tram
        rows = list(zip(found.time[own].tolist(), found.stop[own].tolist(), found.late[own].tolist(), strict=True))
        for (left, stop, _), (time, following, late) in pairwise(rows):
            to, minutes = plan[line[f"a{tram}"], f"p{stop}"]
            assert (f"p{following}", time) == (to, left + minutes + late)


def test_only_jams_make_trams_late():
    trams = Trams(100, 300, seed=2)
    found = trams.arrivals
    assert found.late.min() == 0
    assert 0 < found.late.max() <= MOST_LATE
    late = found.late > 0
    assert trams.jams[found.time[late] - found.late[late], found.stop[late]].all()


def test_a_jam_lasts_for_ten_minutes_or_longer():
    jams = Trams(50, 300, seed=3).jams
    edges = np.diff(np.pad(jams, ((1, 1), (0, 0))).astype(int).T)
    begins, ends = (np.argwhere(edges == change)[:, 1] for change in (1, -1))
    assert len(begins) > 10
    assert ((ends - begins >= JAM_LENGTH) | (ends == 300)).all()


def test_the_rules_find_which_trams_are_late_and_by_how_much():
    trams = Trams(25, 90, seed=4)
    program = thalweg.parse(trams.declarations + RULES)
    reasoner = thalweg.StreamReasoner(program, ("late", "held", "gc", "rel"))
    found, held = set(), 0
    for part in trams.slices():
        answers = reasoner.advance(part.tables, part.now)
        rows = answers.table("late").to_pylist()
        found |= {(row["id"], row["stop"], int(row["minutes"]), int(row["start"])) for row in rows}
        held += answers.count("held")
    there = trams.arrivals
    late = there.late > 0
    columns = (there.tram[late], there.stop[late], there.late[late], there.time[late])
    assert found == {
        (f"a{tram}", f"p{stop}", m, t) for tram, stop, m, t in zip(*map(np.ndarray.tolist, columns), strict=True)
    }
    assert len(found) == held > 10


def test_a_slice_has_what_happens_in_a_minute():
    parts = list(Trams(40, 60, seed=5).slices())
    assert [int(part.now) for part in parts] == [*range(60)]
    assert all({*table["time"].to_pylist()} <= {part.now} for part in parts for table in part.tables.values())


def test_the_same_seed_gives_the_same_trams_and_another_gives_others():
    first, again, other = (Trams(20, 60, seed=seed) for seed in (1, 1, 2))
    assert first.declarations == again.declarations != other.declarations
    assert np.array_equal(first.arrivals.stop, again.arrivals.stop)
