"""What the page asks for: addresses below ``/api/`` to JSON.

==========================================  ==========================================================================
``/api/runs``                               all runs with their state, and records that cannot be read
``/api/runs/KEY/facts?cursor=C``            facts that are new since C, at most a few thousand, and the next cursor
``/api/runs/KEY/program``                   the rules
``/api/runs/KEY/hypotheses``                what may still become true
``/api/runs/KEY/aside``                     rows that were set aside
``/api/runs/KEY/proof?lane&start&end&ends``  why a fact holds
==========================================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from thalweg import __version__
from thalweg.errors import UsageError
from thalweg.web.subject import Subject

Arguments = Mapping[str, str]


class Shelf(Protocol):
    """Where the subjects come from."""

    def runs(self) -> dict[str, Any]:
        """The list of runs, as JSON."""
        ...

    def find(self, key: str) -> Subject | None:
        """The subject of that name."""
        ...


class NotFoundError(Exception):
    """There is nothing at an address."""


def answer(shelf: Shelf, path: str, arguments: Arguments) -> dict[str, Any]:
    """The answer to a request; raises :class:`NotFoundError`, or :class:`UsageError` for arguments that are wrong."""
    match path.strip("/").split("/"):
        case ["api", "runs"]:
            return {"version": __version__, **shelf.runs()}
        case ["api", "runs", key, what] if what in _ANSWERS:
            subject = shelf.find(key)
            if subject is None:
                raise NotFoundError(path)
            return _ANSWERS[what](subject, arguments)
    raise NotFoundError(path)


def _facts(subject: Subject, arguments: Arguments) -> dict[str, Any]:
    return subject.lanes().since(arguments.get("cursor", ""))


def _proof(subject: Subject, arguments: Arguments) -> dict[str, Any]:
    lane, ends = _number(arguments, "lane"), _number(arguments, "ends")
    try:
        return subject.proof(lane, arguments.get("start", ""), arguments.get("end", ""), ends)
    except KeyError:
        raise NotFoundError(f"lane {lane}") from None


def _number(arguments: Arguments, name: str) -> int:
    text = arguments.get(name, "")
    if not text.isdecimal() or len(text) > 9:
        raise UsageError(f"{name}={text} is not a number")
    return int(text)


_ANSWERS: dict[str, Callable[[Subject, Arguments], dict[str, Any]]] = {
    "facts": _facts,
    "proof": _proof,
    "program": lambda subject, _: subject.program(),
    "hypotheses": lambda subject, _: subject.hypotheses(),
    "aside": lambda subject, _: subject.set_aside(),
}
