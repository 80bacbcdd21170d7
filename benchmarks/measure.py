"""One system on one program and one fact file, measured in a process of its own.

Both systems do the same: read the rules and the file of facts (*load*), then derive all that follows, in memory
(*reason*). A first run on little data loads libraries and is not counted; garbage is collected before each run.
"""

from __future__ import annotations

import argparse
import gc
import json
import pickle
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import thalweg

Answers = dict[Any, Any]


@dataclass(frozen=True)
class Measurement:
    """Seconds of each run, and the peak of memory of the process in bytes."""

    load: tuple[float, ...]
    reason: tuple[float, ...]
    peak_memory: int

    @property
    def total(self) -> tuple[float, ...]:
        return tuple(load + reason for load, reason in zip(self.load, self.reason, strict=True))

    def seconds(self, part: str) -> float:
        """The median of ``load``, ``reason`` or ``total``."""
        return median(getattr(self, part))

    def and_again(self, other: Measurement) -> Measurement:
        """The runs of both."""
        peak = max(self.peak_memory, other.peak_memory)
        return Measurement(self.load + other.load, self.reason + other.reason, peak)


def measure(
    system: str, program: Path, facts: Path, warm_up: Path, repetitions: int = 1, answers: Path | None = None
) -> Measurement:
    """Run a system, ``thalweg`` or ``meteor``; its answers go to a file when one is named."""
    command = [sys.executable, "-m", "benchmarks.measure", system, program, facts, warm_up, str(repetitions)]
    command += [answers] if answers else []
    root = Path(__file__).resolve().parents[1]
    finished = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(finished.stdout)
    return Measurement(tuple(found["load"]), tuple(found["reason"]), found["peak_memory"])


def read_answers(path: Path) -> Answers:
    """The answers that a measured run left in a file."""
    answers: Answers = pickle.loads(path.read_bytes())
    return answers


def main() -> None:
    """Measure, and print what was found as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("program", type=Path)
    parser.add_argument("facts", type=Path)
    parser.add_argument("warm_up", type=Path)
    parser.add_argument("repetitions", type=int)
    parser.add_argument("answers", type=Path, nargs="?")
    options = parser.parse_args()

    run = SYSTEMS[options.system]
    run(options.program, options.warm_up)
    load, reason = [], []
    for _ in range(options.repetitions):
        gc.collect()
        *seconds, answers_of_run = run(options.program, options.facts)
        load.append(seconds[0])
        reason.append(seconds[1])
    peak_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if options.answers:
        options.answers.write_bytes(pickle.dumps(answers_of_run()))
    print(json.dumps({"load": load, "reason": reason, "peak_memory": peak_memory}))


def _run_thalweg(program_path: Path, facts: Path) -> tuple[float, float, Callable[[], Answers]]:
    from thalweg.api import read_facts_of
    from thalweg.engine.materialise import materialise

    begin = time.perf_counter()
    program = thalweg.load(program_path)
    batches, problems = read_facts_of(program, facts)
    loaded = time.perf_counter()
    model = materialise(program, batches)
    end = time.perf_counter()
    assert not problems
    return loaded - begin, end - loaded, model.facts


def _run_meteor(program_path: Path, facts: Path) -> tuple[float, float, Callable[[], Answers]]:
    from benchmarks import meteor

    begin = time.perf_counter()
    rules = meteor.read_rules(program_path.read_text().splitlines())
    dataset = meteor.read_facts(facts)
    loaded = time.perf_counter()
    meteor.reason(dataset, rules)
    end = time.perf_counter()
    return loaded - begin, end - loaded, lambda: _of_program(program_path, meteor.answers(dataset))


def _of_program(program: Path, answers: Answers) -> Answers:
    mentioned = thalweg.load(program).signatures
    return {atom: intervals for atom, intervals in answers.items() if atom[0] in mentioned}


SYSTEMS = {"thalweg": _run_thalweg, "meteor": _run_meteor}

if __name__ == "__main__":
    main()
