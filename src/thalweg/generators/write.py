"""Generated streams as files: facts as text, or Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TextIO

import pyarrow as pa

from thalweg.generators.parquet import ParquetFolders
from thalweg.generators.stream import Generated, Slice
from thalweg.generators.text import fact_lines, joined

STRETCH = Fraction(10)


def write_facts(stream: Generated, path: Path) -> int:
    """A file of facts in the order of arrival, one a line; returns how many there are."""
    with path.open("w", encoding="utf-8") as out:
        return sum(write_lines(part, out) for part in stream.slices())


def write_lines(part: Slice, out: TextIO) -> int:
    """The facts of a slice, one a line; returns how many there are."""
    for predicate, table in part.tables.items():
        out.write(joined(fact_lines(predicate, table)))
    return len(part)


def write_parquet(
    stream: Generated, folder: Path, stretch: Fraction = STRETCH, tied: Mapping[str, pa.Schema] | None = None
) -> int:
    """A folder a predicate, and in it a file for each stretch of time; returns how many facts there are.

    ``tables.toml`` ties them together for ``thalweg run --tables``: all predicates, or those in ``tied``,
    whether they have facts or not.
    """
    folders, facts = ParquetFolders(folder, tied), 0
    for tables in _stretches(stream.slices(), stretch):
        folders.write(tables)
        facts += sum(map(len, tables.values()))
    return facts


def _stretches(slices: Iterable[Slice], stretch: Fraction) -> Iterator[dict[str, pa.Table]]:
    """What arrives in each stretch of time, by predicate."""
    found: dict[str, list[pa.Table]] = {}
    current: int | None = None
    for part in slices:
        number = part.now // stretch
        if number != current and found:
            yield _together(found)
            found = {}
        current = number
        for predicate, table in part.tables.items():
            found.setdefault(predicate, []).append(table)
    if found:
        yield _together(found)


def _together(parts: dict[str, list[pa.Table]]) -> dict[str, pa.Table]:
    return {predicate: pa.concat_tables(tables) for predicate, tables in parts.items()}
