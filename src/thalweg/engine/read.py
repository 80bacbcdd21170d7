"""Facts from files: fact text, CSV, Parquet, and MeTeoR's JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from thalweg.engine.csv_file import read_csv
from thalweg.engine.tables import read_table
from thalweg.errors import Diagnostic, UsageError
from thalweg.model.program import Program
from thalweg.source import Source
from thalweg.syntax.ast import Role
from thalweg.syntax.facts import FactBatch, FactFile, read_facts
from thalweg.syntax.meteor_json import read_meteor_json

Facts = str | Path | Iterable[str | Path | FactBatch] | Mapping[str, Any]
"""The text of facts, paths of fact files, batches already read, or tables by predicate."""


def read_facts_of(program: Program, facts: Facts) -> tuple[list[FactBatch], list[Diagnostic]]:
    """The facts for a program, and what is wrong with those that could not be read."""
    batches: list[FactBatch] = []
    problems: list[Diagnostic] = []
    for found in _read(program, facts):
        batches += found.batches
        problems += found.diagnostics
    return batches, problems


def read_file(path: Path, program: Program) -> FactFile:
    """The facts of a file; ``NAME.csv`` and ``NAME.parquet`` hold the facts of the predicate NAME."""
    if not path.exists():
        raise UsageError(f"there is no file {path}")
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name the files in it")
    try:
        match path.suffix.lower():
            case ".csv":
                return read_csv(path, program)
            case ".parquet":
                return _read_parquet(path, program)
            case ".json":
                return read_meteor_json(Source(str(path), path.read_text(encoding="utf-8")))
            case _:
                return read_text(Source(str(path), path.read_text(encoding="utf-8")), program)
    except (OSError, UnicodeDecodeError, pa.ArrowInvalid) as error:
        raise UsageError(f"cannot read {path}: {error}") from error


def read_text(source: Source, program: Program) -> FactFile:
    """The facts of a text; background facts may lack a time, and others where their last argument is the time."""
    always = [name for name, s in program.signatures.items() if s.role is Role.BACKGROUND]
    return read_facts(source, always, time_is_last=program.time_is_last)


def _read_parquet(path: Path, program: Program) -> FactFile:
    table = pyarrow.parquet.read_table(path)
    return read_table(path.stem, table, program.signatures.get(path.stem), program.unit, source=str(path))


def _read(program: Program, facts: Facts) -> Iterator[FactFile]:
    if isinstance(facts, Mapping):
        for name, data in facts.items():
            yield read_table(name, data, program.signatures.get(name), program.unit)
        return
    for item in [facts] if isinstance(facts, str | Path) else facts:
        if isinstance(item, FactBatch):
            yield FactFile((item,), ())
        elif isinstance(item, str) and _is_text(item):
            yield read_text(Source("facts", item), program)
        else:
            yield read_file(Path(item), program)


def _is_text(item: str) -> bool:
    """Whether a string is facts rather than the path of a file."""
    return not item.strip() or (any(char in item for char in "\n@(") and not _exists(item))


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:  # too long to be a path, for one
        return False
