"""Answers with their status on their way out of a shard: values in place of codes, since every shard has its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.values import Values
from thalweg.engine.frames import pack, unpack
from thalweg.engine.hypotheses.matching import UNBOUND
from thalweg.engine.hypotheses.table import COLUMNS, AnswerRows
from thalweg.engine.packets import Column
from thalweg.engine.state_errors import reading

KIND = "status"


@dataclass(frozen=True)
class PartlyKnown:
    """A column of an argument; rows that are not ``known`` have no value, the others those of the column in turn."""

    known: Bools
    column: Column

    @classmethod
    def of_codes(cls, codes: Ints, values: Values) -> PartlyKnown:
        """The column of codes, some of which may be unbound."""
        known = codes != UNBOUND
        return cls(known, Column.of_codes(codes[known], values))

    def codes(self, values: Values) -> Ints:
        """The rows interned."""
        codes = np.full(len(self.known), UNBOUND, dtype=np.int64)
        codes[self.known] = self.column.codes(values)
        return codes

    def spread(self, array: pa.Array) -> pa.Array:
        """An array of the known rows with nulls for the others."""
        return array if self.known.all() else array.take(pa.array(np.cumsum(self.known) - 1, mask=~self.known))

    @classmethod
    def of_array(cls, kind: str, array: pa.Array) -> PartlyKnown:
        """The column that :meth:`spread` made."""
        return cls(np.asarray(array.is_valid()), Column.read(kind, array.drop_null() if array.null_count else array))


@dataclass(frozen=True)
class StatusRows:
    """Answers of one query. ``rest`` has the columns of :data:`COLUMNS`, times as time points."""

    query: str
    arguments: tuple[PartlyKnown, ...]
    rest: pa.RecordBatch

    def __len__(self) -> int:
        return len(self.rest)

    @classmethod
    def of_rows(cls, query: str, rows: AnswerRows, values: Values) -> StatusRows:
        """Rows of a reasoner."""
        *arguments, time = rows.answers
        times = pa.array(time >> 1, mask=time == UNBOUND)
        said = (times, rows.status, rows.evidence, rows.hypotheses, rows.deadline, rows.confidence)
        columns = tuple(PartlyKnown.of_codes(column, values) for column in arguments)
        return cls(query, columns, pa.record_batch([*said], [*COLUMNS]))

    def rows(self, values: Values) -> AnswerRows:
        """The rows, with values interned."""
        time, *said = self.rest.columns
        times = np.asarray(time.fill_null(0)) * 2
        times[np.asarray(time.is_null())] = UNBOUND
        return AnswerRows((*(column.codes(values) for column in self.arguments), times), *said)

    def to_bytes(self) -> bytes:
        """The rows as bytes."""
        arrays = [each.spread(each.column.array) for each in self.arguments]
        names = [str(number) for number in range(len(arrays))]
        header = {"query": self.query, "kinds": [each.column.kind for each in self.arguments]}
        return pack(KIND, header, [pa.record_batch([*arrays, *self.rest.columns], [*names, *COLUMNS])])

    @classmethod
    def of_bytes(cls, data: bytes) -> StatusRows:
        """The rows of :meth:`to_bytes`; raises :class:`StateError` for anything else."""
        header, tables = unpack(KIND, data)
        with reading():
            (table,) = tables
            kinds = header["kinds"]
            arguments = tuple(PartlyKnown.of_array(kind, table.column(n)) for n, kind in enumerate(kinds))
            return cls(str(header["query"]), arguments, table.select([*COLUMNS]))


def put_together(parts: Sequence[AnswerRows]) -> AnswerRows:
    """All rows of several parts, at least one, in one table of values."""
    answers = tuple(map(np.concatenate, zip(*(part.answers for part in parts), strict=True)))
    said = [
        pa.concat_arrays([getattr(part, name) for part in parts])
        for name in ("status", "evidence", "hypotheses", "deadline", "confidence")
    ]
    return AnswerRows(answers, *said)
