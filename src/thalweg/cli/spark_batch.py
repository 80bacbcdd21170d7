"""``thalweg run`` on Spark: the same answers as in one process, from as many cores as there are."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from typing import Any

from thalweg.api import unused_predicates as warn_of_unused
from thalweg.cli.messages import notice, on_terminal, skipped, tell
from thalweg.cli.output import output_folder, write, write_text
from thalweg.cli.progress import Work, work
from thalweg.cli.recording import batch_record
from thalweg.cli.run_options import limits_of
from thalweg.cli.times import parse_length
from thalweg.engine.divisions import division_warnings
from thalweg.engine.given import Given
from thalweg.engine.hypotheses.pruning import Pruning
from thalweg.engine.tables_file import TableSpec
from thalweg.errors import MOST_SHOWN, BadFactsError, DataError, Diagnostic, UsageError
from thalweg.model.program import Program
from thalweg.spark.broken_files import BrokenFileError, leaving_out_broken
from thalweg.spark.collect import Collected, SetAside, collect, packed_rows, set_aside, unused_predicates
from thalweg.spark.fact_inputs import Opening, argument_columns, time_columns
from thalweg.spark.failures import spark_errors
from thalweg.spark.hypothesis_reasoning import Asked, HypothesisReasoning
from thalweg.spark.line_writer import line_writer
from thalweg.spark.partitions import fit_partitions
from thalweg.spark.reasoning import Options, Reasoning
from thalweg.spark.signals import start_session
from thalweg.spark.sinks import LINE_FORMATS
from thalweg.spark.tasks import HearTasks
from thalweg.spark.transport import ANSWERS
from thalweg.time.interval import Endpoint


def run_batch(
    program: Program,
    queries: Sequence[str],
    given: Given,
    tables: Sequence[TableSpec],
    options: argparse.Namespace,
    start: Endpoint,
    end: Endpoint,
) -> int:
    """Derive what follows, and write it."""
    if options.hypotheses:
        return _run_hypotheses(program, queries, given, tables, options)
    chosen = Options(
        time=time_columns(tables),
        arguments=argument_columns(tables),
        start=start,
        end=end,
        shards=options.shards,
        keeps_bad_rows=options.skip_bad,
        limits=limits_of(options),
    )
    format_ = options.format or "facts"
    folder = output_folder(format_, options.output, queries)
    with nullcontext() if folder is None else batch_record(program, queries, options, folder):

        def attempt(without: tuple[str, ...]) -> Collected:
            planned = _planned(program, queries, options, given, tables, chosen, without)
            with work("deriving") as deriving:
                return collect(planned, _teller(deriving) if on_terminal() else None)

        try:
            collected, broken = leaving_out_broken(attempt, skips=options.skip_bad)
        except DataError as error:
            raise in_words_of_caller(error, given) from None
        given = _with_broken(given, broken)
        _report(program, given, collected.set_aside, collected.unused)
        write(collected.model, queries, format_, options.output)
    for warning in division_warnings(program, collected.model.divisions_by_zero):
        tell(warning.render())
    return _finished(len(given.problems) + len(collected.set_aside))


def planned_run(
    program: Program,
    inputs: Mapping[str, Any],
    queries: Sequence[str],
    chosen: Options,
    options: argparse.Namespace,
) -> Reasoning:
    """The run that a call asks for."""
    if not options.hypotheses:
        return Reasoning.plan(program, inputs, queries, chosen)
    asked = Asked(options.depth, Pruning(options.min_confidence or 0.0, options.max_open))
    return HypothesisReasoning.plan(program, inputs, queries, chosen, asked=asked)


def delay_for_others(program: Program, options: argparse.Namespace) -> Fraction:
    """δ of predicates that declare none, for hypotheses."""
    return Fraction(0) if options.delay is None else parse_length(options.delay, "--delay", program.unit)


def _run_hypotheses(
    program: Program,
    queries: Sequence[str],
    given: Given,
    tables: Sequence[TableSpec],
    options: argparse.Namespace,
) -> int:
    """What is confirmed and what is open, when all facts have come."""
    format_ = options.format or "facts"
    if format_ not in LINE_FORMATS:
        raise UsageError("--hypotheses prints lines of text, or --format json; with --stream --output it writes tables")
    chosen = Options(
        time=time_columns(tables),
        arguments=argument_columns(tables),
        delay=delay_for_others(program, options),
        shards=options.shards,
        keeps_bad_rows=options.skip_bad,
        limits=limits_of(options),
    )

    def attempt(without: tuple[str, ...]) -> tuple[Reasoning, Sequence[Any]]:
        planned = _planned(program, queries, options, given, tables, chosen, without)
        with work("deriving") as deriving:
            return planned, packed_rows(planned, _teller(deriving) if on_terminal() else None)

    try:
        (planned, rows), broken = leaving_out_broken(attempt, skips=options.skip_bad)
    except DataError as error:
        raise in_words_of_caller(error, given) from None
    given = _with_broken(given, broken)
    bad = set_aside(rows, planned.clock)
    _report(program, given, bad, unused_predicates(rows))
    lines = line_writer(planned, format_).lines([bytes(row.payload) for row in rows if row.tag == ANSWERS])
    write_text("".join(f"{line}\n" for line in lines), options.output)
    return _finished(len(given.problems) + len(bad))


def _with_broken(given: Given, broken: Sequence[BrokenFileError]) -> Given:
    """What was given, and what was found wrong with its files."""
    return replace(given, problems=(*given.problems, *(found for error in broken for found in error.diagnostics)))


def _teller(deriving: Work) -> HearTasks:
    """Tells of Spark's tasks."""

    def tell_of(stage: int, stages: int, done: int, total: int) -> None:
        deriving.say(f"deriving: stage {stage} of {stages}")
        deriving.reach(done, total, "tasks")

    return tell_of


