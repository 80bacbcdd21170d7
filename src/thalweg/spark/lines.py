"""Answers as lines of text: facts as people write them, changes, or JSON."""

from __future__ import annotations

import datetime
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from thalweg.engine.packets import Packet
from thalweg.engine.shard import ENDED, Answers
from thalweg.model.program import Program
from thalweg.record.fact_id import with_id
from thalweg.spark.answers import QueryColumns
from thalweg.spark.collect import materialisation
from thalweg.spark.transport import ANSWERS
from thalweg.spark.worker_errors import carried


class Lines(ABC):
    """Writes packed answers as lines."""

    @abstractmethod
    def lines(self, packed: Sequence[bytes]) -> list[str]:
        """The answers of all queries, each query's put in order."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For ``mapInArrow``: packed answers to a column ``value``."""
        with carried():
            for batch in batches:
                for tag, payload in zip(batch.column("tag").to_pylist(), batch.column("payload"), strict=True):
                    if tag == ANSWERS:
                        lines = self.lines([payload.as_py()])
                        yield pa.record_batch({"value": pa.array(lines, pa.string())})


@dataclass(frozen=True)
class LineWriter(Lines):
    """Writes answers as lines; ``format`` is ``facts`` or ``json``. ``has_ids`` puts the name of a fact after it."""

    format: str
    program: Program
    columns: Mapping[str, QueryColumns]
    has_ids: bool = False

    def lines(self, packed: Sequence[bytes]) -> list[str]:
        """The answers of all queries, each query's put in order."""
        answers = [Answers.of_bytes(each) for each in packed]
        if self.format == "json":
            ordered = (each for name in self.columns for each in answers if each.packet.predicate == name)
            return [line for each in ordered for line in self._json(each)]
        kinds = dict.fromkeys(each.change for each in answers)
        return [
            line
            for change in kinds
            for line in self._facts([each.packet for each in answers if each.change == change], change)
        ]

    def _facts(self, packets: Sequence[Packet], change: str | None) -> Iterator[str]:
        queries = [name for name in self.columns if any(packet.predicate == name for packet in packets)]
        model = materialisation(packets, queries, self.program)
        for name in queries:
            for line in model.lines(name).to_pylist():
                shown = line if change is None else _change_line(line, change)
                yield with_id(shown) if self.has_ids else shown

    def _json(self, answers: Answers) -> Iterator[str]:
        name = answers.packet.predicate
        columns = self.columns[name]
        for row in columns.batch(answers).to_pylist():
            yield json_line(name, columns.names, row)


def _change_line(fact: str, change: str) -> str:
    """``P(a)@[1,1]`` as ``began P(a)@[1``: an end of an interval has one time and one bracket."""
    atom, _, interval = fact.rpartition("@")
    first, last = interval.split(",")
    return f"{change} {atom}@{last if change == ENDED else first}"


def json_line(query: str, arguments: Sequence[str], row: Mapping[str, Any]) -> str:
    """A row of answers as JSON."""
    plain = {key: _plain(value) for key, value in row.items()}
    said = {key: plain.pop(key) for key in arguments}
    return json.dumps({"predicate": query, "arguments": said, **plain}, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """A value as JSON has it; decimals are texts, so that they stay exact."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value
