"""A stream that is offered more than it may take: bounded batches, flat memory, a backlog that is told and caught up.

What it may take at most is ``FILES`` a batch, a batch every ``TRIGGER`` seconds; it is offered ``FASTER`` times as
much, on top of a backlog, whatever the speed of the machine.
"""

import datetime
import json
import os
import threading
import time
from itertools import pairwise

import pytest

from reliability.long_run import long_run
from reliability.process_tree import KINDS
from reliability.steady_stream import RULES, deliver

FILES, TRIGGER, FASTER = 4, 2, 2
ROWS = 1_000
BACKLOG = 40
SECONDS = float(os.environ.get("THALWEG_OVERLOAD_SECONDS", "60"))
MB = 1 << 20

STAMPED = """
input Reading(sensor: string, level: number).
output Hot(sensor: string).
Hot(S) :- Reading(S, L), L > 60, not diamondminus(0s,5s] Reading(S, 0).
"""
TABLES = """
[Reading]
format = "json"
path = "in"
time = "at"
schema = "sensor string, level int, at timestamp"
"""


class Flood(threading.Thread):
    """Delivers a backlog, then files faster than they may be taken, then a trickle of them until it is stopped."""

    def __init__(self, deliver_next):
        super().__init__(daemon=True)
        self.deliver_next, self.count = deliver_next, 0
        self.is_over, self.stopping = threading.Event(), threading.Event()
        self.next()

    def next(self):
        self.deliver_next(self.count)
        self.count += 1

    def run(self):
        for _ in range(BACKLOG):
            self.next()
        begun, first = time.monotonic(), self.count
        while (passed := time.monotonic() - begun) < SECONDS:
            if self.count - first < passed * FASTER * FILES / TRIGGER:
                self.next()
            else:
                time.sleep(0.02)
        self.is_over.set()
        while not self.stopping.wait(2 * TRIGGER):
            self.next()


def offered(run, deliver_next, has_caught_up):
    """Offer too much for a while, then little, until it has caught up; samples meanwhile."""
    flood, samples = Flood(deliver_next), []
    run.wait_for(lambda: run.progress)
    flood.start()
    while not (flood.is_over.is_set() and has_caught_up(run.progress)):
        run.must_run()
        samples.append(run.sample())
        time.sleep(2)
    flood.stopping.set()
    flood.join()
    run.wait_for(lambda: sum(batch["rows"] for batch in run.progress) == flood.count * ROWS)
    return flood, samples


def lag_of(batch):
    """How far the answers are behind the clock."""
    return batch["lag_seconds"] or 0.0


def stays_flat(samples):
    """What grew, after a third for warming up; memory that is kept for the next batch is no growth."""
    third = len(samples) // 3
    found = {}
    for name in (f"{kind}_resident" for kind in KINDS):
        before = max(sample[name] for sample in samples[third : 2 * third])
        after = max(sample[name] for sample in samples[2 * third :])
        if after > 1.1 * before + 50 * MB:
            found[name] = (before, after)
    return found


@pytest.mark.soak
def test_a_folder_that_fills_faster_than_it_is_read(tmp_path):
    bounds = ("--max-files", FILES, "--trigger", f"{TRIGGER}s", "--spark-conf", "spark.driver.memory=1g")
    with long_run(tmp_path / "run", RULES, *bounds) as run:
        folder = run.folder / "in"
        flood, samples = offered(
            run, lambda number: deliver(folder, number, ROWS), lambda batches: not batches[-1]["files_left"]
        )
        run.stop()
    batches = run.progress
    assert sum(batch["rows"] for batch in batches) == flood.count * ROWS
    assert max(batch["rows"] for batch in batches) <= FILES * ROWS
    left = [batch["files_left"] or 0 for batch in batches]
    peak = left.index(max(left))
    assert left[0] == left[-1] == 0
    assert max(left) > BACKLOG, "the backlog grows while too much is offered"
    assert all(after <= before for before, after in pairwise(left[peak + 2 :])), "and is worked off afterwards"
    assert f"{max(left):,} files left" in run.said
    assert int(batches[-1]["newest"]) == flood.count - 1
    assert batches[-1]["lag"] == "0"
    stored = [batch["stored"] for batch in batches]
    assert max(stored[peak:]) <= 1.2 * max(stored[: peak + 1])
    assert stays_flat(samples) == {}


@pytest.mark.soak
def test_the_lag_behind_the_clock_rises_and_falls(tmp_path):
    def stamped(number):
        at = datetime.datetime.now(datetime.UTC).isoformat()
        lines = (json.dumps({"sensor": f"s{number}_{n}", "level": n % 100, "at": at}) for n in range(ROWS))
        draft = run.folder / "in" / f".{number:06}"
        draft.write_text("\n".join(lines) + "\n")
        draft.rename(run.folder / "in" / f"{number:06}.json")

    tables = ("--tables", "tables.toml", "--max-files", FILES, "--trigger", f"{TRIGGER}s", "--delay", "5s")
    with long_run(tmp_path / "run", STAMPED, *tables, files={"tables.toml": TABLES}, facts=()) as run:
        _, samples = offered(
            run, stamped, lambda batches: batches[-1]["lag_seconds"] < 0.6 * max(map(lag_of, batches[1:]))
        )
        run.stop()
    batches = run.progress
    assert max(batch["rows"] for batch in batches) <= FILES * ROWS
    assert sum(batch["late"] + batch["set_aside"] for batch in batches) == 0
    lags = [*map(lag_of, batches)][1:]
    peak = lags.index(max(lags))
    assert max(lags) > lags[0], "the lag rises while too much is offered"
    assert min(lags[peak:]) < 0.6 * max(lags), "and falls afterwards"
    assert "behind now" in run.said
    assert stays_flat(samples) == {}
