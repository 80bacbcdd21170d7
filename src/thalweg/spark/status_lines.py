"""Hypothetical answers as lines of text or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.status_rows import StatusRows
from thalweg.engine.hypotheses.stream import HypotheticalAnswers
from thalweg.model.program import Program
from thalweg.spark.lines import Lines, json_line
from thalweg.spark.status_columns import StatusColumns


@dataclass(frozen=True)
class StatusLineWriter(Lines):
    """Writes answers as lines; ``format`` is ``facts``, for lines of text, or ``json``."""

    format: str
    program: Program
    columns: StatusColumns

    def lines(self, packed: Sequence[bytes]) -> list[str]:
        """The answers of all shards in order of their status: which shard comes first is left to chance."""
        if self.format == "json":
            rows = [row for each in packed for row in self.columns.read(each).to_pylist()]
            return sorted(json_line(self.columns.query, self.columns.names, row) for row in rows)
        return sorted(line for each in packed for line in self._answers(StatusRows.of_bytes(each)).lines())

    def _answers(self, rows: StatusRows) -> HypotheticalAnswers:
        values = Values()
        return HypotheticalAnswers.of(self.program, rows.query, rows.rows(values), values)
