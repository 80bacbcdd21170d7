"""Facts as columns, the form in which files hand them on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from thalweg.errors import Diagnostic
from thalweg.time.interval import Endpoint

Value = str | Fraction
"""A data value: a text or an exact rational."""


@dataclass(frozen=True)
class Coded:
    """A column as its distinct values and an index into them.

    The values are of one kind: :data:`Value` in a column of arguments, ``Endpoint`` in a column of times.
    """

    values: tuple[Any, ...]
    codes: npt.NDArray[np.int64]

    def take(self, rows: npt.NDArray[np.int64]) -> Coded:
        """The chosen rows, with only the values that occur in them."""
        used, codes = np.unique(self.codes[rows], return_inverse=True)
        return Coded(tuple(self.values[i] for i in used.tolist()), codes)


@dataclass(frozen=True)
class FactBatch:
    """The facts of one predicate with one number of arguments, in the order of their lines."""

    predicate: str
    arguments: tuple[Coded, ...]
    starts: Coded
    ends: Coded
    start_closed: npt.NDArray[np.bool_]
    end_closed: npt.NDArray[np.bool_]
    lines: npt.NDArray[np.int64]
    source: str

    def __len__(self) -> int:
        return len(self.lines)

    def take(self, rows: npt.NDArray[np.int64]) -> FactBatch:
        """The facts in the chosen rows."""
        return FactBatch(
            self.predicate,
            tuple(column.take(rows) for column in self.arguments),
            self.starts.take(rows),
            self.ends.take(rows),
            self.start_closed[rows],
            self.end_closed[rows],
            self.lines[rows],
            self.source,
        )


@dataclass(frozen=True)
class FactFile:
    """What a file holds: the facts that can be read, and a diagnostic for each that cannot."""

    batches: tuple[FactBatch, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class FactRow:
    """One fact, read on its own."""

    line: int
    predicate: str
    values: tuple[Value, ...]
    start: Endpoint
    end: Endpoint
    start_closed: bool
    end_closed: bool


def batch_rows(rows: Iterable[FactRow], source: str) -> list[FactBatch]:
    """Rows as batches, one for each predicate and number of arguments."""
    groups: dict[tuple[str, int], list[FactRow]] = {}
    for row in rows:
        groups.setdefault((row.predicate, len(row.values)), []).append(row)
    return [
        FactBatch(
            predicate=predicate,
            arguments=tuple(encode([row.values[position] for row in group]) for position in range(arity)),
            starts=encode([row.start for row in group]),
            ends=encode([row.end for row in group]),
            start_closed=np.array([row.start_closed for row in group], np.bool_),
            end_closed=np.array([row.end_closed for row in group], np.bool_),
            lines=np.array([row.line for row in group], np.int64),
            source=source,
        )
        for (predicate, arity), group in groups.items()
    ]


def merge_batches(batches: Iterable[FactBatch]) -> tuple[FactBatch, ...]:
    """Batches of one predicate and number of arguments made one; in the order of first appearance."""
    groups: dict[tuple[str, int], list[FactBatch]] = {}
    for batch in batches:
        groups.setdefault((batch.predicate, len(batch.arguments)), []).append(batch)
    merged = (group[0] if len(group) == 1 else _merge(group) for group in groups.values())
    return tuple(sorted(merged, key=lambda batch: int(batch.lines[0])))


def encode(values: Sequence[Hashable]) -> Coded:
    """A column coded by its distinct values."""
    codes: dict[Hashable, int] = {}
    indices = np.array([codes.setdefault(value, len(codes)) for value in values], np.int64)
    return Coded(tuple(codes), indices)


def _merge(batches: Sequence[FactBatch]) -> FactBatch:
    lines = np.concatenate([batch.lines for batch in batches])
    order = np.argsort(lines, kind="stable")
    columns = zip(*(batch.arguments for batch in batches), strict=True)
    return FactBatch(
        predicate=batches[0].predicate,
        arguments=tuple(_merge_coded(column, order) for column in columns),
        starts=_merge_coded([batch.starts for batch in batches], order),
        ends=_merge_coded([batch.ends for batch in batches], order),
        start_closed=np.concatenate([batch.start_closed for batch in batches])[order],
        end_closed=np.concatenate([batch.end_closed for batch in batches])[order],
        lines=lines[order],
        source=batches[0].source,
    )


def _merge_coded(columns: Sequence[Coded], order: npt.NDArray[np.int64]) -> Coded:
    joint = encode([value for column in columns for value in column.values])
    parts = []
    offset = 0
    for column in columns:
        parts.append(joint.codes[offset + column.codes])
        offset += len(column.values)
    return Coded(joint.values, np.concatenate(parts)[order])
