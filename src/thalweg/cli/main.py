"""``thalweg``: check a program, run it over facts, ask queries, watch what may become true, translate CQL, measure.

Exit codes: 0 done, 1 the program or the data is wrong (diagnostics on stderr, nothing written), 2 the call is wrong,
3 Spark failed, 4 a query is false, 130 stopped by the user.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from thalweg import __version__
from thalweg.cli import bench, check, demo, generate, query, run, translate, watch
from thalweg.errors import DiagnosticError, SparkError, UsageError

COMMANDS = (check, run, query, watch, translate, generate, bench, demo)

STOPPED = 130

_EPILOG = "Rules and facts are described in docs/language.md."


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    sys.exit(run_command(sys.argv[1:] if arguments is None else arguments))


def run_command(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit code."""
    parser = _parser()
    try:
        options = parser.parse_args(arguments)
        code: int = options.command(options)
        return code
    except DiagnosticError as error:
        print(error, file=sys.stderr)
        return 1
    except UsageError as error:
        print(f"thalweg: {error}", file=sys.stderr)
        return 2
    except SparkError as error:
        print(f"thalweg: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("thalweg: stopped", file=sys.stderr)
        return STOPPED
    except BrokenPipeError:
        # Whoever read the output has had enough; that is no mistake of ours or theirs.
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="thalweg", description="Reason with rules about time.", epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"thalweg {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    return parser
