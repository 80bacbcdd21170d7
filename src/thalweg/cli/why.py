"""``thalweg why``: why a fact follows from a program and facts; ``thalweg why-not``: what is missing for it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.api import unused_facts
from thalweg.cli.colours import in_colour, paint
from thalweg.cli.messages import skipped, tell, tell_problems
from thalweg.cli.numbers import positive
from thalweg.cli.order import is_file
from thalweg.cli.programs import read_program
from thalweg.cli.run_options import add_limits, limits_of
from thalweg.cli.times import parse_stretch
from thalweg.engine.read import read_facts_of
from thalweg.errors import BadFactsError, UsageError
from thalweg.explain.asked import read_asked
from thalweg.explain.explainer import DEFAULT_DEPTH, Explainer
from thalweg.explain.of_run import explain_absence, explain_answer
from thalweg.explain.proof import Proof
from thalweg.explain.tree import Line, proof_lines
from thalweg.explain.why_not_text import why_not_lines
from thalweg.record.folder import RunFolder

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

FALSE = 4
"""The exit code of a question about a fact that does not hold, or, of why-not, about one that does."""

WHY = """\
Prints a proof of FACT: the rules that derive it, with the values of their variables, and the facts they use, down to
those that were given. It works in this process, without Spark.

Of a run with --explain, name the folder of its answers, and an answer by its id, a column of the answers: thalweg why
OUTPUT ID. Of a run that was no stream, its facts are read again, and FACT is written out.

FACT is written as run prints it: P(a)@3, P(a)@[1,2.5), or P(a) for every interval in which it holds. The exit code is 0
when it holds at all times asked about, otherwise 4.
"""

WHY_EXAMPLES = """\
examples:
  thalweg why pumps.rules pumps.facts 'Alarm(p1)@7'            at one time
  thalweg why pumps.rules pumps.facts 'Alarm(p1)@[5,7.5]'      throughout an interval
  thalweg why pumps.rules pumps.facts 'Alarm(p1)'              whenever it holds
  thalweg why pumps.rules pumps.facts 'Alarm(p1)@7' --depth 1  the last rule only
  thalweg why pumps.rules pumps.facts 'Alarm(p1)@7' --json
  thalweg why alarms 3f9a12bc44d0                              an answer of run --stream --explain --output alarms
"""

WHY_NOT = """\
Says why FACT does not hold: for each rule that could derive it, the first literal, in the order written, that cannot
be satisfied together with those before it; at which time, and how near it came. It works in this process, without
Spark. Of a run with --explain, name the folder of its answers instead of PROGRAM and FACTS.

FACT is written as for why; without a time the question is why it never holds. The exit code is 0 when it does not hold
at some time asked about, and 4 when it does hold: then ask why.
"""

WHY_NOT_EXAMPLES = """\
examples:
  thalweg why-not pumps.rules pumps.facts 'Alarm(p2)@7'
  thalweg why-not pumps.rules pumps.facts 'Alarm(p3)'          at no time at all
  thalweg why-not pumps.rules pumps.facts 'Alarm(p2)@7' --json
  thalweg why-not alarms 'Alarm(p2)@7'                         of run --stream --explain --output alarms
"""

_FAINT = "2"
_STYLES = {"fact": "1", "time": "36", "rule": "", "values": "32", "given": _FAINT, "note": "33", "condition": ""}


def add_to(commands: Commands) -> None:
    """Add the commands to the command line."""
    parser = commands.add_parser(
        "why",
        usage="thalweg why [OPTION …] PROGRAM [FACTS …] FACT\n       thalweg why [OPTION …] OUTPUT ID",
        help="print a proof of a fact",
        description=WHY,
        epilog=WHY_EXAMPLES,
    )
    _add_options(parser)
    parser.add_argument(
        "--depth",
        metavar="N",
        type=positive,
        default=DEFAULT_DEPTH,
        help="show proofs at most N rules deep (default: %(default)s)",
    )
    parser.set_defaults(command=why)
    parser = commands.add_parser(
        "why-not",
        usage="thalweg why-not [OPTION …] PROGRAM [FACTS …] FACT\n       thalweg why-not [OPTION …] OUTPUT FACT",
        help="say what is missing for a fact",
        description=WHY_NOT,
        epilog=WHY_NOT_EXAMPLES,
    )
    _add_options(parser)
    parser.set_defaults(command=why_not)


def why(options: argparse.Namespace) -> int:
    """Run ``thalweg why``."""
    _refuse_file(options)
    proof = _of_run(options) if _is_run(options) else _explainer(options).why(options.fact, depth=options.depth)
    _print(proof.to_json(), proof_lines(proof), options)
    return 0 if proof.holds else FALSE


def _is_run(options: argparse.Namespace) -> bool:
    """Whether the question is about an answer in a folder, rather than about a program and facts."""
    return not options.facts and options.program.is_dir()


def _refuse_file(options: argparse.Namespace) -> None:
    if not options.program.is_dir() and is_file(options.fact):
        raise UsageError(f"{options.fact} is a file; the last of PROGRAM FACTS FACT is a fact: 'P(a)@3'")


def _of_run(options: argparse.Namespace) -> Proof:
    return explain_answer(_run(options), options.fact, depth=options.depth, limits=limits_of(options))


def _run(options: argparse.Namespace) -> RunFolder:
    if options.start is not None or options.end is not None:
        raise UsageError("--from and --to do not go with the answers of a run")
    return RunFolder(options.program)


def why_not(options: argparse.Namespace) -> int:
    """Run ``thalweg why-not``."""
    _refuse_file(options)
    if _is_run(options):
        answer = explain_absence(_run(options), options.fact, limits=limits_of(options))
    else:
        answer = _explainer(options).why_not(options.fact)
    _print(answer.to_json(), why_not_lines(answer), options)
    return 0 if answer.missing else FALSE


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", metavar="PROGRAM", type=Path, help="file of rules")
    parser.add_argument("facts", metavar="FACTS", nargs="*", type=Path, help="files of facts")
    parser.add_argument("fact", metavar="FACT", help="what is asked about; options stand before all of these or after")
    parser.add_argument("--from", dest="start", metavar="T", help="first time of interest (default: no limit)")
    parser.add_argument("--to", dest="end", metavar="T", help="last time of interest (default: no limit)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a tree")
    add_limits(parser, any_chase=False)


def _explainer(options: argparse.Namespace) -> Explainer:
    """Everything that is known, computed as far as the fact depends on it."""
    program = read_program(options.program)
    asked = read_asked(options.fact, program)
    batches, problems = read_facts_of(program, options.facts)
    if problems and not options.skip_bad:
        raise BadFactsError(problems)
    tell_problems(problems)
    for warning in unused_facts(program, batches):
        tell(warning.render())
    start, end = parse_stretch(options, program)
    explainer = Explainer(program, batches, start=start, end=end, wanted=(asked.predicate,), limits=limits_of(options))
    if problems:
        tell(skipped(len(problems)))
    return explainer


def _print(data: object, lines: Sequence[Line], options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(data, ensure_ascii=False))
        return
    for line in lines:
        print(_painted(line) if in_colour(sys.stdout) else line)


def _painted(line: Line) -> str:
    """A line with its colours."""
    return paint(line.branches, _FAINT) + "".join(paint(text, _STYLES[kind]) for text, kind in line.parts)
