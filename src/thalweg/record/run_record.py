"""The record of a run: what was asked, when it began, how it stands."""

from __future__ import annotations

import datetime
import json
import os
import socket
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from thalweg.errors import UsageError
from thalweg.source import Source

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
        except (ValueError, TypeError, KeyError) as error:
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
        raise ValueError(f"it has format {said.get('format')}, and this program reads {FORMAT}")
    known = {each.name for each in fields(RunRecord)}
    taken: dict[str, Any] = {name: _frozen(value) for name, value in said.items() if name in known}
    taken["program"] = Source(said["program"]["name"], said["program"]["text"])
    return RunRecord(**taken)


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
