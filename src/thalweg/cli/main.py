"""``thalweg``: check a program, run it over facts, ask queries, watch what may become true, translate CQL, measure.

Exit codes: 0 done, 1 the program or the data is wrong (diagnostics on stderr, nothing written), 2 the call is wrong,
3 Spark failed, 4 a query is false, 130 stopped by the user.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
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
from thalweg.cli.messages import tell
from thalweg.cli.order import check_order
from thalweg.cli.repl import command as repl
from thalweg.errors import DiagnosticError, SparkError, UsageError, did_you_mean

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
        code: int = options.command(options)
        return code
    except DiagnosticError as error:
        tell(str(error))
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
