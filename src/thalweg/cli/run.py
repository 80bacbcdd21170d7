"""``thalweg run``: what follows from a program and facts."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.api import check_queries, diagnose, read_source, unused_facts
from thalweg.cli.numbers import length, positive
from thalweg.cli.output import FORMATS, check_output, write
from thalweg.cli.stream import stream
from thalweg.cli.times import parse_time
from thalweg.engine.fixpoint import DEFAULT_MAX_ROUNDS
from thalweg.engine.materialise import materialise
from thalweg.engine.read import read_facts_of
from thalweg.errors import DataError, ProgramError, UsageError
from thalweg.model.program import Program
from thalweg.syntax.ast import Role

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_DESCRIPTION = """\
Derives everything that follows from PROGRAM and FACTS inside [--from, --to] and prints it.

FACTS are files of facts, one a line (P(a,b)@[1,2.5)), or NAME.csv and NAME.parquet with the facts of the predicate
NAME (columns: arguments, then time, or start and end), or JSON as MeTeoR writes it.
"""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "run",
        help="derive what follows from a program and facts",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("program", metavar="PROGRAM", type=Path, help="file of rules")
    parser.add_argument("facts", metavar="FACTS", type=Path, nargs="*", help="files of facts")
    parser.add_argument(
        "--query",
        metavar="P",
        action="append",
        help="print this predicate only, and compute only what it needs; may be repeated"
        " (default: the output predicates, or all that rules derive)",
    )
    parser.add_argument("--from", dest="start", metavar="T", help="first time of interest (default: no limit)")
    parser.add_argument("--to", dest="end", metavar="T", help="last time of interest (default: no limit)")
    parser.add_argument("--in-process", action="store_true", help="run in this process, without Spark (the default)")
    parser.add_argument("--format", choices=FORMATS, default="facts", help="how to write answers (default: facts)")
    parser.add_argument(
        "--output",
        metavar="PATH",
        default="-",
        help="where to write: - for standard output, a file, or a folder with a file per predicate",
    )
    parser.add_argument("--skip-bad", action="store_true", help="report bad fact lines, count them, and go on")
    parser.add_argument(
        "--max-rounds",
        metavar="N",
        type=positive,
        default=DEFAULT_MAX_ROUNDS,
        help="stop rules that are not certain to end after N rounds (default: %(default)s)",
    )
    streams = parser.add_argument_group("streams", "answer as time advances, with a window instead of all facts")
    streams.add_argument("--stream", action="store_true", help="read facts in the order of time, print answers as due")
    streams.add_argument("--step", metavar="S", type=length, help="advance in steps of S (default: 1)")
    streams.add_argument(
        "--at",
        metavar="WHEN",
        help="when answers are wanted: data (at the time points of the data), every:S, or intervals (the default)",
    )
    streams.add_argument("--stats", metavar="FILE", type=Path, help="write a line of counts for every step, as CSV")
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    program, diagnostics = diagnose(read_source(options.program))
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.is_error]
    if errors:
        raise ProgramError(diagnostics)
    for warning in diagnostics:
        print(warning.render(), file=sys.stderr)
    start = parse_time(options.start, "--from", program, -math.inf)
    end = parse_time(options.end, "--to", program, math.inf)
    if start > end:
        raise UsageError(f"--from {options.start} is after --to {options.end}")
    batches, problems = read_facts_of(program, options.facts)
    if problems and not options.skip_bad:
        raise DataError(problems)
    for diagnostic in (*problems, *unused_facts(program, batches)):
        print(diagnostic.render(), file=sys.stderr)
    queries = check_queries(program, options.query) if options.query else default_queries(program)
    check_output(options.format, options.output, queries)
    if options.stream:
        return stream(program, batches, queries, options, end)
    for name in ("step", "at", "stats"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} goes with --stream")
    model = materialise(
        program,
        batches,
        start=start,
        end=end,
        wanted=queries,
        max_rounds=options.max_rounds,
    )
    write(model, queries, options.format, options.output)
    if problems:
        print(f"thalweg: {len(problems)} bad fact{'s' if len(problems) > 1 else ''} skipped", file=sys.stderr)
    return 0


def default_queries(program: Program) -> tuple[str, ...]:
    """The output predicates, or all derived ones when none is declared."""
    outputs = tuple(name for name, signature in program.signatures.items() if signature.role is Role.OUTPUT)
    derived = program.derived_predicates
    return outputs or tuple(name for name in program.predicates if name in derived)
