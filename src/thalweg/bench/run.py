"""Run experiments one after another, and write down what each found as soon as it is there."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from thalweg.bench.experiment import Experiment
from thalweg.bench.experiments import EXPERIMENTS
from thalweg.bench.report import Stamped, write_page, write_result
from thalweg.bench.result import DisagreementError
from thalweg.bench.stamp import source_digest, stamp
from thalweg.bench.workbench import Workbench

HEADINGS = {
    "quick": "Benchmarks, in two minutes",
    "normal": "Benchmarks",
    "full": "Benchmarks, with the sizes of the papers",
}


def run_experiments(chosen: Sequence[Experiment], bench: Workbench, out: Path) -> int:
    """Run what can run here; the number of experiments that failed."""
    folder = out / bench.size.value
    left_out = {experiment.name: _why_not(experiment, bench) for experiment in EXPERIMENTS}
    left_out = {name: why for name, why in left_out.items() if why}
    failed = 0
    with bench.progress.shown():
        for experiment in bench.track([each for each in chosen if each.name not in left_out], "experiments"):
            problem = _run(experiment, bench, folder)
            if problem:
                failed += 1
                bench.progress.say(f"{experiment.name}: FAILED: {problem}")
    for experiment in chosen:
        if experiment.name in left_out:
            bench.progress.say(f"{experiment.name}: left out: {left_out[experiment.name]}")
    if folder.is_dir():
        write_page(folder, [each.name for each in EXPERIMENTS], HEADINGS[bench.size.value], left_out)
        bench.progress.say(f"The results are in {folder}.")
    return failed


def _why_not(experiment: Experiment, bench: Workbench) -> str:
    return experiment.missing or ("it takes longer than --quick has" if bench.quick and not experiment.is_quick else "")


def _run(experiment: Experiment, bench: Workbench, folder: Path) -> str:
    """Run one experiment, and write its result; what went wrong, if anything did."""
    label = stamp(bench.seed)
    begin = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory(dir=bench.folder) as scratch:
            result = experiment.run(replace(bench, folder=Path(scratch)))
    except DisagreementError as error:
        return f"{error}; no times are given"
    if source_digest() != label["source"]:
        return "the source changed during the run; nothing was written"
    seconds = time.perf_counter() - begin
    write_result(Stamped(experiment.name, result, {**label, "took": f"{seconds:.0f} s"}), folder)
    missed = [check for check in result.checks if not check.kept]
    bench.progress.say(f"{experiment.name}: {seconds:.0f} s, {len(result.checks) - len(missed)} promises kept")
    for check in missed:
        bench.progress.say(f"  missed: {check.promise}: {check.found}")
    return ""
