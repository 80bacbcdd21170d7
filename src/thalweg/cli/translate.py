"""``thalweg translate``: queries of other languages as rules, and rules as those of other systems."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.analysis.existential.read_lars_plus import read_lars_plus
from thalweg.analysis.existential.readable import readable
from thalweg.analysis.existential.rewriting import rewrite
from thalweg.analysis.existential.rls import rls
from thalweg.analysis.existential.timeline_facts import stream_facts, timeline_facts
from thalweg.api import diagnose, read_source, unused_facts
from thalweg.cli.messages import tell
from thalweg.engine.intake import check_batches
from thalweg.engine.materialise import materialise
from thalweg.engine.on_timeline import off_timeline
from thalweg.engine.read import read_facts_of
from thalweg.errors import DataError, ProgramError, UsageError
from thalweg.model.formula import Atom, Constant
from thalweg.model.program import Fact, Program
from thalweg.null import Null
from thalweg.time.interval import Interval

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

RULES, EXISTENTIAL_RULES, RLS = "rules", "existential-rules", "rls"

_DESCRIPTION = """\
Translates a program and prints it. Reports every mistake with its place and a hint.

--to rules (the default) takes a CQL file, SQL with windows over streams, and writes rules. The others take a program
of LARS+ and write its rewriting to existential rules without time: existential-rules for people, rls for the rule
engines Nemo and Rulewerk. With FACTS, or with --timeline, facts and the timeline are written, too, so that an rls file
has all that such an engine needs.
"""

_EXAMPLE = """\
examples:
  thalweg translate trams.cql --output trams.rules
  thalweg translate belts.rules --to existential-rules
  thalweg translate belts.rules belts.facts --to rls --timeline 0..99 --output belts.rls

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

_OF_RUNS = "W3"
"""How the codes of warnings begin that say how a program will run; here it is not run."""

_TIMELINE = re.compile(r"(\d+)\.\.(\d+)")


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "translate",
        help="write queries in CQL as rules, or rules as existential rules",
        description=_DESCRIPTION,
        epilog=_EXAMPLE,
    )
    parser.add_argument("program", metavar="PROGRAM", type=Path, help="file of CQL queries, or of rules")
    parser.add_argument("facts", metavar="FACTS", nargs="*", type=Path, help="files of facts to write with the rules")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write to FILE, not to standard output")
    parser.add_argument(
        "--to", choices=(RULES, EXISTENTIAL_RULES, RLS), default=RULES, help="the language to translate to"
    )
    parser.add_argument(
        "--timeline",
        metavar="0..H",
        help="the time points, where the program does not declare the end of its timeline",
    )
    parser.add_argument("--json", action="store_true", help="print an object with the language and the text")
    parser.set_defaults(command=translate)


def translate(options: argparse.Namespace) -> int:
    """Run the command."""
    text = _rules(options) if options.to == RULES else _existential_rules(options)
    if options.json:
        text = json.dumps({"language": options.to, "text": text}, ensure_ascii=False) + "\n"
    _write(text, options.output)
    return 0


def _rules(options: argparse.Namespace) -> str:
    if options.facts or options.timeline is not None:
        which = "--timeline goes" if options.timeline is not None else "FACTS go"
        raise UsageError(f"{which} with --to {EXISTENTIAL_RULES} and --to {RLS}")
    # Loading sqlglot takes as long as all else that the command line loads.
    from thalweg.syntax.cql import translate as translate_cql
    from thalweg.syntax.printer import format_program

    program, diagnostics = translate_cql(read_source(options.program))
    if diagnostics:
        raise ProgramError(diagnostics)
    return format_program(program)


def _existential_rules(options: argparse.Namespace) -> str:
    """rew(P), and rew(D) and rew(T) where the timeline is known (LARS+ paper, Section 3)."""
    program = _program(options.program)
    source, refused = read_lars_plus(program)
    if refused:
        raise ProgramError(refused)
    write = rls if options.to == RLS else readable
    horizon = _horizon(options.timeline, program)
    if horizon is None:
        if options.facts:
            raise UsageError("facts are written for the time points of a finite timeline: add --timeline 0..100")
        note = "% the facts of the program are written with --timeline\n" if program.facts else ""
        return write(rewrite(source)) + note
    rules = rewrite(source.clipped(horizon))
    facts = write((), stream_facts(_facts(program, options.facts, horizon), horizon))
    arithmetic = rls((), timeline_facts([rule.body for rule in rules], horizon)) if options.to == RLS else ""
    return f"{write(rules)}% facts\n{facts}% the timeline 0..{horizon}\n{arithmetic}"


def _program(path: Path) -> Program:
    program, diagnostics = diagnose(read_source(path), stratified=False)
    if any(diagnostic.is_error for diagnostic in diagnostics):
        raise ProgramError(diagnostics)
    for warning in diagnostics:
        if not warning.code.startswith(_OF_RUNS):
            tell(warning.render())
    return program


def _horizon(timeline: str | None, program: Program) -> int | None:
    """The last time point, which the program declares or the call names."""
    declared = None if program.timeline_end is None else int(program.timeline_end)
    if timeline is None:
        return declared
    ends = _TIMELINE.fullmatch(timeline)
    if ends is None:
        raise UsageError(f"--timeline {timeline} is not a timeline: write its first and last time point, 0..100")
    first, last = map(int, ends.groups())
    if first != 0:
        raise UsageError(f"--timeline {timeline} does not begin at 0, as the timelines of LARS+ do")
    if declared is not None and last != declared:
        raise UsageError(f"--timeline {timeline} is not the timeline of the program, which ends at {declared}")
    return last


def _facts(program: Program, paths: Sequence[Path], horizon: int) -> list[Fact]:
    """The facts of the program and the files, which lie on the timeline."""
    batches, problems = read_facts_of(program, paths)
    program = replace(program, timeline_start=Fraction(0), timeline_end=Fraction(horizon))
    problems += [] if problems else check_batches(program, batches)
    if problems:
        raise DataError(problems)
    for warning in unused_facts(program, batches):
        tell(warning.render())
    held = materialise(replace(program, rules=()), batches).facts()
    facts = [_fact(*atom, interval) for atom, intervals in held.items() for interval in intervals]
    timeline = Interval(Fraction(0), Fraction(horizon))
    timed = (fact for fact in facts if fact.atom.predicate not in program.background)
    outside = [fact for fact in timed if not _lies_on(fact.interval, timeline)]
    if outside:
        raise DataError([off_timeline(fact.atom.predicate, fact.interval, timeline) for fact in outside])
    return facts


def _fact(predicate: str, values: Sequence[str | Fraction | Null], interval: Interval) -> Fact:
    return Fact(Atom(predicate, tuple(Constant(value) for value in values if not isinstance(value, Null))), interval)


def _lies_on(interval: Interval, timeline: Interval) -> bool:
    """Whether the finite ends of an interval lie on the timeline."""
    return all(isinstance(end, float) or end in timeline for end in (interval.start, interval.end))


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error
