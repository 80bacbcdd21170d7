"""``thalweg run --in-process --hypotheses``: what may still become true, from facts in the order of their lines."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa

from thalweg.api import unused_facts
from thalweg.cli.messages import skipped, tell, tell_problems
from thalweg.cli.output import check_output, write_text
from thalweg.cli.times import parse_length
from thalweg.columnar.arrays import Ints
from thalweg.engine.arrivals import Arrivals, feed
from thalweg.engine.given import TOPIC
from thalweg.engine.hypotheses.changes import Status
from thalweg.engine.hypotheses.stream import HypothesisStream, HypotheticalAnswers
from thalweg.engine.hypotheses.table import COLUMNS, AnswerRows
from thalweg.engine.read import read_facts_of
from thalweg.errors import BadFactsError, UsageError
from thalweg.model.program import Program
from thalweg.syntax.facts import FactBatch

MOST_TOLD = 5
"""So many late facts are told one by one."""


def run_here(program: Program, query: str, options: argparse.Namespace) -> int:
    """Run the command."""
    if options.format not in (None, "facts", "json"):
        raise UsageError("--hypotheses prints lines of text, or --format json")
    if options.stream and options.output != "-":
        raise UsageError("--stream --hypotheses prints to standard output; leave --output out")
    check_output("facts", options.output, (query,))
    stream = open_stream(program, query, options)
    arrivals = Arrivals(_lines(options.step))
    batches, bad = _read(program, options)
    background, others = apart(program, batches)
    late = Late()
    if options.stream:
        for answers in _replayed(stream, arrivals, background, others, bool(options.final)):
            late.tell(answers)
            write_text("".join(f"{line}\n" for line in lines_of(answers, options.format)), "-")
        late.end()
        tell(counts(stream))
    else:
        text = "".join(f"{line}\n" for line in _now(stream, batches, options))
        write_text(text, options.output)
    if bad:
        tell(skipped(bad))
    return 0


def open_stream(program: Program, query: str, options: argparse.Namespace) -> HypothesisStream:
    """The stream that the options ask for."""
    delay = parse_length(options.delay, "--delay", program.unit) if options.delay else 0
    if delay != int(delay):
        raise UsageError(f"--delay {options.delay}: time points are whole numbers")
    return HypothesisStream(
        program,
        query,
        depth=options.depth,
        delay=int(delay),
        min_confidence=options.min_confidence or 0.0,
        max_open=options.max_open,
        max_memory=options.max_memory,
    )


def apart(program: Program, batches: Sequence[FactBatch]) -> tuple[list[FactBatch], list[FactBatch]]:
    """Background, which is known before anything comes, and the facts that come."""
    known = program.background
    return [b for b in batches if b.predicate in known], [b for b in batches if b.predicate not in known]


def lines_of(answers: HypotheticalAnswers, format_: str | None) -> Iterator[str]:
    """The rows as lines of text, or as JSON."""
    if format_ != "json":
        yield from answers.lines()
        return
    for row in answers.table().to_pylist():
        arguments = {name: _exact(value) for name, value in row.items() if name not in COLUMNS}
        rest = {name: row[name] for name in COLUMNS}
        yield json.dumps({"predicate": answers.query, "arguments": arguments, **rest}, ensure_ascii=False)


def chosen(answers: HypotheticalAnswers, rows: Ints) -> HypotheticalAnswers:
    """Some of the answers."""
    places, of = pa.array(rows, pa.int64()), answers.rows
    taken = (column.take(places) for column in (of.status, of.evidence, of.hypotheses, of.deadline, of.confidence))
    return replace(answers, rows=AnswerRows(tuple(column[rows] for column in of.answers), *taken))


def counts(stream: HypothesisStream) -> str:
    """What is left when the facts have come to an end."""
    return f"thalweg: {stream.open_count} open, {stream.late_count} late, {stream.dropped_count} dropped"


@dataclass
class Late:
    """Tells of late facts: the first few one by one, the rest as a number."""

    told: int = 0
    count: int = 0

    def tell(self, answers: HypotheticalAnswers) -> None:
        """Tell of those in a batch."""
        room = max(MOST_TOLD - self.told, 0)
        for fact in answers.late[:room]:
            tell(f"thalweg: late: {fact}")
        self.told += min(len(answers.late), room)
        self.count += len(answers.late)

    def end(self) -> None:
        """Tell of the rest."""
        if self.count > self.told:
            tell(f"thalweg: and {self.count - self.told} more late facts")


def _read(program: Program, options: argparse.Namespace) -> tuple[list[FactBatch], int]:
    for name in options.facts:
        if name.startswith(TOPIC):
            raise UsageError(f"{name} does not go with --in-process: only Spark reads topics")
    batches, problems = read_facts_of(program, [Path(name) for name in options.facts])
    if problems and not options.skip_bad:
        raise BadFactsError(problems)
    tell_problems(problems)
    for warning in unused_facts(program, batches):
        tell(warning.render())
    return batches, len(problems)


def _lines(step: object) -> int | None:
    if step is None:
        return None
    size = int(str(step)) if str(step).isdecimal() else 0
    if size < 1:
        raise UsageError(f"--step {step}: with --hypotheses it is a number of lines")
    return size


def _replayed(
    stream: HypothesisStream,
    arrivals: Arrivals,
    background: Sequence[FactBatch],
    batches: Sequence[FactBatch],
    is_final: bool,
) -> Iterator[HypotheticalAnswers]:
    yield stream.advance(background)
    for arrival in arrivals(batches):
        yield from feed(stream, arrival)
    if is_final:
        yield stream.finish()


def _now(stream: HypothesisStream, batches: Sequence[FactBatch], options: argparse.Namespace) -> Iterator[str]:
    """What is confirmed and what is open, when all facts have come."""
    found = [stream.advance(batches)]
    if options.final:
        found.append(stream.finish())
    for answers in found:
        is_so = np.array(answers.rows.status.to_pylist(), dtype=object) == Status.CONFIRMED.value
        yield from lines_of(chosen(answers, is_so.nonzero()[0]), options.format)
    yield from lines_of(stream.open(), options.format)


def _exact(value: object) -> object:
    return str(value) if isinstance(value, Decimal) else value
