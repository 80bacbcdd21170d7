"""``thalweg run --stream --in-process``: answers as time advances."""

from __future__ import annotations

import argparse
import csv
import math
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any

from thalweg.analysis.endless_memory import kept_for_ever
from thalweg.cli.json_lines import json_lines
from thalweg.cli.messages import tell
from thalweg.cli.progress import work
from thalweg.cli.recording import record_of
from thalweg.engine.divisions import division_warnings
from thalweg.engine.output_times import INTERVALS, OutputTimes
from thalweg.engine.promised_bound import promised_bound
from thalweg.engine.replay import Stride, replay
from thalweg.engine.stream import StreamReasoner
from thalweg.errors import UsageError
from thalweg.model.program import Program
from thalweg.record.answer_writer import FORMATS, AnswerWriter
from thalweg.record.evidence_writer import EvidenceWriter, kept_facts
from thalweg.record.fact_id import with_id
from thalweg.record.files import EVIDENCE, FOLDER, local_folder
from thalweg.record.full_disk import writing
from thalweg.record.progress import Progress
from thalweg.record.run_record import STREAM, TEXT
from thalweg.record.writer import RunWriter
from thalweg.syntax.facts import FactBatch
from thalweg.time.interval import Endpoint, format_rational

COLUMNS = ("time", "facts_in", "stored_window", "stored_history", "answers", "seconds")


def stream(
    program: Program, batches: Sequence[FactBatch], queries: Sequence[str], options: argparse.Namespace, end: Endpoint
) -> int:
    """Feed the facts step by step and write answers as they are due."""
    output_times = INTERVALS if options.at is None else OutputTimes.parse(options.at)
    for warning in kept_for_ever(program):
        tell(warning.render())
    out: _Terminal | _Folder = _Terminal(queries, options) if options.output == "-" else _Folder(queries, options)
    reasoner = StreamReasoner(
        program,
        queries,
        output_times,
        max_rounds=options.max_rounds,
        max_nulls=options.max_nulls,
        max_depth=options.max_depth,
        max_memory=options.max_memory,
    )
    until = None if end == math.inf else Fraction(end)
    facts, total = 0, sum(map(len, batches))
    showing = work("answering", prints_answers=options.output == "-")
    with _stats(options.stats) as write, out.taking(program, reasoner), showing as answering:
        begun = time.perf_counter()
        for number, stride in enumerate(replay(reasoner, batches, options.step or Fraction(1), until)):
            seconds = time.perf_counter() - begun
            answers = sum(stride.answers.count(query) for query in queries)
            out.take(number, stride, seconds)
            stored = reasoner.stored
            when = format_rational(stride.to)
            write((when, stride.facts_in, stored.window, stored.history, answers, f"{seconds:.6f}"))
            facts += stride.facts_in
            answering.reach(facts, total, "facts")
            begun = time.perf_counter()
    for warning in division_warnings(program, reasoner.divisions_by_zero):
        tell(warning.render())
    return 0


class _Terminal:
    """Prints answers."""

    def __init__(self, queries: Sequence[str], options: argparse.Namespace) -> None:
        if options.format not in (None, "facts", "json"):
            raise UsageError("--stream prints facts to standard output, or JSON; name a folder with --output")
        if options.explain is not None:
            tell("thalweg: without --output DIR no facts are kept: answers get ids, but cannot be explained")
        self._queries, self._is_json, self._has_ids = queries, options.format == "json", options.explain is not None

    def taking(self, program: Program, reasoner: StreamReasoner) -> nullcontext[None]:
        """Nothing to prepare."""
        return nullcontext()

    def take(self, number: int, stride: Stride, seconds: float) -> None:
        """Print the answers of a stride."""
        lines = "".join(line for query in self._queries for line in self._lines(stride, query))
        with writing("standard output"):
            sys.stdout.write(lines)
            sys.stdout.flush()

    def _lines(self, stride: Stride, query: str) -> Iterator[str]:
        if self._is_json:
            yield from json_lines(stride.answers, query, has_ids=self._has_ids)
            return
        for line in stride.answers.lines(query).to_pylist():
            yield f"{with_id(line) if self._has_ids else line}\n"


class _Folder:
    """Writes answers to a folder, with a record of the run, and with its facts where answers are to be explained."""

    def __init__(self, queries: Sequence[str], options: argparse.Namespace) -> None:
        folder = local_folder(options.output)
        if folder is None:
            raise UsageError(f"{options.output} does not go with --in-process: name a folder on this machine")
        self._folder, self._queries, self._options = folder, queries, options
        self._format = options.format or FORMATS[0]

    @contextmanager
    def taking(self, program: Program, reasoner: StreamReasoner) -> Iterator[None]:
        """Take the folder for the run, and say in it how the run ends."""
        options = self._options
        ids = options.explain is not None
        self._answers = AnswerWriter(self._folder, self._queries, program.signatures, self._format, ids=ids)
        self._answers.take(str(options.program))
        self._program, self._progress = program, _Progress(program, reasoner, self._queries)
        self._evidence: EvidenceWriter | None = None
        if ids:
            self._evidence = EvidenceWriter(self._folder / FOLDER / EVIDENCE, options.explain)
            with writing(self._folder):
                self._evidence.begin(is_new=True)
        record = record_of(program, self._queries, options, kind=STREAM, answers=self._format, clock=TEXT)
        with _ended_politely(), RunWriter(self._folder, record).running() as self._writer:
            yield

    def take(self, number: int, stride: Stride, seconds: float) -> None:
        """Write a stride: first its facts, so that answers can be explained from when they are seen."""
        with writing(self._folder, "run it again into a new folder"):
            if self._evidence is not None:
                self._evidence.keep(number, kept_facts(stride.facts, self._program))
            self._answers.write(number, stride.answers)
        self._writer.progress(self._progress.of(number, stride, seconds))


class _Progress:
    """Tells how a replay goes on."""

    def __init__(self, program: Program, reasoner: StreamReasoner, queries: Sequence[str]) -> None:
        self._program, self._reasoner, self._queries = program, reasoner, queries
        self._bounds: dict[tuple[int, Fraction], int | None] = {}
        self._divisions = 0

    def of(self, number: int, stride: Stride, seconds: float) -> Progress:
        """What there is to say of a stride."""
        reasoner = self._reasoner
        divisions = sum(reasoner.divisions_by_zero.values())
        before, self._divisions = self._divisions, divisions
        return Progress(
            batch=number,
            rows=stride.facts_in,
            seconds=round(seconds, 6),
            answers=sum(stride.answers.count(query) for query in self._queries),
            newest=format_rational(stride.to),
            answered_before=format_rational(stride.to - reasoner.delay),
            lag=format_rational(reasoner.delay),
            stored=reasoner.stored.total,
            history=reasoner.stored.history,
            values=reasoner.values_held,
            bound=self._bound(),
            divisions=divisions - before,
        )

    def _bound(self) -> int | None:
        values = self._reasoner.domain_size
        if values is None:
            return None
        key = max(values, 1), self._reasoner.tick
        if key not in self._bounds:
            self._bounds = {key: promised_bound(self._program, *key)}
        return self._bounds[key]


@contextmanager
def _ended_politely() -> Iterator[None]:
    """Let a request to end stop the run as Ctrl-C does, so that its record says so."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not the main thread, which alone hears of signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _stats(path: Path | None) -> Iterator[Any]:
    """A function that writes a line of counts, or does nothing."""
    if path is None:
        yield lambda row: None
        return
    with writing(path), path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        yield writer.writerow
