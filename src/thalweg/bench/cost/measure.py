"""One system on one program and one fact file, measured in a process of its own.

Both systems do the same: read the rules and the file of facts (*load*), then derive all that follows, in memory
(*reason*). A first run on little data loads libraries and is not counted; garbage is collected before each run.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import thalweg
from thalweg.time.interval import Interval, format_endpoint

Answers = dict[tuple[str, tuple[Any, ...]], tuple[Interval, ...]]


class Seconds(NamedTuple):
    """``wall`` is what a person waits; ``cpu`` leaves out the time that other processes took."""

    wall: float
    cpu: float


class Run(NamedTuple):
    """How long the two parts took."""

    load: Seconds
    reason: Seconds

    @property
    def total(self) -> Seconds:
        return Seconds(self.load.wall + self.reason.wall, self.load.cpu + self.reason.cpu)


@dataclass(frozen=True)
class Measurement:
    """All runs, and the peak of memory of the process in bytes."""

    runs: tuple[Run, ...]
    peak_memory: int

    def seconds(self, part: str, clock: str = "wall") -> float:
        """The median of ``load``, ``reason`` or ``total``."""
        taken: list[float] = [getattr(getattr(run, part), clock) for run in self.runs]
        return median(taken)

    def and_again(self, other: Measurement) -> Measurement:
        """The runs of both."""
        return Measurement(self.runs + other.runs, max(self.peak_memory, other.peak_memory))

    def as_json(self) -> dict[str, Any]:
        """Every run, as numbers by name."""
        runs = [{part: getattr(run, part)._asdict() for part in run._fields} for run in self.runs]
        return {"runs": runs, "peak_memory": self.peak_memory}


def measure(
    system: str, program: Path, facts: Path, warm_up: Path, repetitions: int = 1, answers: Path | None = None
) -> Measurement:
    """Run a system, ``thalweg`` or ``meteor``; its answers go to a file when one is named."""
    measured: list[str | Path] = [system, program, facts, warm_up, str(repetitions), *([answers] if answers else [])]
    command = [sys.executable, "-m", "thalweg.bench.cost.measure", *measured]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(finished.stdout)
    runs = tuple(Run(Seconds(**run["load"]), Seconds(**run["reason"])) for run in found["runs"])
    return Measurement(runs, found["peak_memory"])


def read_answers(path: Path) -> Answers:
    """The answers that a measured run left in a file."""
    return {
        (predicate, tuple(arguments)): tuple(_interval(*interval) for interval in intervals)
        for predicate, arguments, intervals in json.loads(path.read_text())
    }


def _write_answers(answers: Answers, path: Path) -> None:
    """Ground atoms with their intervals; ends as exact texts."""
    found = [
        (
            predicate,
            [str(argument) for argument in arguments],
            [(format_endpoint(i.start), format_endpoint(i.end), i.start_closed, i.end_closed) for i in intervals],
        )
        for (predicate, arguments), intervals in answers.items()
    ]
    path.write_text(json.dumps(found))


def _interval(start: str, end: str, start_closed: bool, end_closed: bool) -> Interval:
    first, last = (float(each) if each.endswith("inf") else Fraction(each) for each in (start, end))
    return Interval(first, last, start_closed, end_closed)


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

    execute = SYSTEMS[options.system]
    execute(options.program, options.warm_up)
    runs = []
    answers_of_run: Callable[[], Answers] = dict
    for _ in range(options.repetitions):
        answers_of_run = dict  # what the run before holds in memory goes first
        gc.collect()
        run, answers_of_run = execute(options.program, options.facts)
        runs.append(run)
    measurement = Measurement(tuple(runs), _peak_memory())
    if options.answers:
        _write_answers(answers_of_run(), options.answers)
    print(json.dumps(measurement.as_json()))


def _run_thalweg(program_path: Path, facts: Path) -> tuple[Run, Callable[[], Answers]]:
    from thalweg.engine.materialise import materialise
    from thalweg.engine.read import read_facts_of

    begin = _now()
    program = thalweg.load(program_path)
    batches, problems = read_facts_of(program, facts)
    loaded = _now()
    model = materialise(program, batches)
    end = _now()
    assert not problems
    return Run(_between(begin, loaded), _between(loaded, end)), model.facts


def _run_meteor(program_path: Path, facts: Path) -> tuple[Run, Callable[[], Answers]]:
    from thalweg.bench.peers import meteor

    begin = _now()
    rules = meteor.read_rules(program_path.read_text().splitlines())
    dataset = meteor.read_facts(facts)
    loaded = _now()
    meteor.reason(dataset, rules)
    end = _now()
    run = Run(_between(begin, loaded), _between(loaded, end))
    return run, lambda: _of_program(program_path, meteor.answers(dataset))


SYSTEMS = {"thalweg": _run_thalweg, "meteor": _run_meteor}


def _now() -> Seconds:
    return Seconds(time.perf_counter(), time.process_time())


def _between(begin: Seconds, end: Seconds) -> Seconds:
    return Seconds(end.wall - begin.wall, end.cpu - begin.cpu)


def _of_program(program: Path, answers: Answers) -> Answers:
    mentioned = thalweg.load(program).signatures
    return {atom: intervals for atom, intervals in answers.items() if atom[0] in mentioned}


def _peak_memory() -> int:
    """The largest resident set so far; on Linux getrusage would count the parent's, if that was larger."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    kilobytes = int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes * 1024


if __name__ == "__main__":
    main()
