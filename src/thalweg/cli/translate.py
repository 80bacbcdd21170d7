"""``thalweg translate``: queries of other languages as rules."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.api import read_source
from thalweg.errors import ProgramError, UsageError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_EXAMPLE = """\
example: trams.cql with
  CREATE STREAM tram (id TEXT, x TEXT);
  CREATE TABLE line (id TEXT, l TEXT);
  CREATE VIEW rel AS SELECT l, x FROM tram [RANGE 10], line WHERE tram.id = line.id;
becomes
  timeline integer.
  input tram(id: string, x: string).
  background line(id: string, l: string).
  output rel(l, x).
  rel(L, X) :- window[last 10] some tram(ID, X), line(ID, L).
"""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "translate",
        help="write queries in CQL as rules",
        description="Translates the queries of a CQL file, SQL with windows over streams, to rules and prints them.\n"
        "Reports every mistake with its place and a hint.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("query", metavar="QUERY", type=Path, help="file of CQL declarations and queries")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write to FILE, not to standard output")
    parser.add_argument("--to", choices=("rules",), default="rules", help="the language to translate to")
    parser.set_defaults(command=translate)


def translate(options: argparse.Namespace) -> int:
    """Run the command."""
    # Loading sqlglot takes as long as all else that the command line loads.
    from thalweg.syntax.cql import translate as translate_cql
    from thalweg.syntax.printer import format_program

    program, diagnostics = translate_cql(read_source(options.query))
    if diagnostics:
        raise ProgramError(diagnostics)
    _write(format_program(program), options.output)
    return 0


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error
