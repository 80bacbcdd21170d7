"""``thalweg report``: a run, or what follows from a program, as one HTML file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.cli.messages import notice, tell
from thalweg.cli.output import check_output, write_text
from thalweg.cli.view import add_program_options, opened_program
from thalweg.errors import UsageError

if TYPE_CHECKING:
    from thalweg.web.subject import Subject

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

DESCRIPTION = """\
Writes what thalweg view shows as one HTML file, with everything in it: no other file and no network is needed to look
at it. PATH is the folder of answers of a run, finished or not; or the paths are a file of rules and files of facts.
"""

EXAMPLES = """\
examples:
  thalweg report answers -o report.html                   of a run
  thalweg report pumps.rules pumps.facts -o pumps.html    of rules and facts
"""

DEFAULT_PROOFS = 200
"""So many answers have their proofs in a report, unless told otherwise."""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "report",
        help="write what the page shows as one HTML file",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a folder; or a program and files of facts")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write")
    parser.add_argument(
        "--proofs",
        metavar="N",
        type=_count,
        default=DEFAULT_PROOFS,
        help=f"with the proofs of at most N answers (default: {DEFAULT_PROOFS})",
    )
    add_program_options(parser)
    parser.set_defaults(command=report)


def report(options: argparse.Namespace) -> int:
    """Run the command."""
    # Most commands do without it.
    from thalweg.web.report import report as report_text
    from thalweg.web.shelves import OneShelf

    check_output("facts", options.output, ())
    subject = _subject(options)
    with notice("thalweg: looking for proofs …"):
        # A report goes to other people: it says what it is about, not where that lies on this machine.
        text = report_text(OneShelf(subject, options.paths[0].resolve().name), subject, options.proofs)
    write_text(text, options.output)
    if options.output != "-":
        tell(f"thalweg: wrote {options.output}, {len(text.encode()) / 1000:,.0f} kB")
    return 0


def _subject(options: argparse.Namespace) -> Subject:
    from thalweg.web.open_subject import run_subject

    if options.paths[0].is_file():
        return opened_program(options)
    if len(options.paths) > 1:
        raise UsageError("a report is about one run: name one folder, or a program and files of facts")
    return run_subject(options.paths[0])


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a number")
    return int(text)
