"""The traffic figures of the journal paper, on small streams: right answers, and figures that say what happened."""

from fractions import Fraction

import numpy as np
import pytest

import thalweg
from thalweg.bench.journal import traffic
from thalweg.bench.journal.traffic_steps import Steps, follow
from thalweg.bench.journal.traffic_streams import GeneratedTraffic, TrafficFile
from thalweg.bench.result import DisagreementError
from thalweg.bench.workbench import Size, Workbench
from thalweg.generators.journal_programs import SHORT_STOPS
from thalweg.generators.traffic import Traffic
from thalweg.generators.write import write_facts

PROGRAM = thalweg.parse(SHORT_STOPS)


def in_a_file(folder, facts):
    path = folder / "stops.facts"
    path.write_text("\n".join(facts) + "\n")
    return TrafficFile(path, "stops")


def test_a_file_has_the_steps_of_the_stream_that_was_written_to_it(tmp_path):
    drawn = Traffic(12, 25, seed=3)
    write_facts(drawn, tmp_path / "x.facts")
    generated = follow(GeneratedTraffic(drawn, "generated"), PROGRAM, 1)
    read = follow(TrafficFile(tmp_path / "x.facts", "read"), PROGRAM, 2)
    assert read.facts == generated.facts == [len(part) for part in drawn.slices()]
    assert read.stored == generated.stored
    assert read.answers == generated.answers > 10
    assert (read.wrong, generated.wrong) == (0, 0)
    assert np.array(read.seconds).shape == (2, 25)


def test_short_stops_in_a_file_are_found_by_hand(tmp_path):
    # a  moves 1, stands 2–3, moves 4: a short stop at 4.      b  stands for five: too long.
    # c  is not on the map before and after: counts as moving. d  stands from the start on: nobody knows since when.
    # e  does not report at 3.
    stops = in_a_file(
        tmp_path,
        [
            *("NotPos(a)@1", "Pos(a)@2", "Pos(a)@3", "NotPos(a)@4"),
            *("NotPos(b)@1", *(f"Pos(b)@{time}" for time in range(2, 7)), "NotPos(b)@7"),
            *("NotOnMap(c)@5", "Pos(c)@6", "NotOnMap(c)@7"),
            *("Pos(d)@1", "NotPos(d)@2"),
            *("NotPos(e)@1", "Pos(e)@2", "NotPos(e)@4"),
        ],
    )
    assert stops.expected(PROGRAM) == {Fraction(4): {"a"}, Fraction(7): {"c"}}
    steps = follow(stops, PROGRAM, 1)
    assert (steps.answers, steps.wrong) == (2, 0)


def test_short_stops_over_intervals_are_not_looked_for_by_hand(tmp_path):
    stops = in_a_file(tmp_path, ["NotPos(a)@1", "Pos(a)@[2,3]", "NotPos(a)@4"])
    assert stops.expected(PROGRAM) is None
    assert follow(stops, PROGRAM, 1).wrong is None


def test_the_public_stream_has_the_known_answers(shared_data):
    steps = follow(TrafficFile(shared_data / "hackathon" / "S1.txt", "S1"), PROGRAM, 1)
    assert (steps.answers, steps.wrong) == (1263, 0)
    assert (sum(steps.facts), len(steps.times)) == (23_828, 200)


def test_evenness_is_what_is_stored_for_what_arrived_within_the_window():
    steps = Steps("x", span=2, times=[1, 2, 3, 4, 5], facts=[1, 2, 3, 4, 5], stored=[1, 3, 6, 9, 24])
    # After the first window: 4 (2 + 3 + 4 arrived), and 5 (3 + 4 + 5 arrived).
    assert steps.evenness.tolist() == [1.0, 2.0]


def test_own_streams_take_the_place_of_the_others(tmp_path):
    write_facts(Traffic(10, 20, seed=1), tmp_path / "mine.facts")
    result = traffic.run(Workbench(tmp_path, 7, Size.QUICK, (tmp_path / "mine.facts",)))
    assert [row[0] for row in result.table.rows] == ["mine.facts"]
    assert [figure.name for figure in result.figures] == ["facts", "stored", "time"]
    lines = {figure.name: figure.lines[0] for figure in result.figures}
    assert lines["facts"].y == tuple(len(part) for part in Traffic(10, 20, seed=1).slices())
    assert all(len(line.x) == len(line.y) == 20 for line in lines.values())
    assert result.kept


def test_streams_grow_with_the_size_of_the_run(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_DATA", str(tmp_path))
    names = [[each.name for each in traffic._streams(Workbench(tmp_path, 7, size))] for size in Size]
    assert names[0] == ["228 vehicles"]
    assert names[2] == ["228 vehicles", "1,000 vehicles", "10,000 vehicles", "100,000 vehicles"]
    assert Traffic(traffic.S2_VEHICLES, traffic.TIMES).facts == pytest.approx(80_124, rel=0.005)


def test_wrong_answers_end_the_experiment():
    steps = Steps("x", 5, times=[1], facts=[1], stored=[1], wrong=3, seconds=[[0.1]], processor=[0.1])
    with pytest.raises(DisagreementError, match="x: short stops found by hand: 3 answers differ"):
        traffic._checks(steps)
