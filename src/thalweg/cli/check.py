"""``thalweg check``: what a program promises, before it runs."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.analysis.hypotheses.report import MOST_SHOWN, QueryReport, expects_hypotheses, report_on, to_text
from thalweg.analysis.queries import check_queries
from thalweg.analysis.report import Report, analyse
from thalweg.analysis.stratification import HOW_TO_ANSWER, check_stratified
from thalweg.api import diagnose, read_source
from thalweg.cli.messages import tell
from thalweg.cli.numbers import length, positive
from thalweg.errors import Diagnostic
from thalweg.model.program import Program
from thalweg.plan.streaming import Streaming

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


_EXAMPLES = """\
examples:
  thalweg check pumps.rules                                 mistakes, or what the program promises
  thalweg check pumps.rules --domain 1000 --step 1          a bound on the memory of a stream
  thalweg check turbine.rules --hypotheses --query Malf     what an answer waits for, and how long
  thalweg check belts.rules --timeline 0..20                whether rules with exists end on a timeline
  thalweg check trams.cql                                   queries in CQL
  thalweg check pumps.rules --json                          for programs

The exit code is 1 if something is wrong, and 0 if there are warnings only.
"""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "check",
        help="say what is wrong with a program, and what it promises",
        description="Reports every mistake in PROGRAM with its place and a hint. For a correct program, prints its\n"
        "predicates, recursion, strata, fragment, window size and granularity.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("program", metavar="PROGRAM", type=Path, help="file of rules")
    parser.add_argument(
        "--domain", metavar="N", type=positive, help="bound the memory of a stream with N different values"
    )
    parser.add_argument("--step", metavar="S", type=length, help="… that is read in steps of S (default: one tick)")
    parser.add_argument("--tick", metavar="T", type=length, help="… whose times are multiples of T")
    parser.add_argument(
        "--timeline",
        metavar="A..B",
        type=_timeline,
        help="ask of rules with exists whether they end on streams over the time points from A to B"
        " (default: the declared timeline, or every bounded one)",
    )
    _add_hypotheses(parser.add_argument_group("hypotheses", "what may still become true, and what it waits for"))
    parser.add_argument("--json", action="store_true", help="print the report, or the mistakes, as JSON")
    parser.set_defaults(command=check)


def _add_hypotheses(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--hypotheses",
        action="store_true",
        help="say what queries wait for (the default on the integer timeline, for programs that declare delays,"
        " probabilities or time in last argument)",
    )
    group.add_argument(
        "--query",
        metavar="P",
        action="append",
        help="… this query only; may be repeated (default: the output predicates, or all that rules derive)",
    )
    group.add_argument(
        "--depth", metavar="N", type=positive, help="… of recursive rules, derivations of at most N nested rules"
    )
    group.add_argument("--all", action="store_true", help=f"… all patterns of a query, not only the first {MOST_SHOWN}")


def check(options: argparse.Namespace) -> int:
    """Run the command."""
    program, diagnostics = diagnose(read_source(options.program), stratified=False)
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.is_error]
    cycles = () if errors else tuple(check_stratified(program))
    streaming = None if errors or cycles else Streaming.of(program)
    diagnostics = (*diagnostics, *(() if streaming is None else streaming.endless))
    if options.json:
        report = {} if errors else _document(program, options, cycles, streaming)
        document = {"ok": not errors, "diagnostics": [_as_json(d) for d in diagnostics], **report}
        print(json.dumps(document, indent=2, ensure_ascii=False))
        return 1 if errors else 0
    for diagnostic in diagnostics:
        tell(diagnostic.render())
    if errors:
        return 1
    print(_report(program, options).to_text().rstrip())
    for cycle in cycles:
        print(f"answers      {cycle.message}: {HOW_TO_ANSWER}")
    if streaming is not None:
        print(streaming.to_text())
    reports = _hypotheses(program, options)
    if reports is not None:
        print(to_text(reports, None if options.all else MOST_SHOWN))
    return 0


def _document(
    program: Program, options: argparse.Namespace, cycles: Sequence[Diagnostic], streaming: Streaming | None
) -> dict[str, object]:
    stream = {} if streaming is None else {"stream": streaming.to_json()}
    reports = _hypotheses(program, options)
    hypotheses = {} if reports is None else {"hypotheses": [report.to_json() for report in reports]}
    return {**_report(program, options).to_json(), "cycles": [each.message for each in cycles], **stream, **hypotheses}


def _hypotheses(program: Program, options: argparse.Namespace) -> tuple[QueryReport, ...] | None:
    """What is said of hypothetical answers; None where nobody asks."""
    is_asked = options.hypotheses or options.query or options.depth or options.all
    if not (is_asked or expects_hypotheses(program)):
        return None
    return report_on(program, check_queries(program, options.query or ()), options.depth)


def _report(program: Program, options: argparse.Namespace) -> Report:
    asked = {"step": options.step, "tick": options.tick, "timeline": options.timeline}
    return analyse(program, domain_size=options.domain, **asked)


def _timeline(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", text)
    if match is None or int(match[1]) > int(match[2]):
        raise argparse.ArgumentTypeError(f"{text} is no timeline: write its first and last time point, such as 0..20")
    return int(match[1]), int(match[2])


def _as_json(diagnostic: Diagnostic) -> dict[str, object]:
    span = diagnostic.span
    place = {"file": span.source.name, "line": span.line, "column": span.column} if span else None
    return {"code": diagnostic.code, "message": diagnostic.message, "hint": diagnostic.hint, "place": place}
