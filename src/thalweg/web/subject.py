"""What the page shows: a run, or a program with facts."""

from __future__ import annotations

from typing import Any, Protocol

from thalweg.web.lanes import Lanes


class Subject(Protocol):
    """Something with facts in time, and perhaps proofs and hypotheses. All answers are JSON, and bounded."""

    @property
    def key(self) -> str:
        """Its name in addresses."""
        ...

    def summary(self) -> dict[str, Any]:
        """What the list of runs says of it."""
        ...

    def lanes(self) -> Lanes:
        """Its facts, up to date."""
        ...

    def program(self) -> dict[str, Any]:
        """The name and the text of the rules."""
        ...

    def hypotheses(self) -> dict[str, Any]:
        """What may still become true."""
        ...

    def set_aside(self) -> dict[str, Any]:
        """Rows that could not be read, or came too late."""
        ...

    def proof(self, lane: int, start: str, end: str, ends: int) -> dict[str, Any]:
        """Why a fact holds: ``{"proofs": …, "missing": …}``, or ``{"refused": …, "hint": …}``."""
        ...
