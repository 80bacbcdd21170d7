"""``thalweg watch``: a live table of what may still become true."""

from __future__ import annotations

import argparse
import itertools
import json
import math
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.analysis.queries import check_queries
from thalweg.api import unused_facts
from thalweg.cli.hypotheses import apart, open_stream
from thalweg.cli.messages import skipped, tell, tell_problems
from thalweg.cli.numbers import length, positive, share
from thalweg.cli.programs import read_program
from thalweg.cli.run_options import add_memory
from thalweg.cli.watch_feeds import Piece, of_files, of_growing_file, of_standard_input
from thalweg.cli.watched import Watched
from thalweg.engine.read import read_facts_of
from thalweg.errors import BadFactsError, UsageError
from thalweg.model.program import Program
from thalweg.syntax.facts import FactBatch

if TYPE_CHECKING:
    from rich.console import Console

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

DESCRIPTION = """\
Shows in a table what may still become true of a query: what each open answer has, what it waits for and until when, by
when it is decided, and how likely it is, where the program declares probabilities. Ctrl-C ends it.

FACTS are files of facts, as for thalweg run; their lines are taken for arrivals, one file after another. The last of
them may be -, for lines from standard input, or, with --follow, a file of facts that grows.
"""

EXAMPLES = """\
examples:
  thalweg watch turbine.rules turbine.facts --query Malf --rate 20     a replay, 20 facts a second
  thalweg watch turbine.rules incoming.facts --query Malf --follow     a file that is written to
  nc -l 9999 | thalweg watch turbine.rules - --query Malf              a stream of lines
  thalweg watch turbine.rules turbine.facts --query Malf --json        for programs: counts and open answers
"""

REFRESH = 0.25
"""Seconds between two pictures."""

MOST_PRINTED = 1_000
"""So many open answers are printed where no terminal limits them."""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "watch",
        help="watch what may still become true, as facts come",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )
    parser.add_argument("program", metavar="PROGRAM", type=Path, help="file of rules")
    parser.add_argument("facts", metavar="FACTS", nargs="+", help="files of facts; - for standard input")
    parser.add_argument("--query", metavar="P", required=True, help="the predicate whose answers are watched")
    parser.add_argument(
        "--rate", metavar="N", type=length, help="take N facts of the files a second (default: at once)"
    )
    parser.add_argument("--follow", action="store_true", help="go on with what is added to the last file")
    parser.add_argument(
        "--every", metavar="S", type=length, help="print the table every S seconds, where the output is no terminal"
    )
    parser.add_argument(
        "--json", action="store_true", help="print an object with counts and open answers in place of each table"
    )
    parser.add_argument("--skip-bad", action="store_true", help="report bad facts, count them, and go on")
    parser.add_argument("--depth", metavar="N", type=positive, help="of recursive rules, at most N nested ones")
    parser.add_argument("--delay", metavar="D", help="how late facts may come for which no delay is declared")
    parser.add_argument("--min-confidence", metavar="P", type=share, help="give up what is less likely than P")
    parser.add_argument("--max-open", metavar="N", type=positive, help="give up the least likely beyond N")
    add_memory(parser)
    parser.set_defaults(command=watch)


def watch(options: argparse.Namespace) -> int:
    """Run the command."""
    program = read_program(options.program)
    (query,) = check_queries(program, options.query)
    stream = open_stream(program, query, options)
    files, live = _sources(options)
    batches, problems = read_facts_of(program, files)
    if problems and not options.skip_bad:
        raise BadFactsError(problems)
    tell_problems(problems)
    for warning in unused_facts(program, batches):
        tell(warning.render())
    background, others = apart(program, batches)
    watched = Watched(stream, background, bad=len(problems))
    if live is None:
        watched.begin(time.monotonic())
    with _until_interrupted(_pieces(program, others, live, options)) as pieces:
        _show(watched, pieces, options)
    if not options.json:
        print(f"thalweg: {watched.counts()}", flush=True)
    if watched.bad:
        tell(skipped(watched.bad))
    return 0


