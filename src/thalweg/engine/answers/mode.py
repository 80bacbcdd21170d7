"""What is asked of a program's answers."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from thalweg.errors import UsageError


class Mode(Enum):
    """All answers or one of them, or what holds in all of them or in some."""

    ALL = "all"
    ONE = "one"
    CAUTIOUS = "cautious"
    BRAVE = "brave"

    @classmethod
    def of(cls, name: str) -> Mode:
        """The mode of a name; raises :class:`UsageError` for any other."""
        return cls(_known(name, "mode", [each.value for each in cls]))

    @property
    def is_consequences(self) -> bool:
        """Whether the result is one set of atoms made of all answers."""
        return self in (Mode.CAUTIOUS, Mode.BRAVE)


class Reading(Enum):
    """When rules are satisfied: at all time points, or at one (LARS paper, Definition 8)."""

    ALL_TIMES = "all-times"
    EVALUATION_TIME = "evaluation-time"

    @classmethod
    def of(cls, name: str) -> Reading:
        """The reading of a name; raises :class:`UsageError` for any other."""
        return cls(_known(name, "reading", [each.value for each in cls]))


def _known(name: str, kind: str, names: Sequence[str]) -> str:
    if name not in names:
        raise UsageError(f"there is no {kind} {name!r}: it is one of {', '.join(names)}")
    return name