def _finished(bad: int) -> int:
    if bad:
        tell(skipped(bad))
    return 0


def settings(options: argparse.Namespace) -> dict[str, str]:
    """The settings of Spark that a call asks for."""
    given = {}
    for setting in options.spark_conf or ():
        key, equals, value = setting.partition("=")
        if not key or not equals:
            raise UsageError(f"--spark-conf {setting}: write it as KEY=VALUE")
        given[key] = value
    return given


def in_words_of_caller(error: DataError, given: Given) -> DataError:
    """The error with files as they were named."""
    kind = BadFactsError if isinstance(error, BadFactsError) else DataError
    return kind(as_called(diagnostic, given) for diagnostic in error.diagnostics)


def as_called(diagnostic: Diagnostic, given: Given) -> Diagnostic:
    """The diagnostic with files as they were named, and a hint that fits: not everybody who calls writes Python."""
    if diagnostic.hint and diagnostic.hint.startswith('option("mode"'):
        diagnostic = replace(diagnostic, hint="--skip-bad reports them all, and goes on without them")
    if diagnostic.span is None:
        return replace(diagnostic, place=given.shown(diagnostic.place) if diagnostic.place else None)
    source = replace(diagnostic.span.source, name=given.shown(diagnostic.span.source.name))
    return replace(diagnostic, span=replace(diagnostic.span, source=source))


def _planned(
    program: Program,
    queries: Sequence[str],
    options: argparse.Namespace,
    given: Given,
    tables: Sequence[TableSpec],
    chosen: Options,
    without: tuple[str, ...],
) -> Reasoning:
    with notice("starting Spark…"):
        spark = start_session(options.master, settings(options), quiet=not options.spark_log)
    with spark_errors():
        fit_partitions(spark, options.shards)
        opening = Opening(spark, program, is_streaming=False, keeps_problems=options.skip_bad, without=without)
        # A program of constraints alone derives nothing, but there may be a contradiction.
        inputs = opening.inputs(given, tables)
        return planned_run(program, inputs, queries or program.predicates, chosen, options)


def _report(program: Program, given: Given, bad: Sequence[SetAside], unused: Sequence[str]) -> None:
    """Say what was left out, in the order in which the facts were given."""
    place = {os.path.normpath(name): number for number, name in enumerate(given.named)}
    found = [(_source(problem), problem.render()) for problem in given.problems]
    found += [(given.shown(row.row).rpartition(":")[0], given.shown(_shown(row))) for row in bad]
    found.sort(key=lambda each: place.get(os.path.normpath(each[0]), len(place)))
    for _, text in found[:MOST_SHOWN]:
        tell(text)
    if len(found) > MOST_SHOWN:
        tell(f"and {len(found) - MOST_SHOWN:,} more")
    predicates: Iterable[str] = (*unused, *(name for name, _ in given.tables))
    for warning in warn_of_unused(program, predicates):
        tell(warning.render())


def _source(problem: Diagnostic) -> str:
    return problem.span.source.name if problem.span else (problem.place or "").rpartition(":")[0]


def _shown(row: SetAside) -> str:
    """A line comes with all that is to say of it; a row of a table with a code and a message."""
    if row.predicate is None:
        return row.reason
    code, _, message = row.reason.partition(": ")
    return Diagnostic(code, None, message, None, f"table {row.predicate}").render()
