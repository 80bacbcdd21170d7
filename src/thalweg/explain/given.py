"""Where facts were given: in which file, on which line."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.engine.intake import Intake
from thalweg.explain.atoms import GroundAtom
from thalweg.explain.known import Known
from thalweg.explain.nodes import Given
from thalweg.explain.table import Table
from thalweg.explain.times import encode_around
from thalweg.syntax.fact_batch import FactBatch
from thalweg.time.interval import Interval


class GivenFacts:
    """Looks up facts in the batches in which they were given."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self._tables: dict[str, list[tuple[FactBatch, Table]]] = {}

    def of(self, atom: GroundAtom, interval: Interval) -> Iterator[tuple[tuple[int, int], Given]]:
        """The given facts of an atom that reach into an interval, with their codes."""
        background = atom.predicate in self.known.program.background
        first, last = self.known.history.timeline
        codes = tuple(self.known.values.code(value) for value in atom.values)
        low, high = encode_around(interval, self.known.ticks)
        for batch, table in self._tables_of(atom.predicate):
            for row in table.find(codes, low, high).tolist():
                start, end = int(table.relation.start[row]), int(table.relation.end[row])
                if not background:
                    start, end = max(start, first), min(end, last)
                if start <= end:
                    yield (start, end), Given(interval, _place(batch, row), background)

    def _tables_of(self, predicate: str) -> list[tuple[FactBatch, Table]]:
        if predicate not in self._tables:
            intake = Intake(self.known.values, self.known.ticks)
            batches = [batch for batch in self.known.batches if batch.predicate == predicate]
            self._tables[predicate] = [(each, Table(intake.relations([each])[predicate], None)) for each in batches]
        return self._tables[predicate]


def _place(batch: FactBatch, row: int) -> str | None:
    line = int(batch.lines[row])
    return f"{batch.source}:{line}" if line > 0 else batch.source or None
