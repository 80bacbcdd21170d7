"""``thalweg run``: what follows from a program and facts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.analysis.queries import check_queries
from thalweg.api import unused_facts
from thalweg.cli.answers import run_answers
from thalweg.cli.hypotheses import run_here as run_hypotheses_here
from thalweg.cli.messages import skipped, tell, tell_problems
from thalweg.cli.output import check_output, output_folder, write
from thalweg.cli.programs import read_program
from thalweg.cli.progress import read_with_progress, work
from thalweg.cli.recording import batch_record
from thalweg.cli.run_options import DESCRIPTION, EXAMPLES, add_options, asks_for_answers, check_together, limits_of
from thalweg.cli.stream import stream
from thalweg.cli.times import parse_stretch
from thalweg.engine.divisions import division_warnings
from thalweg.engine.given import TOPIC, sort_given
from thalweg.engine.materialise import materialise
from thalweg.engine.tables_file import read_tables_file
from thalweg.errors import BadFactsError, Diagnostic, UsageError
from thalweg.model.program import Program
from thalweg.syntax.ast import Role
from thalweg.time.interval import Endpoint

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "run",
        help="derive what follows from a program and facts",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )
    add_options(parser)
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    check_together(options)
    program = read_program(options.program, stratified=options.answers is None)
    limits_of(options).check(program)
    if options.hypotheses and options.in_process:
        return run_hypotheses_here(program, _only_query(program, options), options)
    start, end = parse_stretch(options, program)
    if options.in_process or asks_for_answers(options):
        return _run_here(program, options, start, end)
    queries = (_only_query(program, options),) if options.hypotheses else _queries(program, options)
    if not options.stream:
        check_output(options.format or "facts", options.output, queries)
    tables = () if options.tables is None else read_tables_file(options.tables, program)
    given = sort_given(options.facts, program)
    if given.problems and not options.skip_bad:
        raise BadFactsError(given.problems)
    # Spark takes seconds to load: whoever does without it, or made a mistake, should not wait.
    from thalweg.cli.spark_batch import run_batch
    from thalweg.cli.spark_stream import run_stream

    if options.stream:
        return run_stream(program, queries, given, tables, options, end)
    return run_batch(program, queries, given, tables, options, start, end)


def default_queries(program: Program) -> tuple[str, ...]:
    """The output predicates, or all derived ones when none is declared."""
    outputs = tuple(name for name, signature in program.signatures.items() if signature.role is Role.OUTPUT)
    derived = program.derived_predicates
    return outputs or tuple(name for name in program.predicates if name in derived)


def _queries(program: Program, options: argparse.Namespace) -> tuple[str, ...]:
    return check_queries(program, options.query) if options.query else default_queries(program)


def _only_query(program: Program, options: argparse.Namespace) -> str:
    """The one query that hypotheses are about."""
    queries = _queries(program, options)
    if len(queries) == 1:
        return queries[0]
    found = f"not {len(queries)} ({', '.join(queries)})" if queries else "and the program derives nothing"
    raise UsageError(f"--hypotheses is about one query, {found}: name one with --query")


def _run_here(program: Program, options: argparse.Namespace, start: Endpoint, end: Endpoint) -> int:
    batches, problems = read_with_progress(program, _paths(options.facts))
    if problems and not options.skip_bad:
        raise BadFactsError(problems)
    tell_problems(problems)
    for warning in unused_facts(program, batches):
        tell(warning.render())
    queries = _queries(program, options)
    if options.stream and not asks_for_answers(options):
        stream(program, batches, queries, options, end)
        return _finished(problems)
    format_ = options.format or "facts"
    check_output(format_, options.output, queries)
    if asks_for_answers(options):
        run_answers(program, batches, queries, options, start, end)
        return _finished(problems)
    folder = output_folder(format_, options.output, queries)
    with nullcontext() if folder is None else batch_record(program, queries, options, folder):
        with work("deriving") as deriving:
            model = materialise(
                program,
                batches,
                start=start,
                end=end,
                wanted=queries,
                limits=limits_of(options),
                hear=lambda stage, stages, number: deriving.say(f"deriving: stage {stage} of {stages}, round {number}"),
            )
        write(model, queries, format_, options.output)
    for warning in division_warnings(program, model.divisions_by_zero):
        tell(warning.render())
    return _finished(problems)


def _finished(problems: Sequence[Diagnostic]) -> int:
    if problems:
        tell(skipped(len(problems)))
    return 0


def _paths(facts: Sequence[str]) -> list[Path]:
    for name in facts:
        if name.startswith(TOPIC):
            raise UsageError(f"{name} does not go with --in-process: only Spark reads topics")
    return [Path(name) for name in facts]
