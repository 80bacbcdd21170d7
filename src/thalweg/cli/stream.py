"""``thalweg run --stream``: answers as time advances."""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from thalweg.cli.messages import tell
from thalweg.engine.divisions import division_warnings
from thalweg.engine.output_times import INTERVALS, OutputTimes
from thalweg.engine.replay import replay
from thalweg.engine.stream import StreamReasoner
from thalweg.errors import UsageError
from thalweg.model.program import Program
from thalweg.syntax.facts import FactBatch
from thalweg.time.interval import Endpoint, format_rational

COLUMNS = ("time", "facts_in", "stored_window", "stored_history", "answers", "seconds")


def stream(
    program: Program, batches: Sequence[FactBatch], queries: Sequence[str], options: argparse.Namespace, end: Endpoint
) -> int:
    """Feed the facts step by step and print answers as they are due."""
    if options.format not in (None, "facts") or options.output != "-":
        raise UsageError("--stream prints facts to standard output; leave --format and --output out")
    output_times = INTERVALS if options.at is None else OutputTimes.parse(options.at)
    reasoner = StreamReasoner(
        program,
        queries,
        output_times,
        max_rounds=options.max_rounds,
        max_nulls=options.max_nulls,
        max_depth=options.max_depth,
    )
    until = None if end == math.inf else Fraction(end)
    with _stats(options.stats) as write:
        begun = time.perf_counter()
        for stride in replay(reasoner, batches, options.step or Fraction(1), until):
            lines = [line for query in queries for line in stride.answers.lines(query).to_pylist()]
            sys.stdout.write("".join(f"{line}\n" for line in lines))
            sys.stdout.flush()
            stored, seconds = reasoner.stored, time.perf_counter() - begun
            when = format_rational(stride.to)
            write((when, stride.facts_in, stored.window, stored.history, len(lines), f"{seconds:.6f}"))
            begun = time.perf_counter()
    for warning in division_warnings(program, reasoner.divisions_by_zero):
        tell(warning.render())
    return 0


@contextmanager
def _stats(path: Path | None) -> Iterator[Any]:
    """A function that writes a line of counts, or does nothing."""
    if path is None:
        yield lambda row: None
        return
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            yield writer.writerow
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
