"""``thalweg``: check a program, run it over facts, ask queries, watch what may become true, translate CQL, measure.

Exit codes: 0 done, 1 the program or the data is wrong, or a disk is full (diagnostics on stderr), 2 the call is wrong,
3 Spark failed, 4 a query is false, 130 stopped by the user.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from types import MappingProxyType, ModuleType
from typing import NoReturn

from thalweg import __version__
from thalweg.cli import (
    bench,
    check,
    completion,
    demo,
    generate,
    help_pages,
    language_server,
    query,
    report,
    run,
    translate,
    view,
    watch,
    why,
)
from thalweg.cli.messages import SKIP_HINT, tell
from thalweg.cli.order import check_order
from thalweg.cli.repl import command as repl
from thalweg.cli.run_options import memory_of
from thalweg.engine.memory_limit import limited
from thalweg.errors import BadFactsError, DiagnosticError, SparkError, StorageError, UsageError, did_you_mean
from thalweg.record.full_disk import is_full, no_room
from thalweg.source import visible

GROUPS: Mapping[str, tuple[ModuleType, ...]] = MappingProxyType(
    {
        "look around": (demo, repl),
        "write rules": (check, translate, language_server),
        "reason": (run, query, why, watch),
        "look at it in a browser": (view, report),
        "try and measure": (generate, bench),
        "the command itself": (completion,),
    }
)
"""The commands in the order in which help shows them."""

COMMANDS = tuple(command for group in GROUPS.values() for command in group)

STOPPED = 130

_FIRST_STEPS = """\
first steps:
  thalweg demo                                                      rules, facts and answers of an example
  thalweg generate traffic --vehicles 10 --to traffic.facts         facts, and traffic.rules
  thalweg check traffic.rules                                       what is wrong, what it promises
  thalweg run traffic.rules traffic.facts --query ShortStop         the answers
  thalweg repl traffic.rules traffic.facts                          ask, change, ask again

thalweg COMMAND --help says more. Rules and facts are described in docs/language.md.
"""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    sys.exit(run_command(sys.argv[1:] if arguments is None else arguments))


def run_command(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit code."""
    parser = make_parser()
    if not arguments:
        parser.print_help(sys.stderr)
        return 2
    try:
        _check_command(arguments[0], parser)
        options = parser.parse_args(arguments)
        check_order(options)
        with _limited(options):
            code: int = options.command(options)
            if not sys.stdout.closed:  # the language server closes it
                sys.stdout.flush()
        return code
    except StorageError as error:
        _leave_standard_output()
        tell(str(error))
        return 1
    except DiagnosticError as error:
        tell(str(error))
        if isinstance(error, BadFactsError):
            tell(SKIP_HINT)
        return 1
    except UsageError as error:
        print(visible(f"thalweg: {error}"), file=sys.stderr)
        return 2
    except SparkError as error:
        print(visible(f"thalweg: {error}"), file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("thalweg: stopped", file=sys.stderr)
        return STOPPED
    except BrokenPipeError:
        # Whoever read the output has had enough; that is no mistake of ours or theirs.
        sys.stderr.close()
        return 0
    except OSError as error:
        if not is_full(error):
            raise
        _leave_standard_output()
        tell(str(no_room(error.errno, error.filename or "standard output")))
        return 1


def _leave_standard_output() -> None:
    """What could not be written there must not be tried once more when the program ends."""
    with suppress(OSError, ValueError), open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), sys.stdout.fileno())


def _limited(options: argparse.Namespace) -> AbstractContextManager[None]:
    """Limit the memory of a command that reasons, from when it begins: files that it reads count, too."""
    return limited(memory_of(options)) if hasattr(options, "max_memory") else nullcontext()


def _check_command(word: str, parser: argparse.ArgumentParser) -> None:
    """Refuse a command that there is not, with the one that may be meant: argparse would list them all."""
    commands = next(each.choices for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    if not word.startswith("-") and word not in commands:
        hint = did_you_mean(word, commands)
        raise UsageError(f"there is no command {word}; {hint or 'thalweg --help lists the commands'}")


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="thalweg",
        usage="thalweg [-h] [--version] COMMAND …",
        description="Reason with rules about time.",
    )
    parser.add_argument("--version", action="version", version=f"thalweg {__version__}")
    commands = parser.add_subparsers(required=True, prog="thalweg", metavar="COMMAND", help=argparse.SUPPRESS)
    sections = []
    for title, group in GROUPS.items():
        known = len(commands.choices)
        for command in group:
            command.add_to(commands)
        sections.append("\n".join((f"{title}:", *_listed(commands, known))))
    parser.epilog = "\n".join((*sections, "", _FIRST_STEPS))
    help_pages.use_in(parser)
    return parser


def _listed(commands: argparse._SubParsersAction[argparse.ArgumentParser], known: int) -> Iterator[str]:
    """The commands added after the first so many, with what they do."""
    # argparse keeps the short descriptions to itself.
    for each in commands._choices_actions[known:]:
        yield f"  {each.dest:<17}{each.help}"
