"""Writing answers: whole or not at all."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from thalweg.cli.json_lines import json_lines
from thalweg.engine.materialisation import Materialisation
from thalweg.errors import UsageError
from thalweg.record.files import file_names
from thalweg.record.full_disk import writing
from thalweg.source import visible

FORMATS = ("facts", "csv", "json", "parquet")

_TABULAR = ("csv", "parquet")


def check_output(format_: str, output: str, queries: Sequence[str]) -> None:
    """Refuse, before any work, what cannot be written."""
    if output == "-" and format_ == "parquet":
        raise UsageError("--format parquet needs --output PATH")
    if output == "-" and format_ == "csv" and len(queries) != 1:
        raise UsageError("--format csv to standard output takes one predicate: choose with --query")
    path = Path(output)
    if output != "-" and _is_folder(output) and not _in_folder(format_, output, queries):
        hint = ", or write tables into it with --format csv or parquet" if queries else ""
        raise UsageError(f"{output} is a folder; name a file{hint}")
    if output != "-" and not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}")


def output_folder(format_: str, output: str, queries: Sequence[str]) -> Path | None:
    """The folder that gets a file per predicate; None where all go to one place."""
    return Path(output) if output != "-" and _in_folder(format_, output, queries) else None


def write(model: Materialisation, queries: Sequence[str], format_: str, output: str) -> None:
    """Write the answers; a file appears only when it is complete."""
    path = Path(output)
    if output == "-":
        write_text(_render(model, queries, format_).decode(), output)
    elif _in_folder(format_, output, queries):
        named = file_names(queries)
        names = [path / f"{named[predicate]}.{format_}" for predicate in queries]
        contents = [_render(model, [predicate], format_) for predicate in queries]
        with writing(path):
            path.mkdir(exist_ok=True)
        for name, content in zip(names, contents, strict=True):
            _replace(name, content)
    else:
        _replace(path, _render(model, queries, format_))


def write_text(text: str, output: str) -> None:
    """Write a text; a file appears only when it is complete."""
    if output == "-":
        with writing("standard output"):
            # Tables and JSON have texts as they are; a terminal must not take them for orders.
            sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
            sys.stdout.flush()
    else:
        _replace(Path(output), text.encode())


def _in_folder(format_: str, output: str, queries: Sequence[str]) -> bool:
    return format_ in _TABULAR and (len(queries) != 1 or _is_folder(output))


def _is_folder(output: str) -> bool:
    """Whether a folder is there, or is meant: ``answers/``."""
    return output.endswith(os.sep) or Path(output).is_dir()


def _render(model: Materialisation, queries: Sequence[str], format_: str) -> bytes:
    if format_ == "facts":
        return "".join(f"{text}\n" for name in queries if (text := model.to_text(name))).encode()
    if format_ == "json":
        return "".join(line for name in queries for line in json_lines(model, name)).encode()
    table = model.table(queries[0])
    return _written(table, pyarrow.csv.write_csv if format_ == "csv" else pyarrow.parquet.write_table)


def _written(table: pa.Table, writer: Callable[[pa.Table, io.BytesIO], None]) -> bytes:
    buffer = io.BytesIO()
    writer(table, buffer)
    return buffer.getvalue()


def _replace(path: Path, content: bytes) -> None:
    """Write beside the file, then put it in place in one step."""
    with writing(path):
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
