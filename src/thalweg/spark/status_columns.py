"""Hypothetical answers as typed rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
from pyspark.sql import types

from thalweg.engine.hypotheses.status_rows import PartlyKnown, StatusRows
from thalweg.engine.hypotheses.table import column_names
from thalweg.model.program import Signature
from thalweg.spark.answers import Clock
from thalweg.spark.argument_types import ArgumentType, write_column
from thalweg.time.ticks import POSITIVE_INFINITY

_TEXT, _TEXTS = types.StringType(), types.ArrayType(types.StringType())


@dataclass(frozen=True)
class StatusColumns:
    """The arguments, null where they are open, ``time``, ``status``, ``evidence``, ``hypotheses``, and so on.

    Times have the type of the input, those inside lists, too.
    """

    query: str
    names: tuple[str, ...]
    kinds: tuple[ArgumentType, ...]
    clock: Clock

    @classmethod
    def of(cls, query: str, signature: Signature, kinds: Sequence[ArgumentType], clock: Clock) -> StatusColumns:
        """The columns of a predicate."""
        return cls(query, tuple(column_names(signature)), tuple(kinds), clock)

    @property
    def spark(self) -> types.StructType:
        """Their Spark schema."""
        schema, time = types.StructType(), self.clock.kind.spark
        for name, kind in zip(self.names, self.kinds, strict=True):
            schema.add(name, kind.spark)
        fact = types.StructType().add("predicate", _TEXT).add("arguments", _TEXTS).add("time", time)
        awaited = types.StructType([*fact.fields]).add("until", time).add("negated", types.BooleanType())
        schema.add("time", time).add("status", _TEXT)
        schema.add("evidence", types.ArrayType(fact)).add("hypotheses", types.ArrayType(awaited))
        return schema.add("deadline", time).add("confidence", types.DoubleType())

    @property
    def arrow(self) -> pa.StructType:
        """The same for Arrow."""
        arguments = [(name, kind.arrow) for name, kind in zip(self.names, self.kinds, strict=True)]
        time = self.clock.kind.arrow
        fact = [("predicate", pa.string()), ("arguments", pa.list_(pa.string())), ("time", time)]
        awaited = [*fact, ("until", time), ("negated", pa.bool_())]
        lists = [("evidence", pa.list_(pa.struct(fact))), ("hypotheses", pa.list_(pa.struct(awaited)))]
        decided = [("deadline", time), ("confidence", pa.float64())]
        return pa.struct([*arguments, ("time", time), ("status", pa.string()), *lists, *decided])

    def read(self, payload: bytes) -> pa.RecordBatch:
        """The rows of packed answers."""
        rows = StatusRows.of_bytes(payload)
        columns = {
            name: self._argument(name, kind, each)
            for name, kind, each in zip(self.names, self.kinds, rows.arguments, strict=True)
        }
        said = rows.rest
        columns["time"] = self._times(said.column("time"))
        columns["status"] = said.column("status")
        columns["evidence"] = self._listed(said.column("evidence"))
        columns["hypotheses"] = self._listed(said.column("hypotheses"))
        columns["deadline"] = self._times(said.column("deadline"))
        return pa.record_batch({**columns, "confidence": said.column("confidence")})

    def _argument(self, name: str, kind: ArgumentType, each: PartlyKnown) -> pa.Array:
        return each.spread(write_column(each.column, kind, f"{self.query}, column {name}"))

    def _times(self, points: pa.Array) -> pa.Array:
        codes = np.asarray(points.fill_null(POSITIVE_INFINITY))
        return self.clock.column(codes, Fraction(1))

    def _listed(self, lists: pa.ListArray) -> pa.ListArray:
        """Facts in lists, with their times as columns of time."""
        facts = lists.values
        arrays = {
            field.name: self._times(column) if field.name in ("time", "until") else column
            for field, column in zip(facts.type, facts.flatten(), strict=True)
        }
        return pa.ListArray.from_arrays(lists.offsets, pa.StructArray.from_arrays([*arrays.values()], [*arrays]))
