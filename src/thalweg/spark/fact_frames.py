"""Tables of facts of many predicates, as the data source ``thalweg-facts`` gives them, as batches of facts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types

from thalweg.columnar.arrays import Ints
from thalweg.spark.sources.fact_rows import COLUMNS
from thalweg.syntax.fact_batch import Coded, FactBatch, Value
from thalweg.syntax.literals import read_digits, read_string

NAMES = tuple(name for name, _ in COLUMNS)


def is_fact_frame(schema: types.StructType) -> bool:
    """Whether a table has the columns of facts of any predicate."""
    return {"predicate", "arguments", "start", "end"} <= set(schema.names)


def fact_batches(rows: pa.Table, *, numbered: bool = False) -> Iterator[FactBatch]:
    """The facts of a table, predicate by predicate and by their number of arguments.

    Where they are ``numbered``, their lines are the numbers of their rows, from 0: rows may have many sources.
    """
    rows = rows.combine_chunks()
    arguments = rows.column("arguments").combine_chunks()
    arities = np.asarray(pc.list_value_length(arguments)).astype(np.int64)
    predicates = rows.column("predicate").combine_chunks().dictionary_encode()
    groups = np.asarray(predicates.indices).astype(np.int64) * (int(arities.max(initial=0)) + 1) + arities
    for group in np.unique(groups):
        chosen = np.flatnonzero(groups == group)
        predicate = predicates[int(chosen[0])].as_py()
        batch = _batch(predicate, rows.take(pa.array(chosen)), int(arities[chosen[0]]))
        yield replace(batch, lines=chosen) if numbered else batch


def _batch(predicate: str, rows: pa.Table, arity: int) -> FactBatch:
    flat = rows.column("arguments").combine_chunks().flatten()
    columns = [flat.take(pa.array(np.arange(len(rows)) * arity + position)) for position in range(arity)]
    starts = _coded(rows.column("start").combine_chunks(), _time)
    ends = _coded(rows.column("end").combine_chunks(), _time)
    source = rows.column("source")[0].as_py() if "source" in rows.column_names else f"facts of {predicate}"
    lines = np.asarray(rows.column("line")) if "line" in rows.column_names else np.arange(1, len(rows) + 1)
    return FactBatch(
        predicate,
        tuple(_coded(column, _value) for column in columns),
        starts,
        ends,
        _closed(rows, "start_closed", starts),
        _closed(rows, "end_closed", ends),
        lines,
        source or "facts",
    )


def _coded(column: pa.Array, read: Callable[[str], Any]) -> Coded:
    encoded = column.dictionary_encode()
    codes: Ints = np.asarray(encoded.indices).astype(np.int64)
    return Coded(tuple(map(read, encoded.dictionary.to_pylist())), codes)


def _closed(rows: pa.Table, name: str, times: Coded) -> np.ndarray:
    infinite = np.array([isinstance(time, float) for time in times.values], dtype=np.bool_)[times.codes]
    given = np.asarray(rows.column(name)) if name in rows.column_names else np.ones(len(rows), dtype=np.bool_)
    return given & ~infinite


def _value(text: str) -> Value:
    """A value as facts write it: a number, a quoted text or a bare name."""
    if text[:1] == '"':
        return read_string(text)
    negative, digits = text[:1] == "-", text.lstrip("-")
    if digits[:1].isdigit():
        return -read_digits(digits) if negative else read_digits(digits)
    return text


def _time(text: str) -> Fraction | float:
    if text in ("inf", "-inf"):
        return math.inf if text == "inf" else -math.inf
    return -read_digits(text[1:]) if text[0] == "-" else read_digits(text)
