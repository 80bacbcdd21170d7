"""Answers written to a folder batch by batch, without Spark, in the layout that Spark runs have."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from thalweg.engine.materialisation import Materialisation, argument_names
from thalweg.errors import UsageError
from thalweg.model.program import Signature
from thalweg.record.answers import TIMES
from thalweg.record.fact_id import fact_ids, with_id
from thalweg.record.files import MARK, batch_name, file_names, write_whole
from thalweg.record.full_disk import writing
from thalweg.record.times import plain_number
from thalweg.syntax.ast import TypeName

FORMATS = ("parquet", "json", "csv", "facts")


class AnswerWriter:
    """Writes ``FOLDER/QUERY/batch=000012/part-0.FORMAT`` for every query that has answers.

    Columns have the same types in every batch: times are texts, exact; arguments, too, unless they are declared as
    integers.
    """

    def __init__(
        self, folder: Path, queries: Sequence[str], signatures: Mapping[str, Signature], format_: str, *, ids: bool
    ) -> None:
        self.folder, self.queries, self.format, self.has_ids = folder, queries, format_, ids
        self._signatures, self._names = signatures, file_names(queries)

    def take(self, program: str) -> None:
        """Make the folder that of a new run; refuse one with anything in it."""
        if self.folder.is_file():
            raise UsageError(f"{self.folder} is a file; a stream writes to a folder")
        if self.folder.is_dir() and any(not path.name.startswith(".") for path in self.folder.iterdir()):
            what = "the answers of another run" if (self.folder / MARK).exists() else "something else"
            raise UsageError(f"{self.folder} holds {what}\n    hint: name another folder")
        said = {"run": uuid.uuid4().hex, "program": program, "queries": list(self.queries)}
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / MARK, f"{json.dumps(said)}\n".encode())

    def write(self, number: int, model: Materialisation) -> None:
        """Write a batch: whole under a hidden name, then put in its place."""
        for query in self.queries:
            if model.count(query):
                hidden = self.folder / self._names[query] / f"_writing-{number:06}"
                try:
                    hidden.mkdir(parents=True, exist_ok=True)
                    self._save(model, query, hidden / f"part-0.{self.format}")
                except BaseException:
                    shutil.rmtree(hidden, ignore_errors=True)
                    raise
                place = hidden.with_name(batch_name(number))
                shutil.rmtree(place, ignore_errors=True)
                hidden.rename(place)

    def _save(self, model: Materialisation, query: str, path: Path) -> None:
        if self.format == "facts":
            lines = model.lines(query).to_pylist()
            text = "".join(f"{with_id(line) if self.has_ids else line}\n" for line in lines)
            path.write_text(text, encoding="utf-8", newline="")
            return
        table = self.table(model, query)
        if self.format == "parquet":
            pyarrow.parquet.write_table(table, path)
        elif self.format == "csv":
            pyarrow.csv.write_csv(table, path)
        else:
            rows = (json.dumps(row, ensure_ascii=False) for row in table.to_pylist())
            path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8", newline="")

    def table(self, model: Materialisation, query: str) -> pa.Table:
        """The answers of a query in columns of fixed types."""
        found, signature = model.table(query), self._signatures[query]
        names = argument_names(signature, signature.arity)
        if self.has_ids and "id" in names:
            names = argument_names(None, signature.arity)
        columns: dict[str, pa.Array] = {}
        for place, (name, parameter) in enumerate(zip(names, signature.parameters, strict=True)):
            column = found.column(place).combine_chunks()
            is_whole = parameter.type is TypeName.INTEGER and pa.types.is_integer(column.type)
            columns[name] = column if is_whole else _texts(column)
        columns |= {name: found.column(name).combine_chunks() for name in TIMES}
        columns |= {name: _texts(columns[name]) for name in TIMES[:2]}
        return pa.table({**columns, **({"id": fact_ids(model.lines(query))} if self.has_ids else {})})


def _texts(column: pa.Array) -> pa.Array:
    """Numbers as the language prints them, texts as they are."""
    if pa.types.is_decimal(column.type):
        encoded = column.dictionary_encode()
        values: list[Decimal | None] = encoded.dictionary.to_pylist()
        texts = [None if value is None else plain_number(value) for value in values]
        return pa.array(texts, pa.string()).take(encoded.indices)
    return column.cast(pa.string())
