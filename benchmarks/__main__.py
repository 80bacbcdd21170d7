"""Run the benchmarks, write the results down, and fail when a promise is not kept."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import (
    against_meteor,
    against_reelay,
    growth,
    hypotheses,
    memory,
    one_shot,
    rechase,
    short_stops,
    spark_pipeline,
    table_one,
    throughput,
    windows,
)
from benchmarks.lubm import FOLDER
from benchmarks.report import describe, write_report
from benchmarks.stamp import source_digest, stamp
from benchmarks.workbench import Workbench

BENCHMARKS = {
    "meteor": against_meteor.run,
    "memory": memory.run,
    "growth": growth.run,
    "short-stops": short_stops.run,
    "throughput": throughput.run,
    "reelay": against_reelay.run,
    "windows": windows.run,
    "lars-plus": table_one.run,
    "re-chase": rechase.run,
    "deep": one_shot.run,
    "hypotheses": hypotheses.run,
    "spark": spark_pipeline.run,
}

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the facts, and fewer repetitions")
    parser.add_argument("--seed", type=int, default=7, help="for the intervals of the facts")
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, help="run these, and write nothing down")
    options = parser.parse_args()
    if not FOLDER.is_dir():
        parser.error(f"the LUBM facts are not at {FOLDER}")

    RESULTS.mkdir(exist_ok=True)
    label = stamp(options.seed)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(Path(folder), RESULTS, options.seed, options.quick)
        for name in options.only or BENCHMARKS:
            results.append(BENCHMARKS[name](bench))
            print(describe(results[-1]), end="\n\n", flush=True)
    if source_digest() != label["source"]:
        print("The source changed during the run: nothing was written.", file=sys.stderr)
        return 1
    if not options.only:
        write_report(results, label, RESULTS, bench.name)
    return 0 if all(result.kept for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
