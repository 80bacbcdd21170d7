"""Open answers over time, on small streams: what is counted is what happened."""

import numpy as np
import pyarrow as pa
import pytest

from thalweg.bench.hypotheses import over_time
from thalweg.bench.hypotheses.over_time import Followed, _follow
from thalweg.bench.hypotheses.throughput import _checks as throughput_checks
from thalweg.bench.hypotheses.throughput import _follow as follow_batches
from thalweg.bench.hypotheses.turbine_readings import Batches, answer_codes, by_hand
from thalweg.bench.workbench import Size, Workbench
from thalweg.generators.turbines import LENGTH, Turbines


def arrival_times(stream):
    """When the reading of a turbine at a time arrived, if it was high."""
    return {
        (device, time): now
        for now, arrived in stream.arrivals()
        for device, time, is_high in zip(
            arrived.device.tolist(), arrived.time.tolist(), arrived.is_high.tolist(), strict=True
        )
        if is_high
    }


@pytest.mark.parametrize("delay", [1, 4])
def test_answers_are_confirmed_when_the_last_reading_comes_and_wait_since_the_first(delay):
    stream = Turbines(30, 25, delay, loss=0.1, seed=3)
    arrived, found = arrival_times(stream), _follow(stream)
    needed = [
        [arrived[code >> 32, (code & (1 << 32) - 1) + place] for place in range(LENGTH)]
        for code in found.answers.tolist()
    ]
    assert len(needed) > 10
    assert found.confirmed_at.tolist() == [max(times) for times in needed]
    assert found.waits.tolist() == [max(times) - min(times) for times in needed]
    times = found.answers & (1 << 32) - 1
    assert found.earlier.tolist() == (times + 2 + delay - found.confirmed_at).tolist()


def test_nothing_is_earlier_where_nothing_is_late():
    found = _follow(Turbines(40, 20, 0, seed=3))
    assert len(found.answers) > 5
    assert {*found.earlier.tolist()} == {0}


def test_an_answer_confirmed_as_it_appears_waits_for_nothing():
    def changes(*rows):
        devices, times, statuses = zip(*rows, strict=True) if rows else ((), (), ())
        return pa.table(
            {
                "device": pa.array(devices, pa.string()),
                "time": pa.array(times, pa.int64()),
                "status": pa.array(statuses, pa.string()),
            }
        )

    found = Followed(Turbines(3, 10, 5))
    found.said(4, changes(("wt0", 2, "opened"), ("wt1", 2, "opened")), 2)
    found.said(6, changes(("wt0", 2, "confirmed"), ("wt2", 3, "confirmed"), ("wt1", 2, "refuted")), 0)
    assert found.waits.tolist() == [2, 0]
    assert found.earlier.tolist() == [2 + 2 + 5 - 6, 3 + 2 + 5 - 6]
    assert (found.opened_count, found.refuted, found.open_rows) == (2, 1, [2, 0])


def test_the_experiment_keeps_its_promises_and_draws_what_it_found(tmp_path, monkeypatch):
    monkeypatch.setattr(over_time, "DELAYS", (0, 3))
    result = over_time.run(Workbench(tmp_path, 7, Size.QUICK))
    assert result.kept
    assert [row[0] for row in result.table.rows] == ["0", "3"]
    figures = {figure.name: figure for figure in result.figures}
    assert figures.keys() == {"open", "waits", "earlier"}
    assert [line.label for line in figures["open"].lines] == ["δ = 0", "δ = 3", "bound for δ = 3"]
    assert max(figures["open"].lines[1].y) <= figures["open"].lines[2].y[0]
    assert figures["earlier"].lines[1].y[0] == 1


def test_throughput_says_what_the_loop_by_hand_says(monkeypatch):
    monkeypatch.setattr("thalweg.bench.hypotheses.throughput.BATCH", 100)
    given = Batches.draw(20, 800, seed=5)
    assert len(given) == 800
    outcome = follow_batches(given)
    assert all(check.kept for check in throughput_checks(given, outcome, by_hand(given, 100)))
    assert outcome.said["confirmed"] == len(outcome.confirmed) > 5


def test_answers_have_different_numbers():
    devices, times = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert len(np.unique(answer_codes(devices, times))) == 4
