"""Generated streams as they would come in reality: each slice when its time has come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TextIO

import pyarrow as pa

from thalweg.generators.parquet import ParquetFolders
from thalweg.generators.stream import Generated, Slice
from thalweg.generators.write import write_lines

Deliver = Callable[[Slice], None]
Clock = Callable[[], float]
Sleep = Callable[[float], None]


def play(stream: Generated, deliver: Deliver, speed: Fraction | float, clock: Clock, sleep: Sleep) -> int:
    """Deliver slice after slice, so many units of the stream's time a second; returns how many facts there were.

    The first comes at once. Who is late does not wait for the next, so that delays do not add up.
    """
    begun, facts = clock(), 0
    first: Fraction | None = None
    for part in stream.slices():
        first = part.now if first is None else first
        wait = begun + float((part.now - first) / Fraction(speed)) - clock()
        if wait > 0:
            sleep(wait)
        deliver(part)
        facts += len(part)
    return facts


def as_lines(out: TextIO) -> Deliver:
    """Facts as lines of text; whoever reads them has all of a slice at once."""

    def deliver(part: Slice) -> None:
        write_lines(part, out)
        out.flush()

    return deliver


def as_parquet(folder: Path, tied: Mapping[str, pa.Schema] | None = None) -> Deliver:
    """A Parquet file for each predicate that has facts, which appears whole; see :mod:`thalweg.generators.parquet`."""
    folders = ParquetFolders(folder, tied)
    return lambda part: folders.write(part.tables)
