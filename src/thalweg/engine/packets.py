"""Facts on their way between shards: columns of values, not of codes, since every shard interns values for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import INTEGER_LIMIT, Value, Values
from thalweg.engine.frames import integers
from thalweg.engine.null_text import null_from_text, null_to_text
from thalweg.engine.rescale import refine
from thalweg.engine.state_errors import damaged, reading
from thalweg.errors import DataError, Diagnostic
from thalweg.null import Null
from thalweg.time.exact import exact, exact_ratio
from thalweg.time.ticks import Ticks
from thalweg.time.timeline import Timeline

_INDEX = pa.int32()
INTEGER, TEXT, MIXED = "integer", "text", "mixed"


@dataclass(frozen=True)
class Column:
    """A column of values: integers as they are, or texts, or texts and numbers, by their distinct values.

    ``kind`` is ``integer`` (an int64 array), ``text`` (a dictionary of texts) or ``mixed`` (a dictionary of texts
    with a mark in front: ``t`` for a text, ``n`` for a number, ``z`` for a null).
    """

    kind: str
    array: pa.Array

    @classmethod
    def read(cls, kind: str, array: pa.Array) -> Column:
        """A column that comes from elsewhere; raises :class:`StateError` if it is not what its kind says."""
        type_ = pa.int64() if kind == INTEGER else pa.dictionary(_INDEX, pa.string())
        if kind not in (INTEGER, TEXT, MIXED) or array.type != type_ or array.null_count:
            raise damaged(f"a column of the kind {str(kind)[:40]} has the type {array.type}")
        if kind != INTEGER and array.dictionary.null_count:
            raise damaged("a value is missing")
        return cls(kind, array)

    @classmethod
    def of_values(cls, values: Sequence[Value], indices: Ints) -> Column:
        """The column whose rows are the indexed values."""
        if all(isinstance(value, str) for value in values):
            return cls("text", _dictionary(values, indices))
        whole = [v.numerator for v in values if isinstance(v, Fraction) and v.denominator == 1]
        if len(whole) == len(values) and all(abs(number) < INTEGER_LIMIT for number in whole):
            return cls("integer", pa.array(np.array(whole, dtype=np.int64)[indices]))
        return cls("mixed", _dictionary([_marked(value) for value in values], indices))

    @classmethod
    def of_codes(cls, codes: Ints, values: Values) -> Column:
        """The column of interned values."""
        if not (codes & 1).any():
            return cls("integer", pa.array(codes >> 1))
        distinct, indices = np.unique(codes, return_inverse=True)
        return cls.of_values(values.distinct(distinct), indices)

    def codes(self, values: Values) -> Ints:
        """The rows interned; raises OverflowError for a number that has no code."""
        if self.kind == "integer":
            numbers = np.asarray(self.array)
            if len(numbers) and max(int(numbers.max()), -int(numbers.min())) >= INTEGER_LIMIT:
                raise OverflowError(f"the number {numbers[np.abs(numbers).argmax()]} is out of range of the encoding")
            doubled: Ints = numbers * 2
            return doubled
        interned = values.encode(self.distinct())
        coded: Ints = interned[np.asarray(self.array.indices)]
        return coded

    def distinct(self) -> list[Value]:
        """The values of a dictionary, in its order."""
        texts: list[str] = self.array.dictionary.to_pylist()
        return list(texts) if self.kind == "text" else [_unmarked(text) for text in texts]

    def take(self, rows: Ints | Bools) -> Column:
        """The chosen rows, and only the values that occur in them."""
        if self.kind == "integer":
            return Column(self.kind, pa.array(np.asarray(self.array)[rows]))
        indices = np.asarray(self.array.indices)[rows]
        occurs = np.zeros(len(self.array.dictionary), dtype=np.bool_)
        occurs[indices] = True
        new_index = np.cumsum(occurs) - 1
        dictionary = self.array.dictionary.filter(pa.array(occurs))
        return Column(self.kind, pa.DictionaryArray.from_arrays(pa.array(new_index[indices], _INDEX), dictionary))

    def texts(self) -> pa.Array:
        """The rows as texts, for people to read."""
        if self.kind == "integer":
            return self.array.cast(pa.string())
        if self.kind == "text":
            return self.array.dictionary.take(self.array.indices)
        return pa.array([str(value) for value in self.distinct()], pa.string()).take(self.array.indices)


@dataclass(frozen=True)
class Packet:
    """Facts of one predicate: argument columns, and ranges of time in codes of a tick.

    ``stage`` is the number of the stage that reads them; ``reports`` marks the one copy, of those that go to several
    shards, that stands for the facts when late ones are counted.
    """

    predicate: str
    columns: tuple[Column, ...]
    start: Ints
    end: Ints
    tick: Fraction
    stage: int = 0
    reports: bool = True

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def of_relation(cls, predicate: str, relation: Relation, values: Values, ticks: Ticks) -> Packet:
        """The facts of a relation."""
        columns = tuple(Column.of_codes(column, values) for column in relation.columns)
        return cls(predicate, columns, relation.start, relation.end, ticks.tick)

    def relation(self, values: Values, ticks: Ticks) -> Relation:
        """The facts interned, and counted in a tick that divides theirs.

        Raises :class:`DataError` for a number that no code can stand for.
        """
        try:
            columns = tuple(column.codes(values) for column in self.columns)
        except OverflowError as error:
            hint = "put quotes around codes that are not numbers"
            raise DataError([Diagnostic("E431", None, f"{self.predicate}: {error}", hint)]) from error
        relation = Relation(columns, self.start, self.end)
        factor = self.tick / ticks.tick
        assert factor.denominator == 1, (self.tick, ticks.tick)
        return relation if factor == 1 else refine(relation, int(factor))

    def take(self, rows: Ints | Bools) -> Packet:
        """The chosen rows."""
        columns = tuple(column.take(rows) for column in self.columns)
        return replace(self, columns=columns, start=self.start[rows], end=self.end[rows])

    def to_table(self) -> pa.RecordBatch:
        """The rows as a table; points share one column for both ends."""
        arrays = [column.array for column in self.columns] + [pa.array(self.start)]
        if self.end is not self.start and not np.array_equal(self.start, self.end):
            arrays.append(pa.array(self.end))
        return pa.record_batch(arrays, [str(i) for i in range(len(arrays))])

    def header(self) -> dict[str, Any]:
        """What the table does not say."""
        return {
            "predicate": self.predicate,
            "kinds": [column.kind for column in self.columns],
            "tick": [self.tick.numerator, self.tick.denominator],
            "stage": self.stage,
            "reports": self.reports,
        }

    @classmethod
    def of_table(cls, header: dict[str, Any], table: pa.RecordBatch) -> Packet:
        """The packet of :meth:`header` and :meth:`to_table`; raises :class:`StateError` for anything else."""
        kinds = header["kinds"]
        columns = tuple(Column.read(kind, table.column(i)) for i, kind in enumerate(kinds))
        start = integers(table.column(len(kinds)))
        end = integers(table.column(len(kinds) + 1)) if table.num_columns > len(kinds) + 1 else start
        predicate, stage, reports = (header[name] for name in ("predicate", "stage", "reports"))
        tick = exact_ratio(header["tick"])
        is_known = type(predicate) is str and type(stage) is int and type(reports) is bool
        if not is_known or tick <= 0 or (start > end).any() or table.num_columns > len(kinds) + 2:
            raise damaged("facts on their way make no sense")
        return cls(predicate, columns, start, end, tick, stage, reports)


def codes_per_tick(timeline: Timeline) -> int:
    """On the rational timeline the gaps between points have codes as well."""
    return 2 if timeline is Timeline.RATIONAL else 1


def _dictionary(texts: Sequence[Any], indices: Ints) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(indices, _INDEX), pa.array(texts, pa.string()))


def _marked(value: Value) -> str:
    if isinstance(value, Null):
        return f"z{null_to_text(value)}"
    return f"t{value}" if isinstance(value, str) else f"n{value}"


def _unmarked(text: str) -> Value:
    mark = text[:1]
    if mark == "t":
        return text[1:]
    with reading():
        if mark not in ("n", "z"):
            raise damaged("a value has no kind")
        return exact(text[1:]) if mark == "n" else null_from_text(text[1:])
