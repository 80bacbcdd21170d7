"""Facts for ``thalweg watch``: of files, in the order of their lines, or from a stream of text that goes on."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from thalweg.engine.arrivals import Arrivals
from thalweg.engine.fit import fit
from thalweg.engine.read import read_text
from thalweg.errors import Diagnostic, UsageError
from thalweg.model.program import Program
from thalweg.source import Source
from thalweg.syntax.decoded import decode_lines
from thalweg.syntax.facts import FactBatch, FactFile

PAUSE = 0.1
"""Seconds between looks at what has come."""

_AT_ONCE = 2_000
_READ = 1 << 16


@dataclass(frozen=True)
class Piece:
    """Facts that have come, which may be none, and what is wrong with those that could not be read."""

    facts: Sequence[FactBatch] = ()
    problems: Sequence[Diagnostic] = ()


def of_files(
    batches: Sequence[FactBatch],
    rate: float | None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Piece]:
    """Facts already read, so many a second, or as quickly as they can be worked in."""
    size = _AT_ONCE if rate is None else max(1, round(rate * PAUSE))
    begun, sent = clock(), 0
    for arrival in Arrivals(size)(batches):
        if rate is not None:
            while (wait := begun + sent / rate - clock()) > 0:
                yield Piece()
                sleep(min(wait, PAUSE))
        sent += len(arrival)
        yield Piece(arrival.facts)


def of_standard_input(program: Program) -> Iterator[Piece]:
    """Lines as they come, until there are no more."""
    return _pieces(program, "standard input", _from_standard_input())


def of_growing_file(program: Program, path: Path, sleep: Callable[[float], None] = time.sleep) -> Iterator[Piece]:
    """The lines of a file, and those that are added to it, for ever."""
    try:
        with path.open("rb") as file:
            yield from _pieces(program, str(path), _growing(file, sleep))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _pieces(program: Program, name: str, chunks: Iterator[bytes]) -> Iterator[Piece]:
    """Whole lines of the chunks, read as facts."""
    rest, line = b"", 0
    for chunk in chunks:
        rest += chunk
        whole, _, rest = rest.rpartition(b"\n")
        if not whole:
            yield Piece()
            continue
        yield _read(program, name, whole, line)
        line += whole.count(b"\n") + 1
    if rest:
        yield _read(program, name, rest, line)


def _read(program: Program, name: str, data: bytes, line: int) -> Piece:
    """Facts of lines that begin after so many others."""
    text, wrong = decode_lines(data, name, line + 1)
    found = read_text(Source(name, text), program)
    if found.diagnostics:
        # Read again, in their place, so that messages say where they are.
        found = read_text(Source(name, "\n" * line + text), program)
    else:
        found = FactFile(tuple(replace(batch, lines=batch.lines + line) for batch in found.batches), ())
    batches, misfits = fit(program, found.batches)
    return Piece(batches, (*wrong, *found.diagnostics, *misfits))


def _from_standard_input() -> Iterator[bytes]:
    handle = sys.stdin.fileno()
    while True:
        ready, _, _ = select.select([handle], [], [], PAUSE)
        if not ready:
            yield b""
            continue
        chunk = os.read(handle, _READ)
        if not chunk:
            return
        yield chunk


def _growing(file: BinaryIO, sleep: Callable[[float], None]) -> Iterator[bytes]:
    while True:
        chunk = file.read(_READ)
        yield chunk
        if not chunk:
            sleep(PAUSE)
