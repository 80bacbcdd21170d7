"""Answers read back, in one form whatever they were written as."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa

from thalweg.null import MARK
from thalweg.record.run_record import HYPOTHESES, RunRecord
from thalweg.record.times import exact_time, exact_times, plain_number
from thalweg.syntax.facts import format_value
from thalweg.time.exact import exact
from thalweg.time.interval import format_rational

TIMES = ("start", "end", "start_closed", "end_closed")
_STATUS = ("time", "status", "evidence", "hypotheses", "deadline", "confidence")
_CHANGE = ("change", "time", "closed")


def answer_table(written: pa.Table, record: RunRecord) -> pa.Table:
    """The arguments as the language prints them, ``start``, ``end``, ``start_closed``, ``end_closed``.

    Ends are exact texts in units of the program; an infinite one is null. A point has it as both ends. ``id`` follows
    where answers have one; ``change`` (``began`` or ``ended``) where they are changes, with the time as both ends; for
    hypotheses ``status``, ``evidence`` and ``hypotheses`` as lists of texts, ``deadline`` and ``confidence``.
    """
    times, more = _times_and_more(written, record)
    known = {*TIMES, *_CHANGE, *(_STATUS if record.kind == HYPOTHESES else ()), *more}
    arguments = {
        # Lines of facts have their values as the language prints them.
        name: column if record.answers == "facts" else _printed(column)
        for name, column in zip(written.column_names, map(_whole, written.columns), strict=True)
        if name not in known
    }
    return pa.table({**arguments, **times, **more})


def _times_and_more(written: pa.Table, record: RunRecord) -> tuple[dict[str, pa.Array], dict[str, pa.Array]]:
    names = {*written.column_names}
    if record.kind == HYPOTHESES:
        return _points(written, record), _status(written, record)
    # An argument may be called so as well, but stands before the times.
    ids = {"id": _whole(written.column("id"))} if written.column_names[-1] == "id" else {}
    if {*_CHANGE} <= names:
        closed = _flags(written.column("closed"))
        times = {**_points(written, record), "start_closed": closed, "end_closed": closed}
        return times, {"change": _whole(written.column("change")), **ids}
    if "time" in names and "start" not in names:
        return _points(written, record), ids
    times = {name: _exact(written, name, record) for name in ("start", "end")}
    times |= {name: _flags(written.column(name)) for name in ("start_closed", "end_closed")}
    return times, ids


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks()


def _points(written: pa.Table, record: RunRecord) -> dict[str, pa.Array]:
    time = _exact(written, "time", record)
    closed = time.is_valid()
    return {"start": time, "end": time, "start_closed": closed, "end_closed": closed}


def _exact(written: pa.Table, name: str, record: RunRecord) -> pa.Array:
    if name not in written.column_names:
        return pa.nulls(len(written), pa.string())
    return exact_times(_whole(written.column(name)), record.clock, Fraction(record.unit))


def _flags(column: pa.ChunkedArray) -> pa.Array:
    whole = _whole(column)
    if pa.types.is_string(whole.type):
        return pa.array([None if text is None else text.lower() == "true" for text in whole.to_pylist()], pa.bool_())
    return whole


def _printed(column: pa.Array) -> pa.Array:
    """Values as the language prints them; null stays null.

    Where texts and numbers stand in one column, all are written as texts: those that look like numbers count as such.
    """
    if pa.types.is_integer(column.type):
        return column.cast(pa.string())
    encoded = column.dictionary_encode()
    return pa.array([_value(value) for value in encoded.dictionary.to_pylist()], pa.string()).take(encoded.indices)


def _value(value: Any) -> str | None:
    if value is None or isinstance(value, bool):
        return None if value is None else format_value(str(value).lower())
    if isinstance(value, Decimal | float):
        return plain_number(value)
    text = str(value)
    return text if text.startswith(MARK) or _is_number(text) else format_value(text)


def _is_number(text: str) -> bool:
    try:
        return format_rational(exact(text)) == text
    except ValueError:
        return False


def _status(written: pa.Table, record: RunRecord) -> dict[str, pa.Array]:
    columns = {name: written.column(name).to_pylist() for name in _STATUS[1:] if name in written.column_names}
    nothing = [None] * len(written)
    confidence = [None if each is None else float(each) for each in columns.get("confidence", nothing)]
    return {
        "status": pa.array(columns["status"], pa.string()),
        "evidence": pa.array([_listed(each, record) for each in columns["evidence"]], pa.list_(pa.string())),
        "hypotheses": pa.array([_listed(each, record) for each in columns["hypotheses"]], pa.list_(pa.string())),
        "deadline": _exact(written, "deadline", record),
        "confidence": pa.array(confidence, pa.float64()),
    }


def _listed(facts: Any, record: RunRecord) -> list[str]:
    """Facts in a list, as texts; CSV has the list as JSON."""
    found = json.loads(facts) if isinstance(facts, str) else facts or []
    return [each if isinstance(each, str) else _text(each, record) for each in found]


def _text(fact: dict[str, Any], record: RunRecord) -> str:
    """``Temp(p1)@5``, ``Temp(p1)@? until 7`` for what is awaited, and ``not`` before what must not come."""
    time = exact_time(fact.get("time"), record.clock, Fraction(record.unit))
    until = exact_time(fact.get("until"), record.clock, Fraction(record.unit))
    arguments = ["_" if value is None else value for value in fact["arguments"]]
    atom = f"{fact['predicate']}({', '.join(arguments)})" if arguments else str(fact["predicate"])
    awaited = "until" in fact
    text = f"{atom}@{time}" if time is not None else f"{atom}@?" if awaited else atom
    return f"{'not ' if fact.get('negated') else ''}{text}{'' if until is None else f' until {until}'}"
