"""Answers of a run as rows for lanes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import pyarrow as pa

from thalweg.record.run_record import HYPOTHESES, RunRecord
from thalweg.web.lanes import END_CLOSED, START_CLOSED, Row
from thalweg.web.wire_times import Wire, wire_text

OPEN = "?"
"""An argument that no fact has given a value yet."""


def arguments_of(table: pa.Table) -> list[tuple[str, ...]]:
    """The arguments of every row, as texts."""
    names = table.column_names[: table.column_names.index("start")]
    columns = [table.column(name).to_pylist() for name in names]
    rows = zip(*columns, strict=True) if columns else iter([()] * len(table))
    return [tuple(OPEN if value is None else value for value in row) for row in rows]


class AnswerRows:
    """Turns tables of answers into rows; of changes, it remembers what has begun and not ended."""

    def __init__(self, record: RunRecord) -> None:
        self._record, self._unit = record, Fraction(record.unit)
        self._begun: dict[tuple[str, ...], tuple[Wire, int]] = {}

    def of(self, table: pa.Table) -> Iterator[Row]:
        """The rows of a batch: of hypotheses those that are confirmed."""
        arguments = arguments_of(table)
        starts, ends = (self._times(table.column(name)) for name in ("start", "end"))
        flags = zip(table.column("start_closed").to_pylist(), table.column("end_closed").to_pylist(), strict=True)
        closed = [START_CLOSED * bool(first) | END_CLOSED * bool(last) for first, last in flags]
        rows = list(zip(arguments, starts, ends, closed, strict=True))
        if self._record.kind == HYPOTHESES:
            status = table.column("status").to_pylist()
            yield from (row for row, said in zip(rows, status, strict=True) if said == "confirmed")
        elif "change" in table.column_names:
            yield from self._of_changes(rows, table.column("change").to_pylist())
        else:
            yield from rows

    def _of_changes(self, rows: Sequence[tuple[tuple[str, ...], Wire, Wire, int]], said: list[str]) -> Iterator[Row]:
        for (arguments, time, _, closed), change in zip(rows, said, strict=True):
            if change == "began":
                self._begun[arguments] = time, closed
                yield arguments, time, time, START_CLOSED | END_CLOSED
            elif arguments in self._begun:
                start, first = self._begun.pop(arguments)
                yield arguments, start, time, first & START_CLOSED | closed & END_CLOSED

    def _times(self, column: pa.ChunkedArray) -> list[Wire]:
        known: dict[str | None, Wire] = {}
        texts = column.to_pylist()
        for text in texts:
            if text not in known:
                known[text] = wire_text(text, self._record.clock, self._unit)
        return [known[text] for text in texts]
