"""``thalweg view``: a page that shows runs while they go on, and what follows from programs."""

from __future__ import annotations

import argparse
import ipaddress
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.cli.messages import tell
from thalweg.cli.times import parse_stretch
from thalweg.errors import UsageError

if TYPE_CHECKING:
    from thalweg.web.page_api import Shelf
    from thalweg.web.program_subject import ProgramSubject

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

DESCRIPTION = """\
Serves a page on this machine, and prints its address. Ctrl-C ends it.

The paths are folders: the page shows the runs whose answers are in them or below, by default below the current folder,
with their rate, lag, stored facts and late rows, a timeline of the answers, open hypotheses, and the proof of an answer
that is clicked. Or they are a file of rules and files of facts: the page shows what follows, with proofs.
"""

EXAMPLES = """\
examples:
  thalweg view                               the runs below the current folder
  thalweg view answers --open                the run that writes to this folder, in a browser
  thalweg view pumps.rules pumps.facts       what follows from rules and facts
"""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "view",
        help="show runs, or what follows from a program, on a page in the browser",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )
    parser.add_argument("paths", metavar="PATH", nargs="*", type=Path, help="folders; or a program and files of facts")
    parser.add_argument("--port", metavar="N", type=_port, default=0, help="the port (default: one that is free)")
    parser.add_argument("--host", metavar="H", default="127.0.0.1", help="serve on another address than the loopback")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    add_program_options(parser)
    parser.set_defaults(command=view)


def add_program_options(parser: argparse.ArgumentParser) -> None:
    """Add what can be said of a program and facts."""
    parser.add_argument("--query", metavar="P", action="append", default=[], help="the predicates that are answers")
    parser.add_argument("--from", dest="start", metavar="T", help="of a program and facts: the first time of interest")
    parser.add_argument("--to", dest="end", metavar="T", help="of a program and facts: the last time of interest")
    parser.add_argument(
        "--dates", action="store_true", help="of a program and facts: show numbers as dates, counted from 1970"
    )


def view(options: argparse.Namespace) -> int:
    """Run the command."""
    # Most commands do without a server.
    from thalweg.web.server import PageServer

    shelf = _shelf(options)
    with PageServer(shelf, options.host, options.port) as server:
        if not _is_loopback(options.host):
            tell(f"thalweg: everybody who reaches {options.host} can read the answers: there is no password")
        print(f"thalweg: {server.address}", flush=True)
        if options.open:
            webbrowser.open(server.address)
        with suppress(KeyboardInterrupt):
            server.serve_forever(poll_interval=0.2)
    return 0


def opened_program(options: argparse.Namespace) -> ProgramSubject:
    """The program and the facts that the paths name."""
    from thalweg.web.open_subject import program_subject

    program, *facts = options.paths
    return program_subject(
        program,
        facts,
        stretch=lambda known: parse_stretch(options, known),
        queries=options.query,
        dates=options.dates,
        warn=lambda diagnostic: tell(diagnostic.render()),
    )


def _shelf(options: argparse.Namespace) -> Shelf:
    from thalweg.web.shelves import FolderShelf, OneShelf

    paths = options.paths or [Path()]
    if paths[0].is_file():
        return OneShelf(opened_program(options), str(paths[0].resolve()))
    files = [path for path in paths if path.is_file()]
    if files:
        raise UsageError(f"{files[0]} is a file: name the program first, and then files of facts")
    return FolderShelf(paths)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text} is not a port")
    return int(text)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
