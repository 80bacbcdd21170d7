"""Facts in a column of texts: each text is one or more lines of a fact file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from thalweg.errors import BadFactsError, Diagnostic
from thalweg.spark.excerpt import Excerpt
from thalweg.spark.sources.fact_rows import read_rows, schema
from thalweg.spark.worker_errors import carried
from thalweg.syntax.decoded import not_text


def facts_of_records(
    records: DataFrame, always: frozenset[str], *, keeps_problems: bool, time_is_last: bool = False
) -> DataFrame:
    """The facts in the records of Kafka topics, with the columns of ``thalweg-facts``."""
    reader = RecordReader(always, keeps_problems, time_is_last)
    return records.select("topic", "partition", "offset", "value").mapInArrow(reader, schema(keeps_problems))


@dataclass(frozen=True)
class RecordReader:
    """Reads the values of records as facts; a fact's source is ``TOPIC/PARTITION/OFFSET``."""

    always: frozenset[str]
    keeps_problems: bool = False
    time_is_last: bool = False

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For ``mapInArrow``."""
        with carried():
            for batch in batches:
                yield from self._read(batch).to_batches()

    def _read(self, records: pa.RecordBatch) -> pa.Table:
        records = records.filter(records.column("value").is_valid())
        names = _names(records)
        decoded = [_decoded(value) for value in records.column("value").to_pylist()]
        texts = [text or "" for text in decoded]
        # All records at once, since reading by columns pays for many lines only.
        table, problems = self._rows(Excerpt("records", "\n".join(texts)))
        owner, line = _owners(texts, table.column("line").to_numpy())
        table = _with_places(table, pa.array(names, pa.string()).take(pa.array(owner)), line)
        wrong = {int(_owners(texts, np.array([p.span.line]))[0][0]) for p in problems if p.span is not None}
        found = [_not_text(names[i]) for i, text in enumerate(decoded) if text is None]
        found += [problem for i in sorted(wrong) for problem in self._problems(names[i], texts[i])]
        if found and not self.keeps_problems:
            raise BadFactsError(found)
        return _with_problems(table, found) if self.keeps_problems else table

    def _problems(self, name: str, text: str) -> Sequence[Diagnostic]:
        """Lines that cannot be read are few: read their records again, each by itself, to name the right place."""
        _, problems = self._rows(Excerpt(name, text))
        return problems

    def _rows(self, text: Excerpt) -> tuple[pa.Table, tuple[Diagnostic, ...]]:
        return read_rows(text, self.always, with_problems=False, time_is_last=self.time_is_last)


def _names(records: pa.RecordBatch) -> list[str]:
    parts = (records.column(name).cast(pa.string()) for name in ("topic", "partition", "offset"))
    names: list[str] = pc.binary_join_element_wise(*parts, "/").to_pylist()
    return names


def _decoded(value: bytes) -> str | None:
    """The text of a record; None if it has none."""
    try:
        return value.decode().replace("\r\n", "\n").rstrip("\n")
    except UnicodeDecodeError:
        return None


def _not_text(name: str) -> Diagnostic:
    return not_text(f"{name}:1", "the record")


def _owners(texts: Sequence[str], lines: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For lines of the texts put together: which text each stands in, and which line of that it is."""
    firsts = np.cumsum([1, *(text.count("\n") + 1 for text in texts)])
    owner = np.searchsorted(firsts, lines, side="right") - 1
    return owner, lines - firsts[owner] + 1


def _with_places(table: pa.Table, sources: pa.Array, lines: np.ndarray) -> pa.Table:
    table = table.set_column(table.column_names.index("source"), "source", sources)
    return table.set_column(table.column_names.index("line"), "line", pa.array(lines, pa.int64()))


def _with_problems(table: pa.Table, problems: Sequence[Diagnostic]) -> pa.Table:
    """The table with a row for each problem, and a column that says what it is."""
    table = table.append_column("problem", pa.nulls(len(table), pa.string()))
    places = [(problem.span.place if problem.span else problem.place or "").split(":") for problem in problems]
    rows = {
        "source": [place[0] for place in places],
        "line": [int(place[1]) for place in places],
        "problem": [problem.render() for problem in problems],
    }
    columns = [
        pa.array(rows[field.name], field.type) if field.name in rows else pa.nulls(len(problems), field.type)
        for field in table.schema
    ]
    return pa.concat_tables([table, pa.Table.from_arrays(columns, schema=table.schema)])
