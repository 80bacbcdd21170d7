"""``thalweg demo``: the bundled example, with its rules, some of its facts, and its answers."""

from __future__ import annotations

import argparse
from importlib.resources import files
from typing import TYPE_CHECKING

from thalweg.analysis.report import analyse
from thalweg.api import materialise, parse
from thalweg.cli.run import default_queries

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_SHOWN = 8

_EPILOG = """\
examples:
  thalweg demo
  thalweg demo | less

thalweg repl and thalweg generate are for trying things of your own.
"""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "demo",
        help="run the bundled example",
        description="Runs the bundled traffic example: prints its rules, some of its facts, what the analysis says,\n"
        "and the answers.",
        epilog=_EPILOG,
    )
    parser.set_defaults(command=demo)


def demo(_: argparse.Namespace) -> int:
    """Run the command."""
    rules, facts = (files("thalweg.examples").joinpath(f"traffic.{kind}").read_text() for kind in ("rules", "facts"))
    program = parse(rules, "traffic.rules")
    model = materialise(program, facts)
    lines = facts.splitlines()
    _section("The rules (traffic.rules)", rules)
    _section("The facts (traffic.facts)", "\n".join(lines[:_SHOWN]) + f"\n… and {len(lines) - _SHOWN} more")
    _section("What the analysis promises (thalweg check)", analyse(program).to_text())
    answers = "\n".join(model.to_text(query) for query in default_queries(program))
    _section("The answers (thalweg run traffic.rules traffic.facts)", answers)
    return 0


def _section(title: str, text: str) -> None:
    print(f"{title}\n{'─' * len(title)}\n{text.strip()}\n")
