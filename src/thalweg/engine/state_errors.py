"""Why state that was written earlier cannot be used, and what to do about it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from thalweg.errors import Diagnostic, StateError

UNREADABLE = (
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    OverflowError,
    ZeroDivisionError,
    StopIteration,
    RecursionError,
    AssertionError,
    OSError,
    struct.error,
    pa.ArrowException,
)
"""What reading bytes that nobody wrote may raise."""

_ANEW = "begin anew over all facts, with a new checkpoint or without a snapshot: the answers are the same"


def other_program(what: str = "program, query or setting") -> StateError:
    """The state was written for something else."""
    message = f"the state belongs to another {what}"
    return _error("E477", message, f"go on with what wrote it; or {_ANEW}")


def other_version(written: object, read: int, place: str | None = None) -> StateError:
    """The state was written in another version of the format."""
    found = str(written)[:40]
    message = f"the state was written in version {found} of the format, and this program reads version {read}"
    return _error("E478", message, f"let the version of thalweg that wrote it go on and finish; or {_ANEW}", place)


def damaged(why: str, place: str | None = None) -> StateError:
    """The state is not what was written, or not all of it is there."""
    hint = f"take an earlier snapshot or checkpoint; or {_ANEW}"
    return _error("E479", f"the state cannot be read: {why}", hint, place)


@contextmanager
def reading() -> Iterator[None]:
    """Around what reads state: whatever makes no sense there is an error that a person can read."""
    try:
        yield
    except StateError:
        raise
    except UNREADABLE as error:
        raise damaged("what it says of itself makes no sense") from error


def _error(code: str, message: str, hint: str, place: str | None = None) -> StateError:
    return StateError([Diagnostic(code, None, message, hint, place)])
