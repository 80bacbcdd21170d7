"""Facts from files: fact text, CSV, Parquet, and MeTeoR's JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from thalweg.columnar.budget import reserve
from thalweg.engine.csv_file import read_csv
from thalweg.engine.fit import fit
from thalweg.engine.memory_limit import room_for
from thalweg.engine.parquet_file import read_parquet
from thalweg.engine.tables import read_table
from thalweg.errors import Diagnostic, UsageError
from thalweg.model.program import Program
from thalweg.source import Source, shortened
from thalweg.syntax.ast import Role
from thalweg.syntax.decoded import decode_lines, not_text
from thalweg.syntax.facts import FactBatch, FactFile, read_facts
from thalweg.syntax.meteor_json import read_meteor_json

Facts = str | Path | Iterable[str | Path | FactBatch] | Mapping[str, Any]
"""The text of facts, paths of fact files, batches already read, or tables by predicate."""

_FOR_A_BYTE = 4
"""The words of memory that a byte of a file takes while it is read."""


def read_facts_of(program: Program, facts: Facts) -> tuple[list[FactBatch], list[Diagnostic]]:
    """The facts for a program, and what is wrong with those that cannot be read or do not fit the program.

    Batches that have been read already are taken as they are.
    """
    batches: list[FactBatch] = []
    problems: list[Diagnostic] = []
    for found in _read(program, facts):
        batches += found.batches
        problems += found.diagnostics
    return batches, problems


def read_file(path: Path, program: Program) -> FactFile:
    """The facts of a file; ``NAME.csv`` and ``NAME.parquet`` hold the facts of the predicate NAME.

    A file that cannot be read, as a whole or in its lines, is a diagnostic, and so is a fact that does not fit.
    """
    if not path.exists():
        raise UsageError(f"there is no file {path}")
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name the files in it")
    try:
        with room_for(f"the facts of {path}"):
            reserve(path.stat().st_size, _FOR_A_BYTE)
            found = _read_file(path, program)
    except PermissionError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except OSError as error:
        # Arrow says at length what the system says in two words.
        found = FactFile((), (unreadable(str(path), error.strerror or str(error)),))
    except pa.ArrowInvalid as error:
        found = FactFile((), (unreadable(str(path), _without_prefix(str(error))),))
    return _fitted(program, found)


def unreadable(name: str, reason: str) -> Diagnostic:
    """A file, or what is left of it, cannot be read."""
    message = f"the file cannot be read: {shortened(reason, 300)}"
    return Diagnostic("E475", None, message, "mend the file, or take it away", name)


def _read_file(path: Path, program: Program) -> FactFile:
    match path.suffix.lower():
        case ".csv":
            return read_csv(path, program)
        case ".parquet":
            return _read_parquet(path, program)
        case ".json":
            return _read_json(path)
        case _:
            text, wrong = decode_lines(path.read_bytes(), str(path))
            found = read_text(Source(str(path), text), program)
            return FactFile(found.batches, (*wrong, *found.diagnostics))


def _read_json(path: Path) -> FactFile:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        # A JSON text has no lines of its own, so nothing in it can be trusted.
        return FactFile((), (not_text(str(path), "the file", error.object[error.start]),))
    return read_meteor_json(Source(str(path), text))


def _without_prefix(message: str) -> str:
    return message.partition("\n")[0]


def read_text(source: Source, program: Program) -> FactFile:
    """The facts of a text; background facts may lack a time, and others where their last argument is the time."""
    always = [name for name, s in program.signatures.items() if s.role is Role.BACKGROUND]
    return read_facts(source, always, time_is_last=program.time_is_last)


def _read_parquet(path: Path, program: Program) -> FactFile:
    return read_table(path.stem, read_parquet(path), program.signatures.get(path.stem), program.unit, source=str(path))


def _read(program: Program, facts: Facts) -> Iterator[FactFile]:
    if isinstance(facts, Mapping):
        for name, data in facts.items():
            yield _fitted(program, read_table(name, data, program.signatures.get(name), program.unit))
        return
    for item in [facts] if isinstance(facts, str | Path) else facts:
        if isinstance(item, FactBatch):
            yield FactFile((item,), ())
        elif isinstance(item, str) and _is_text(item):
            yield _fitted(program, read_text(Source("facts", item), program))
        else:
            yield read_file(Path(item), program)


def _fitted(program: Program, found: FactFile) -> FactFile:
    batches, problems = fit(program, found.batches)
    return FactFile(tuple(batches), (*found.diagnostics, *problems))


def _is_text(item: str) -> bool:
    """Whether a string is facts rather than the path of a file."""
    return not item.strip() or (any(char in item for char in "\n@(") and not _exists(item))


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:  # too long to be a path, for one
        return False
