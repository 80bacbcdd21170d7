"""What a batch of a stream says of itself, as a line of JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from thalweg.record.run_record import now


@dataclass(frozen=True)
class Progress:
    """Counts of one batch, and how far time has come.

    ``newest``, ``answered_before`` and ``lag`` are exact, in units of the program; ``answered_before`` is ``inf`` when
    everything has been answered. ``lag_seconds`` is how far the answers are behind the clock on the wall, where times
    are timestamps. ``stored`` counts the facts held, ``history`` those of them that are held for ever, ``values`` the
    different values in tables of values, ``state_bytes`` the size of the state that is written down; ``bound`` is the
    promised bound on ``stored``; ``open`` counts open hypotheses. ``files_left`` and ``records_left`` were there and
    not taken when the batch was planned; None where all were.
    """

    batch: int
    rows: int = 0
    seconds: float = 0.0
    answers: int = 0
    late: int = 0
    set_aside: int = 0
    newest: str | None = None
    answered_before: str | None = None
    lag: str | None = None
    lag_seconds: float | None = None
    stored: int = 0
    history: int = 0
    values: int = 0
    state_bytes: int | None = None
    bound: int | None = None
    waiting: int = 0
    files_left: int | None = None
    records_left: int | None = None
    open: int | None = None
    divisions: int = 0
    at: str = field(default_factory=now)

    def to_json(self) -> str:
        """As a line, without its end."""
        return json.dumps(asdict(self))

    @classmethod
    def of_json(cls, line: str) -> Progress | None:
        """The progress in a line; None for a line that is not one, or was not written to its end."""
        try:
            return _of(json.loads(line))
        except (ValueError, TypeError, RecursionError):
            return None


def _of(said: Any) -> Progress | None:
    if not isinstance(said, dict) or not isinstance(said.get("batch"), int):
        return None
    known = {each.name: str(each.type) for each in fields(Progress)}
    taken = {name: value for name, value in said.items() if name in known}
    is_right = all(type(value) in _allowed(known[name]) for name, value in taken.items())
    return Progress(**taken) if is_right else None


def _allowed(annotation: str) -> set[type]:
    """The types that JSON may have where a field is annotated so."""
    kinds: dict[str, set[type]] = {"int": {int}, "float": {int, float}, "str": {str}, "None": {type(None)}}
    return {each for word in annotation.split(" | ") for each in kinds[word]}
