"""Answers as JSON, one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal

from thalweg.engine.materialisation import Materialisation
from thalweg.record.fact_id import fact_id

_TIME = ("start", "end", "start_closed", "end_closed")


def json_lines(model: Materialisation, predicate: str, *, has_ids: bool = False) -> Iterator[str]:
    """``{"predicate": …, "arguments": {…}, "start": …, …}``; decimals are texts, so that they stay exact."""
    facts = model.lines(predicate).to_pylist() if has_ids else [None] * model.count(predicate)
    for row, fact in zip(model.table(predicate).to_pylist(), facts, strict=True):
        arguments = {name: _exact(value) for name, value in row.items() if name not in _TIME}
        time = {name: _exact(row[name]) for name in _TIME}
        name = {} if fact is None else {"id": fact_id(fact)}
        yield json.dumps({"predicate": predicate, "arguments": arguments, **time, **name}, ensure_ascii=False) + "\n"


def _exact(value: object) -> object:
    return str(value) if isinstance(value, Decimal) else value
