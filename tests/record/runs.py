"""Folders of runs, made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from thalweg.record.files import FOLDER, RUN
from thalweg.record.run_record import STREAM, TEXT, RunRecord
from thalweg.source import Source

RECORD = RunRecord(
    program=Source("p.rules", "Q(X) :- P(X).\n"),
    queries=("Q",),
    kind=STREAM,
    answers="facts",
    unit="1",
    timeline="rational",
    clock=TEXT,
)


def folder_of(path: Path, **changed: object) -> Path:
    """A folder with a record."""
    (path / FOLDER).mkdir(parents=True)
    (path / FOLDER / RUN).write_text(replace(RECORD, **changed).to_json())
    return path


def put(folder: Path, number: int, name: str, content: str | bytes, query: str = "Q") -> Path:
    """A file of a batch."""
    path = folder / query / f"batch={number:06}" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
