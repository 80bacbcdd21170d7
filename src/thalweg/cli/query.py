"""``thalweg query``: the answers to a query about what follows from a program and facts."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.api import unused_facts
from thalweg.cli.json_lines import json_lines
from thalweg.cli.messages import skipped, tell, tell_problems
from thalweg.cli.numbers import length
from thalweg.cli.order import is_file
from thalweg.cli.output import FORMATS, check_output, write, write_text
from thalweg.cli.programs import read_program
from thalweg.cli.run_options import add_limits, limits_of
from thalweg.cli.times import parse_stretch, parse_time
from thalweg.engine.divisions import Divisions, division_warnings
from thalweg.engine.limits import CHASES
from thalweg.engine.output_times import INTERVALS, OutputTimes
from thalweg.engine.query import (
    NAME,
    QueryAnswers,
    QueryStream,
    answer_query,
    arities,
    read_query,
    require_time_point,
    written_query,
)
from thalweg.engine.read import read_facts_of
from thalweg.errors import BadFactsError, UsageError
from thalweg.model.program import Program
from thalweg.model.query import Query, in_words_of_query
from thalweg.syntax.facts import FactBatch
from thalweg.time.interval import Endpoint

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

FALSE = 4
"""The exit code of a query that is not true at the time it is asked at."""

DESCRIPTION = """\
Asks a query about what follows from PROGRAM and FACTS, and prints its answers: with --at those at one time, otherwise
all of them, each with the times at which it is one. It works in this process, without Spark.

QUERY is what the body of a rule may be. Its variables are asked for, apart from _ and from those after exists:
exists X: window 5 all warn(X). A query that asks for no variable is true or false: with --at it prints the word, and
the exit code is 0 for true, 4 for false. Answers are certain: rows with new values that rules have made up (exists)
are left out, unless --nulls.
"""

EXAMPLES = """\
examples:
  thalweg query belts.rules belts.facts 'exists X: window 5 all warn(X)' --at 7     true or false
  thalweg query belts.rules belts.facts 'warn(X), beltTmp(X, T), T > 95'            which X and T, and when
  thalweg query belts.rules belts.facts 'window 3 (warn(X) at T)' --at 7            the time points, too
  thalweg query belts.rules belts.facts 'operator(b1, O)' --nulls                   with new values
  thalweg query belts.rules belts.facts 'window 5 some warn(X)' --stream            as the facts come
  thalweg query belts.rules belts.facts 'warn(X)' --json                            an object a line
"""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "query",
        help="ask what holds, of a program and facts",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )
    parser.add_argument("program", metavar="PROGRAM", type=Path, help="file of rules")
    parser.add_argument("facts", metavar="FACTS", nargs="*", type=Path, help="files of facts")
    parser.add_argument("query", metavar="QUERY", help="what is asked; options stand before all of these or after")
    parser.add_argument(
        "--at",
        metavar="T",
        help="answer at the time T only; with --stream instead when answers are wanted: data (at the time points of"
        " the data), every:S, or intervals (the default)",
    )
    parser.add_argument("--from", dest="start", metavar="T", help="first time of interest (default: no limit)")
    parser.add_argument("--to", dest="end", metavar="T", help="last time of interest (default: no limit)")
    parser.add_argument("--nulls", action="store_true", help="also print rows with new values that rules have made up")
    parser.add_argument("--format", choices=FORMATS, default="facts", help="how to write answers (default: facts)")
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
    parser.add_argument(
        "--output", metavar="PATH", default="-", help="where to write: - for standard output, or a file"
    )
    add_limits(parser)
    parser.add_argument("--stream", action="store_true", help="take facts in the order of time, print answers when due")
    parser.add_argument("--step", metavar="S", type=length, help="with --stream: advance in steps of S (default: 1)")
    parser.set_defaults(command=query)


def query(options: argparse.Namespace) -> int:
    """Run the command."""
    _check_together(options)
    check_output(options.format, options.output, (NAME,))
    text = written_query(options.query)
    program = read_program(options.program)
    batches, problems = read_facts_of(program, options.facts)
    if problems and not options.skip_bad:
        raise BadFactsError(problems)
    asked = read_query(text, program, arities(batches))
    tell_problems(problems)
    for warning in unused_facts(asked.program, batches):
        tell(warning.render())
    code = _stream(program, asked, batches, options) if options.stream else _answer(asked, batches, options)
    if problems:
        tell(skipped(len(problems)))
    return code


def _check_together(options: argparse.Namespace) -> None:
    if is_file(options.query):
        raise UsageError(f"{options.query} is a file; the last of PROGRAM FACTS QUERY is a query: 'exists X: P(X)'")
    if options.stream:
        if options.start is not None:
            raise UsageError("--from does not go with --stream: a stream starts with its first fact")
        if options.chase != CHASES[0]:
            raise UsageError(f"--chase {options.chase} does not go with --stream: it depends on the rules' order")
        if options.format not in ("facts", "json") or options.output != "-":
            raise UsageError("--stream prints facts or json to standard output; leave --output out")
    elif options.step is not None:
        raise UsageError("--step goes with --stream")
    elif options.at is not None and (options.start is not None or options.end is not None):
        raise UsageError("--at does not go with --from or --to")


def _answer(asked: Query, batches: Sequence[FactBatch], options: argparse.Namespace) -> int:
    start, end = _stretch(asked, options)
    found = answer_query(asked, batches, start=start, end=end, nulls=options.nulls, limits=limits_of(options))
    is_verdict = found.is_boolean and options.at is not None
    if is_verdict and options.format in ("facts", "json"):
        write_text("true\n" if found else "false\n", options.output)
    else:
        write(found, (NAME,), options.format, options.output)
    _tell_divisions(asked, found.divisions_by_zero)
    return FALSE if is_verdict and not found else 0


def _stretch(asked: Query, options: argparse.Namespace) -> tuple[Endpoint, Endpoint]:
    if options.at is not None:
        time = require_time_point(asked, parse_time(options.at, "--at", asked.program, 0.0), "--at")
        return time, time
    return parse_stretch(options, asked.program)


def _stream(program: Program, asked: Query, batches: Sequence[FactBatch], options: argparse.Namespace) -> int:
    limits = limits_of(options)
    answering = QueryStream(
        program,
        asked,
        INTERVALS if options.at is None else OutputTimes.parse(options.at),
        nulls=options.nulls,
        max_rounds=limits.rounds,
        max_nulls=limits.nulls,
        max_depth=limits.depth,
        max_memory=options.max_memory,
    )
    end = parse_time(options.end, "--to", asked.program, math.inf)
    until = None if isinstance(end, float) else Fraction(end)
    for found in answering.replay(batches, options.step or Fraction(1), until):
        lines = json_lines(found, NAME) if options.format == "json" else _fact_lines(found)
        write_text("".join(lines), "-")
    _tell_divisions(asked, answering.reasoner.divisions_by_zero)
    return 0


def _fact_lines(found: QueryAnswers) -> Iterator[str]:
    return (f"{line}\n" for line in found.lines(NAME).to_pylist())


def _tell_divisions(asked: Query, divisions: Divisions) -> None:
    for warning in in_words_of_query(division_warnings(asked.program, divisions), asked.rule.number):
        tell(warning.render())
