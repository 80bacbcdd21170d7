"""``thalweg check``: what a program promises, before it runs."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.analysis.report import analyse
from thalweg.api import diagnose, read_source
from thalweg.errors import Diagnostic

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "check",
        help="say what is wrong with a program, and what it promises",
        description="Reports every mistake in PROGRAM with its place and a hint. For a correct program, prints its"
        " predicates, recursion, strata, fragment, window size and granularity.",
    )
    parser.add_argument("program", metavar="PROGRAM", type=Path, help="file of rules")
    parser.add_argument("--json", action="store_true", help="print the report, or the mistakes, as JSON")
    parser.set_defaults(command=check)


def check(options: argparse.Namespace) -> int:
    """Run the command."""
    program, diagnostics = diagnose(read_source(options.program))
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.is_error]
    if options.json:
        report = {} if errors else analyse(program).to_json()
        document = {"ok": not errors, "diagnostics": [_as_json(d) for d in diagnostics], **report}
        print(json.dumps(document, indent=2, ensure_ascii=False))
        return 1 if errors else 0
    for diagnostic in diagnostics:
        print(diagnostic.render(), file=sys.stderr)
    if errors:
        return 1
    print(analyse(program).to_text())
    return 0


def _as_json(diagnostic: Diagnostic) -> dict[str, object]:
    span = diagnostic.span
    place = {"file": span.source.name, "line": span.line, "column": span.column} if span else None
    return {"code": diagnostic.code, "message": diagnostic.message, "hint": diagnostic.hint, "place": place}
