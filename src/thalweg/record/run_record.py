"""The record of a run: what was asked, when it began, how it stands."""

from __future__ import annotations

import datetime
import json
import os
import socket
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from thalweg.errors import UsageError
from thalweg.source import Source
from thalweg.time.exact import exact
from thalweg.time.timeline import Timeline

FORMAT = 1

BATCH, STREAM, HYPOTHESES = "batch", "stream", "hypotheses"
RUNNING, FINISHED, STOPPED, FAILED, LOST = "running", "finished", "stopped", "failed", "lost"
NUMBER, TEXT, TIMESTAMP, DATE = "number", "text", "timestamp", "date"


def now() -> str:
    """The present, as records have it."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True)
class RunRecord:
    """One run that writes to a folder.

    ``kind`` is ``batch``, ``stream`` or ``hypotheses``; ``answers`` the format of the files. ``state`` is ``running``,
    ``finished``, ``stopped`` (by its user), ``failed`` (``message`` says why) or, when read, ``lost``: it says that it
    runs, but the process is gone. ``unit`` is how many seconds the number 1 is, as a fraction; ``clock`` the kind of
    time in the answers: ``number``, ``text`` (exact fractions), ``timestamp`` or ``date``. ``facts`` are absolute paths
    or addresses; ``explain`` is how many facts are kept as evidence, None for none; ``thalweg`` the version that runs.
    """

    program: Source
    queries: tuple[str, ...]
    kind: str
    answers: str
    unit: str
    timeline: str
    clock: str = NUMBER
    facts: tuple[str, ...] = ()
    tables: str | None = None
    shards: int | None = None
    delay: str | None = None
    explain: int | None = None
    started: str = field(default_factory=now)
    ended: str | None = None
    state: str = RUNNING
    message: str | None = None
    pid: int = field(default_factory=os.getpid)
    host: str = field(default_factory=socket.gethostname)
    thalweg: str = ""
    format: int = FORMAT

    def to_json(self) -> str:
        """As the text of a file."""
        said = {**asdict(self), "program": {"name": self.program.name, "text": self.program.text}}
        return json.dumps(said, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def of_json(cls, text: str, place: str) -> RunRecord:
        """The record of :meth:`to_json`; raises :class:`UsageError`, with the place, for anything else."""
        try:
            return _of(json.loads(text))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise UsageError(f"{place} cannot be read: {error}") from error

    def as_it_is(self) -> RunRecord:
        """The record with the state ``lost`` if it says that it runs, on this machine, and the process is gone."""
        if self.state != RUNNING or self.host != socket.gethostname() or _is_alive(self.pid):
            return self
        return replace(self, state=LOST)


def _of(said: Any) -> RunRecord:
    if not isinstance(said, dict):
        raise TypeError("it is not a JSON object")
    if said.get("format") != FORMAT:
        found = f"it has format {said.get('format')}, and this program reads {FORMAT}"
        raise ValueError(f"{found}; look at it with the version of thalweg that wrote it")
    known = {each.name for each in fields(RunRecord)}
    taken: dict[str, Any] = {name: _frozen(value) for name, value in said.items() if name in known}
    taken["program"] = Source(said["program"]["name"], said["program"]["text"])
    record = RunRecord(**taken)
    for name, is_right in _RIGHT.items():
        if not is_right(getattr(record, name)):
            raise ValueError(f"its {name} makes no sense")
    return record


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 53


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(_is_text, value))


def _or_none(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or is_right(value)


_RIGHT: dict[str, Callable[[Any], bool]] = {
    "program": lambda source: _is_text(source.name) and _is_text(source.text),
    "queries": _are_texts,
    "kind": (BATCH, STREAM, HYPOTHESES).__contains__,
    "answers": _is_text,
    "unit": lambda unit: _is_text(unit) and exact(unit) > 0,
    "timeline": [each.value for each in Timeline].__contains__,
    "clock": (NUMBER, TEXT, TIMESTAMP, DATE).__contains__,
    "facts": _are_texts,
    "tables": _or_none(_is_text),
    "shards": _or_none(_is_count),
    "delay": _or_none(_is_text),
    "explain": _or_none(_is_count),
    "started": _is_text,
    "ended": _or_none(_is_text),
    "state": (RUNNING, FINISHED, STOPPED, FAILED, LOST).__contains__,
    "message": _or_none(_is_text),
    "pid": lambda pid: _is_count(pid) and pid < 1 << 31,
    "host": _is_text,
    "thalweg": _is_text,
}
"""What the fields of a record must be, whoever wrote it."""


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
