"""Thousands of small steps in one process: neither memory, nor objects, nor open files grow.

``THALWEG_SOAK_MINUTES`` makes it shorter or longer, as for the hour on Spark.
"""

import gc
import os
from pathlib import Path

import pytest

import thalweg
from reliability.growth import grown
from reliability.steady_stream import RULES, readings

STEPS = int(float(os.environ.get("THALWEG_SOAK_MINUTES", "60")) * 100)
MB = 1 << 20
ALLOWED = {
    "resident": (0.05, 8 * MB),
    "objects": (0.05, 2_000),
    "files": (0, 2),
    "stored": (0.1, 100),
    "state": (0.2, 2 * MB),
}
"""A snapshot has up to some fifty thousand values that nothing has any more."""

HYPOTHESES = """
timeline integer.
input Reading(sensor: string, level: number).
delay Reading(_, _) = 3.
Hot(S) at T :- Reading(S, L) at T, L > 60.
Failing(S) at T :- Hot(S) at T, Hot(S) at T+1, Hot(S) at T+2.
"""


class Steps:
    def __init__(self):
        program = thalweg.parse(RULES)
        self.reasoner = thalweg.StreamReasoner(program, sorted(program.derived_predicates))

    def step(self, time):
        self.reasoner.advance(readings(time, 50), time)

    @property
    def held(self):
        return {"stored": self.reasoner.stored.total, "state": len(self.reasoner.snapshot())}


class Hypotheses:
    def __init__(self):
        self.stream = thalweg.HypothesisStream(thalweg.parse(HYPOTHESES), "Failing")

    def step(self, time):
        self.stream.advance(readings(time, 50), time)

    @property
    def held(self):
        return {"stored": self.stream.open_count, "state": len(self.stream.snapshot())}


@pytest.mark.soak
@pytest.mark.parametrize("kind", [Steps, Hypotheses])
def test_thousands_of_small_steps_take_no_more_than_the_first(kind):
    stream, samples = kind(), []
    for step in range(STEPS):
        stream.step(step)
        if step % (STEPS // 80) == 0:
            gc.collect()
            resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            held = {"objects": len(gc.get_objects()), "files": len(os.listdir("/proc/self/fd")), **stream.held}
            samples.append({"resident": resident, **held})
    print(kind.__name__, STEPS, samples[20], samples[-1])  # noqa: T201  # seen with -s
    assert grown(samples, ALLOWED) == {}
