"""``thalweg bench``: the papers' tables and figures, peers beside us, and what the pipeline costs."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.bench.data import use_data_folder
from thalweg.bench.experiment import Experiment
from thalweg.bench.experiments import EXPERIMENTS
from thalweg.errors import UsageError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

OUT = Path("benchmarks") / "results"
SEED = 7

_EPILOG = """\
examples:
  thalweg bench --quick                      nearly all experiments, small, in about two minutes
  thalweg bench                              in about half an hour
  thalweg bench --full                       with the sizes of the papers; takes hours
  thalweg bench --list                       what there is, and what is missing here
  thalweg bench --list --json                the same for programs
  thalweg bench --only table-2 lars-plus     these experiments, at the normal size
  thalweg bench --only traffic --data S1.txt S2.txt     the traffic figures of your own streams

Each experiment writes NAME.json with every measurement, and its figures as PNG and SVG, into OUT/quick, OUT/normal or
OUT/full; README.md there shows the results of all. Exit code 1 means that an experiment failed, for instance because
answers differed; a missed target is said on the page, and is no failure.
"""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "bench",
        help="measure: the papers' tables and figures, and peers in the same run",
        description="Reproduces the tables and figures of the papers, and measures other systems, where they are\n"
        "installed (pip install 'thalweg[bench]'), on the same work in the same run.",
        epilog=_EPILOG,
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_const", dest="size", const="quick", help="small, in two minutes")
    size.add_argument("--full", action="store_const", dest="size", const="full", help="with the sizes of the papers")
    names = [experiment.name for experiment in EXPERIMENTS]
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help="run these experiments only")
    parser.add_argument("--list", action="store_true", help="list the experiments, and say what is missing for them")
    parser.add_argument("--json", action="store_true", help="print the list, or where the results are, as JSON")
    parser.add_argument(
        "--seed", metavar="S", type=int, default=SEED, help=f"for all that is drawn by chance (default {SEED})"
    )
    parser.add_argument(
        "--data",
        nargs="+",
        type=Path,
        default=[],
        metavar="PATH",
        help="a folder of public data (see docs/benchmarks.md), or files of traffic facts to make the figures from",
    )
    parser.add_argument("--out", type=Path, default=OUT, metavar="FOLDER", help=f"for the results (default {OUT})")
    parser.set_defaults(command=bench, size="normal")


def bench(options: argparse.Namespace) -> int:
    """Run the command."""
    streams = _given(options.data)
    if options.list:
        return _list(as_json=options.json)
    from rich.console import Console

    from thalweg.bench.progress import progress_on
    from thalweg.bench.run import run_experiments
    from thalweg.bench.workbench import Size, Workbench

    chosen = [each for each in EXPERIMENTS if options.only is None or each.name in options.only]
    with tempfile.TemporaryDirectory(prefix="thalweg-bench-") as folder:
        bench = Workbench(Path(folder), options.seed, Size(options.size), streams, progress_on(Console(stderr=True)))
        failed = run_experiments(chosen, bench, options.out)
    if options.json:
        names = [each.name for each in chosen]
        print(json.dumps({"experiments": names, "failed": failed, "results": str(options.out / options.size)}))
    return 1 if failed else 0


def _given(paths: list[Path]) -> tuple[Path, ...]:
    """Take the folder of public data into use; the files are traffic streams."""
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} is not there (--data takes a folder of public data, or files of traffic facts)")
    folders = [path for path in paths if path.is_dir()]
    if len(folders) > 1:
        raise UsageError("--data takes one folder of public data; the other paths must be files of traffic facts")
    for folder in folders:
        use_data_folder(folder)
    return tuple(path.resolve() for path in paths if path.is_file())


def _list(*, as_json: bool) -> int:
    if as_json:
        found = [{"name": each.name, "about": each.about, "missing": each.missing or None} for each in EXPERIMENTS]
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return 0
    for experiment in EXPERIMENTS:
        print(_described(experiment))
    return 0


def _described(experiment: Experiment) -> str:
    missing = f"\n{'':14}cannot run here: {experiment.missing}" if experiment.missing else ""
    return f"{experiment.name:<14}{experiment.about}{missing}"
