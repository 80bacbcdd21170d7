"""What a user names as facts, sorted by who reads it: Spark, or this process."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from thalweg.engine.parquet_file import has_nanoseconds
from thalweg.engine.read import read_file, unreadable
from thalweg.errors import Diagnostic, UsageError
from thalweg.model.program import Program
from thalweg.syntax.ast import Role
from thalweg.syntax.fact_batch import FactBatch

TOPIC = "kafka://"

_READ_HERE = (".csv", ".json")
_TABLE = ".parquet"


@dataclass(frozen=True)
class Given:
    """Facts by their form.

    ``texts`` are files, folders and patterns of facts written as text; ``topics`` Kafka addresses; ``tables`` Parquet
    files by predicate. ``batches`` have been read already, with ``problems``; ``named`` is everything as it was named.
    """

    texts: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    tables: tuple[tuple[str, str], ...] = ()
    batches: tuple[FactBatch, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    named: tuple[str, ...] = ()

    def shown(self, text: str) -> str:
        """A text that begins with the full path of one of the files, with the path as it was named."""
        for name in self.texts:
            full = os.path.abspath(name)
            if text.startswith(full) and text[len(full) : len(full) + 1] in ("", ":", "/"):
                return f"{Path(name)}{text[len(full) :]}"
        return text


def sort_given(named: Sequence[str], program: Program) -> Given:
    """What the names stand for; CSV and JSON files are read at once, and Parquet whose times Spark would not read."""
    here = [name for name in named if Path(name).suffix.lower() in _READ_HERE and not _is_address(name)]
    tables = [name for name in named if Path(name.rstrip("/")).suffix.lower() == _TABLE]
    fine = [name for name in tables if Path(name).is_file() and has_nanoseconds(Path(name))]
    here, tables = [*here, *fine], [name for name in tables if name not in fine]
    topics = [name for name in named if name.startswith(TOPIC)]
    texts = [name for name in named if name not in {*here, *tables, *topics}]
    for name in (*tables, *texts):
        _refuse_missing(name)
    found = [read_file(Path(name), program) for name in here]
    broken = {name: problem for name in tables if (problem := _without_footer(name)) is not None}
    return Given(
        texts=tuple(texts),
        topics=tuple(topics),
        tables=tuple((Path(name.rstrip("/")).stem, name) for name in tables if name not in broken),
        batches=tuple(batch for file in found for batch in file.batches),
        problems=(*(problem for file in found for problem in file.diagnostics), *broken.values()),
        named=tuple(named),
    )


def refuse_for_stream(given: Given, program: Program) -> None:
    """Refuse tables that cannot be followed: beside a stream they can only be background."""
    background = {name for name, signature in program.signatures.items() if signature.role is Role.BACKGROUND}
    others: Iterable[tuple[str, str]] = (*given.tables, *((batch.predicate, batch.source) for batch in given.batches))
    for predicate, name in others:
        if predicate not in background:
            raise UsageError(
                f"{name} cannot be followed as a stream: it is a table, and {predicate} is not background\n"
                "    hint: describe the table in a file for --tables, or declare the predicate as background"
            )


def _refuse_missing(name: str) -> None:
    if not _is_address(name) and not Path(name).exists() and not glob.has_magic(name):
        raise UsageError(f"there is no file {name}")


def _without_footer(name: str) -> Diagnostic | None:
    """What is wrong with a Parquet file that has no footer, as one that was cut short has none."""
    if _is_address(name) or not Path(name).is_file():
        return None
    import pyarrow.parquet  # few runs have tables

    try:
        pyarrow.parquet.read_metadata(name)
    except (OSError, pyarrow.ArrowInvalid) as error:
        return unreadable(name, str(error).partition("\n")[0])
    return None


def _is_address(name: str) -> bool:
    return "://" in name
