"""The record of a run, from what the command line was asked for."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from thalweg import __version__
from thalweg.api import read_source
from thalweg.model.program import Program
from thalweg.record.folder import RunFolder
from thalweg.record.run_record import BATCH, NUMBER, RunRecord
from thalweg.record.writer import RunWriter
from thalweg.time.interval import format_rational


def record_of(
    program: Program,
    queries: Sequence[str],
    options: argparse.Namespace,
    *,
    kind: str,
    answers: str,
    clock: str = NUMBER,
    shards: int | None = None,
    delay: Fraction | None = None,
) -> RunRecord:
    """The record of a run that begins now."""
    return RunRecord(
        program=read_source(options.program),
        queries=tuple(queries),
        kind=kind,
        answers=answers,
        unit=str(program.unit),
        timeline=program.timeline.value,
        clock=clock,
        facts=tuple(name if "://" in name else os.path.abspath(name) for name in options.facts),
        tables=None if options.tables is None else os.path.abspath(options.tables),
        shards=shards,
        delay=None if delay is None else format_rational(delay),
        explain=options.explain,
        thalweg=__version__,
    )


@contextmanager
def batch_record(program: Program, queries: Sequence[str], options: argparse.Namespace, folder: Path) -> Iterator[None]:
    """The record of a run that writes its answers all at once; a folder that may yet come to nothing gets none."""
    writer = RunWriter(folder, record_of(program, queries, options, kind=BATCH, answers=options.format))
    before = RunFolder(folder)
    if not before.is_run:
        yield
        with writer.running():
            return
    if before.record.kind != BATCH:  # it belongs to a stream, which may go on
        yield
        return
    with writer.running():
        yield
