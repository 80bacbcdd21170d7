"""One hour at a steady rate: neither memory, nor state, nor open files, nor checkpoints, nor temporary files grow.

``THALWEG_SOAK_MINUTES`` makes it shorter or longer, and ``THALWEG_SOAK_SAMPLES`` names a file for the samples, as CSV.
In less than about twenty minutes the checkpoint still grows, since Spark keeps a hundred batches.
"""

import csv
import os
import time

import pytest

from reliability.growth import grown
from reliability.long_run import long_run
from reliability.steady_stream import RULES, SteadyWriter

MINUTES = float(os.environ.get("THALWEG_SOAK_MINUTES", "60"))
EVERY = 30.0
ROWS = 500
MB = 1 << 20

ALLOWED = {
    "driver_resident": (0.1, 15 * MB),
    "java_resident": (0.1, 60 * MB),
    "java_heap": (0.15, 10 * MB),
    "worker_resident": (0.1, 40 * MB),
    **{f"{kind}_processes": (0, 2) for kind in ("driver", "java", "worker")},
    **{f"{kind}_files": (0.1, 10) for kind in ("driver", "java", "worker")},
    **{f"{kind}_threads": (0.1, 5) for kind in ("driver", "java", "worker")},
    "checkpoint_files": (0.1, 30),
    "checkpoint_bytes": (0.1, MB),
    "temporary_files": (0.2, 50),
    "temporary_bytes": (0.2, 2 * MB),
    "record_files": (0, 0),
    "record_bytes": (0, 8 * MB),
    "set_aside_files": (0, 0),
    "stored": (0.1, 1000),
    "history": (0, 0),
    "values": (0.2, 1000),
    "state_bytes": (0.2, MB // 4),
    "waiting": (0, 2 * ROWS),
}
"""How much more the last quarter may have than the second, as a share and an amount on top.

The record of a run has a line for each of the last five to ten thousand batches, so that it grows for hours.
"""


@pytest.mark.soak
def test_an_hour_at_a_steady_rate_takes_no_more_than_its_first_minutes(tmp_path):
    samples = []
    with long_run(tmp_path / "run", RULES, "--trigger", "3s", "--spark-conf", "spark.driver.memory=1g") as run:
        writer = SteadyWriter(run.folder / "in", ROWS, lambda: run.newest)
        writer.start()
        run.wait_for(lambda: run.progress)
        begun = time.monotonic()
        while time.monotonic() < begun + MINUTES * 60:
            time.sleep(EVERY)
            run.must_run()
            samples.append({"at": round(time.monotonic() - begun), "written": writer.second, **run.sample()})
            _keep(samples)
        writer.stopping.set()
        writer.join()
        run.wait_for(lambda: run.newest == writer.second - 1)
        rows = sum(batch["rows"] for batch in run.progress)
        run.stop()
    assert len(samples) >= 8, "too short to say anything"
    assert rows == writer.second * ROWS or len(run.progress) < run.progress[-1]["batch"] + 1
    assert grown(samples, ALLOWED) == {}


def _keep(samples):
    path = os.environ.get("THALWEG_SOAK_SAMPLES")
    if path:
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, samples[0])
            writer.writeheader()
            writer.writerows(samples)
