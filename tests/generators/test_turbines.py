"""Generated readings come late and out of order, but within the delay, and some never come."""

import numpy as np
import pytest

import thalweg
from thalweg.generators.turbines import RULES, SHARE_HIGH, Turbines


@pytest.mark.parametrize("delay", [0, 1, 4])
def test_no_reading_comes_before_its_time_or_after_its_delay(delay):
    for now, arrived in Turbines(30, 20, delay, seed=1).arrivals():
        assert ((arrived.time <= now) & (now <= arrived.time + delay)).all()


def test_every_delay_occurs_as_often_as_the_others():
    delays = np.concatenate([now - arrived.time for now, arrived in Turbines(5_000, 40, 4, seed=1).arrivals()])
    assert np.bincount(delays, minlength=5) / len(delays) == pytest.approx([0.2] * 5, abs=0.004)


def test_every_reading_comes_once_where_none_is_lost():
    found = Turbines(10, 8, 3, seed=2).readings()
    assert sorted(zip(found.time.tolist(), found.device.tolist(), strict=True)) == [
        (time, device) for time in range(8) for device in range(10)
    ]
    assert found.is_high.mean() == pytest.approx(SHARE_HIGH, abs=0.15)


def test_the_share_of_losses_is_kept():
    assert len(Turbines(500, 100, 3, loss=0.2, seed=3).readings()) == pytest.approx(0.8 * 500 * 100, rel=0.01)


def test_losses_leave_the_other_readings_as_they_are():
    def readings(loss):
        found = Turbines(20, 10, 2, loss, seed=4).readings()
        return {*zip(found.device.tolist(), found.time.tolist(), found.is_high.tolist(), strict=True)}

    assert readings(0.3) < readings(0.0)


@pytest.mark.parametrize(("delay", "loss"), [(0, 0.0), (3, 0.1), (6, 0.3)])
def test_the_rules_confirm_the_malfunctions_found_by_hand(delay, loss):
    turbines = Turbines(40, 30, delay, loss, seed=5)
    stream = thalweg.HypothesisStream(thalweg.parse(turbines.declarations + RULES), "Malf")
    confirmed = set()
    for part in turbines.slices():
        changes = stream.advance(part.tables, to=int(part.now)).table().to_pylist()
        confirmed |= {(row["device"], row["time"]) for row in changes if row["status"] == "confirmed"}
    device, time = turbines.malfunctions()
    assert confirmed == {(f"wt{d}", t) for d, t in zip(device.tolist(), time.tolist(), strict=True)}
    assert confirmed
    assert stream.late_count == 0


def test_the_same_seed_gives_the_same_readings_in_the_same_order():
    first, again, other = (Turbines(20, 10, 3, 0.1, seed).readings() for seed in (1, 1, 2))
    assert np.array_equal(first.device, again.device)
    assert np.array_equal(first.time, again.time)
    assert not np.array_equal(first.device, other.device)


def test_the_same_seed_has_the_same_malfunctions_whatever_the_delay():
    found = [Turbines(30, 20, delay, 0.1, seed=6).malfunctions() for delay in (0, 7)]
    assert np.array_equal(found[0], found[1])
