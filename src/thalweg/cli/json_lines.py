"""Answers as JSON, one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal

from thalweg.engine.materialisation import Materialisation

_TIME = ("start", "end", "start_closed", "end_closed")


def json_lines(model: Materialisation, predicate: str) -> Iterator[str]:
    """``{"predicate": …, "arguments": {…}, "start": …, …}``; decimals are texts, so that they stay exact."""
    for row in model.table(predicate).to_pylist():
        arguments = {name: _exact(value) for name, value in row.items() if name not in _TIME}
        time = {name: _exact(row[name]) for name in _TIME}
        yield json.dumps({"predicate": predicate, "arguments": arguments, **time}, ensure_ascii=False) + "\n"


def _exact(value: object) -> object:
    return str(value) if isinstance(value, Decimal) else value
