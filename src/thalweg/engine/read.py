"""Facts from files: fact text, CSV, Parquet, and MeTeoR's JSON."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from thalweg.engine.csv_file import read_csv
from thalweg.engine.tables import read_table
from thalweg.errors import UsageError
from thalweg.model.program import Program
from thalweg.source import Source
from thalweg.syntax.ast import Role
from thalweg.syntax.facts import FactFile, read_facts
from thalweg.syntax.meteor_json import read_meteor_json


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
    """The facts of a text; background facts may lack a time."""
    always = [name for name, s in program.signatures.items() if s.role is Role.BACKGROUND]
    return read_facts(source, always)


def _read_parquet(path: Path, program: Program) -> FactFile:
    table = pyarrow.parquet.read_table(path)
    return read_table(path.stem, table, program.signatures.get(path.stem), program.unit, source=str(path))
