"""One scenario, time point by time point, in a process of its own: time, memory, and how many facts there are."""

from __future__ import annotations

import argparse
import gc
import json
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

from thalweg.bench.lars_plus.scenarios import SCENARIOS
from thalweg.engine.stream import StreamReasoner

STATUS = Path("/proc/self/status")
FORGET_PEAK = Path("/proc/self/clear_refs"), "5"
"""What to write where, for the system to measure the peak of memory from now on."""


@dataclass(frozen=True)
class StreamRun:
    """By time point: seconds of processor time, facts that came in, and facts that were derived; memory in bytes."""

    window: int
    seconds: list[float]
    given: list[int]
    derived: list[int]
    unexpected: int
    memory_before: int
    memory_peak: int

    @property
    def milliseconds(self) -> float:
        """The average of a time point, when windows are full."""
        return 1000 * mean(self.seconds[self.window :])

    @property
    def new_facts(self) -> float:
        """How many facts are derived at a time point, on average."""
        return mean(self.derived[self.window :])

    @property
    def model(self) -> float:
        """How many facts, given or derived, the last ℓ + 1 time points have together, on average."""
        facts = [given + derived for given, derived in zip(self.given, self.derived, strict=True)]
        return mean(sum(facts[last - self.window : last + 1]) for last in range(self.window, len(facts)))


def stream_run(name: str, time_points: int, seed: int) -> StreamRun:
    """Run a scenario."""
    command = [sys.executable, "-m", "thalweg.bench.lars_plus.stream_run", name, str(time_points), str(seed)]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return StreamRun(**json.loads(finished.stdout))


def main() -> None:
    """Run, and print what was found as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=SCENARIOS)
    parser.add_argument("time_points", type=int)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    print(json.dumps(asdict(_run(options.name, options.time_points, options.seed))))


def _run(name: str, time_points: int, seed: int) -> StreamRun:
    scenario = SCENARIOS[name](seed)
    reasoner = StreamReasoner(scenario.program, scenario.queries)
    gc.collect()
    before = _start_measuring_memory()
    seconds, given, derived, unexpected = [], [], [], 0
    for now in range(time_points):
        facts = scenario.facts(now, now)
        begin = time.process_time()
        answers = reasoner.advance(facts, now)
        seconds.append(time.process_time() - begin)
        given.append(sum(map(len, facts)))
        derived.append(sum(map(answers.count, scenario.queries)))
        if now >= scenario.window and scenario.expected is not None:
            unexpected += abs(derived[-1] - scenario.expected(now))
    return StreamRun(scenario.window, seconds, given, derived, unexpected, before, _memory("VmHWM"))


def _start_measuring_memory() -> int:
    """Forget the peak that reading the rules had; return what is taken now."""
    path, said = FORGET_PEAK
    path.write_text(said)
    return _memory("VmRSS")


def _memory(kind: str) -> int:
    found = re.search(rf"{kind}:\s+(\d+) kB", STATUS.read_text())
    assert found is not None
    return int(found[1]) * 1024


if __name__ == "__main__":
    main()