def _sources(options: argparse.Namespace) -> tuple[list[Path], str | None]:
    """The files to be read at once, and what goes on, if anything does."""
    *first, last = options.facts
    if "-" in first:
        raise UsageError("- stands for standard input, which does not end: name it last")
    if last == "-" and options.follow:
        raise UsageError("--follow is for a file; standard input is read to its end anyway")
    if last != "-" and not options.follow:
        return [Path(name) for name in options.facts], None
    return [Path(name) for name in first], last


def _pieces(
    program: Program, batches: list[FactBatch], live: str | None, options: argparse.Namespace
) -> Iterator[Piece]:
    yield from of_files(batches, None if options.rate is None else float(options.rate))
    if live == "-":
        yield from of_standard_input(program)
    elif live is not None:
        yield from of_growing_file(program, Path(live))


@contextmanager
def _until_interrupted(pieces: Iterator[Piece]) -> Iterator[Iterator[Piece]]:
    """The pieces until somebody presses Ctrl-C; what is being worked in is worked in whole."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield itertools.takewhile(lambda _: not pressed, pieces)
    finally:
        signal.signal(signal.SIGINT, before)


def _show(watched: Watched, pieces: Iterator[Piece], options: argparse.Namespace) -> None:
    # Most commands do without it.
    from rich.console import Console

    console = Console(highlight=False)
    if console.is_terminal and not console.is_dumb_terminal and not options.json:
        _live(watched, pieces, options, console)
    else:
        _plainly(watched, pieces, options)


def _live(watched: Watched, pieces: Iterator[Piece], options: argparse.Namespace, console: Console) -> None:
    from rich.live import Live

    from thalweg.cli.watch_view import live_view

    with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:
        due = -math.inf
        for _ in _taken(watched, pieces, options):
            if time.monotonic() >= due:
                live.update(live_view(watched, console, time.monotonic()), refresh=True)
                due = time.monotonic() + REFRESH
        live.update(live_view(watched, console, time.monotonic()), refresh=True)


def _plainly(watched: Watched, pieces: Iterator[Piece], options: argparse.Namespace) -> None:
    every = math.inf if options.every is None else float(options.every)
    due = time.monotonic() + every
    for _ in _taken(watched, pieces, options):
        if time.monotonic() >= due:
            _print(watched, options)
            due = time.monotonic() + every
    if options.json:
        _print_json(watched)
    else:
        _print_table(watched)


def _print(watched: Watched, options: argparse.Namespace) -> None:
    if options.json:
        _print_json(watched)
    else:
        _print_table(watched)
        print(watched.counts(), end="\n\n", flush=True)


def _print_json(watched: Watched) -> None:
    answers, count = watched.open(MOST_PRINTED)
    rows = [{"query": answers.query, **row} for row in answers.table().to_pylist()]
    document = {"counts": watched.numbers(), "open": rows, "not_shown": count - len(rows)}
    print(json.dumps(document, ensure_ascii=False, default=str), flush=True)


def _print_table(watched: Watched) -> None:
    from rich.console import Console

    from thalweg.cli.watch_view import plain_view

    # As wide as the table is: whoever reads a file or a pipe wants all of it.
    console = Console(file=sys.stdout, highlight=False, color_system=None, width=10_000)
    with console.capture() as shown:
        console.print(plain_view(watched, MOST_PRINTED))
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in shown.get().splitlines()))


def _taken(watched: Watched, pieces: Iterator[Piece], options: argparse.Namespace) -> Iterator[None]:
    """Take in piece after piece; stops in between for whoever looks."""
    for piece in pieces:
        if piece.problems and not options.skip_bad:
            raise BadFactsError(piece.problems)
        tell_problems(piece.problems)
        watched.bad += len(piece.problems)
        watched.take(piece.facts, time.monotonic())
        yield
