"""Errors for the user, carried from a Python worker of Spark to the driver.

An exception in a worker reaches the driver as a long text, with the traceback of the worker in it and wrapped by
Spark once or several times. So the worker raises one whose message has a line that a program can read::

    thalweg-diagnostics: {"error": "DataError", "diagnostics": […]}

and the driver looks for that line. In a worker: ``with carried(): …`` or ``raise encode(diagnostics)``. On the
driver: ``with user_errors(): …`` around whatever runs a query or waits for one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from thalweg.engine.memory_limit import not_enough
from thalweg.errors import (
    BadFactsError,
    DataError,
    Diagnostic,
    DiagnosticError,
    InconsistencyError,
    ProgramError,
    ReasoningError,
    StateError,
    StorageError,
    ThalwegError,
    UsageError,
)
from thalweg.source import Span
from thalweg.spark.excerpt import Excerpt

_MARKER = "thalweg-diagnostics: "

_DIAGNOSTIC_ERRORS: dict[str, type[DiagnosticError]] = {
    kind.__name__: kind
    for kind in (
        BadFactsError,
        DataError,
        DiagnosticError,
        InconsistencyError,
        ProgramError,
        ReasoningError,
        StateError,
        StorageError,
    )
}

_LONGEST_LINE = 500
"""A longer source line is not carried: its diagnostic keeps the place and loses the line and its carets."""

_MOST_DIAGNOSTICS = 50


class WorkerError(Exception):
    """What a worker raises: the error as a person reads it, then the line that a driver reads."""


def encode(diagnostics: Iterable[Diagnostic]) -> WorkerError:
    """The exception to raise in a worker when facts are wrong."""
    return encode_error(DataError(diagnostics))


def encode_error(error: ThalwegError) -> WorkerError:
    """The exception to raise in a worker in the place of another, which the driver will raise."""
    payload: dict[str, Any]
    if isinstance(error, DiagnosticError):
        error = _DIAGNOSTIC_ERRORS[_kind(error)](_first_few(error.diagnostics))
        payload = {"error": _kind(error), "diagnostics": [_to_json(diagnostic) for diagnostic in error.diagnostics]}
    else:
        payload = {"error": UsageError.__name__, "message": str(error)}
    return WorkerError(f"{error}\n{_MARKER}{json.dumps(payload)}")


@contextmanager
def carried() -> Iterator[None]:
    """In a worker: turn errors for the user into such as the driver can read."""
    try:
        yield
    except ThalwegError as error:
        raise encode_error(error) from None
    except MemoryError as error:
        raise encode_error(ReasoningError([not_enough("a shard", error)])) from None


def decode(error: BaseException) -> tuple[Diagnostic, ...] | None:
    """The diagnostics that a worker put into an exception; None if it put none there."""
    recovered = recover(error)
    return recovered.diagnostics if isinstance(recovered, DiagnosticError) else None


def recover(error: BaseException) -> ThalwegError | None:
    """The error that a worker put into an exception; None if it put none there."""
    for text in texts_of(error):
        for payload in _payloads(text):
            if "message" in payload:
                return UsageError(payload["message"])
            kind = _DIAGNOSTIC_ERRORS[payload["error"]]
            return kind(map(_from_json, payload["diagnostics"]))
    return None


@contextmanager
def user_errors() -> Iterator[None]:
    """On the driver: raise the errors that workers meant for the user; other exceptions pass as they are."""
    try:
        yield
    except Exception as error:
        recovered = recover(error)
        if recovered is None:
            raise
        # Spark's own text repeats the same error several times, among hundreds of lines of traceback.
        raise recovered from None


def _kind(error: DiagnosticError) -> str:
    """The class of an error, or the nearest above it that a driver knows."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__name__ in _DIAGNOSTIC_ERRORS)


def _first_few(diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Spark repeats what a worker says many times, so it should not say too much."""
    shown, rest = diagnostics[:_MOST_DIAGNOSTICS], diagnostics[_MOST_DIAGNOSTICS:]
    return (*shown, Diagnostic(rest[0].code, None, f"and {len(rest)} more of the kind")) if rest else shown


def texts_of(error: BaseException) -> Iterator[str]:
    """All texts in which Spark may have put the message of a worker, the plainest first."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        current = waiting.pop(0)
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        yield str(current)
        yield str(getattr(current, "_stackTrace", ""))
        waiting += [getattr(current, "_cause", None), current.__cause__, current.__context__]


def _payloads(text: str) -> Iterator[dict[str, Any]]:
    """What follows the marker, wherever it does so in a readable form."""
    decoder = json.JSONDecoder()
    for rest in text.split(_MARKER)[1:]:
        try:
            payload, _ = decoder.raw_decode(rest)
        except json.JSONDecodeError:  # the marker in a line of source code that a traceback shows
            continue
        yield payload


def _to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    fields: dict[str, Any] = {"code": diagnostic.code, "message": diagnostic.message, "hint": diagnostic.hint}
    span = diagnostic.span
    if span is None:
        return {**fields, "place": diagnostic.place}
    line, column = span.source.position(span.start)
    text = span.source.line_text(line)
    if len(text) > _LONGEST_LINE:
        return {**fields, "place": span.place}
    return {**fields, "span": [span.source.name, line, text, column - 1, column - 1 + span.end - span.start]}


def _from_json(fields: dict[str, Any]) -> Diagnostic:
    span = None
    if "span" in fields:
        name, line, text, start, end = fields["span"]
        span = Span(Excerpt(name, text, first_line=line), start, end)
    return Diagnostic(fields["code"], span, fields["message"], fields["hint"], fields.get("place"))
