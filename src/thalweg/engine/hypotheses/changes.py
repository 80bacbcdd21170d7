"""What a batch changes in the answers: opened, extended, confirmed, refuted."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from thalweg.columnar.arrays import Bools, Ints
from thalweg.engine.hypotheses.pattern_rows import PatternRows
from thalweg.engine.hypotheses.rows import Rows


class Status(enum.Enum):
    """What has become of an answer."""

    OPENED = "opened"
    """It may become true; it was not known before."""
    EXTENDED = "extended"
    """There is new evidence for it, or another way to it."""
    CONFIRMED = "confirmed"
    """It is an answer."""
    REFUTED = "refuted"
    """No way to it is left."""
    OPEN = "open"
    """It may become true; where all that is open is listed."""
    DROPPED = "dropped"
    """It was given up as too unlikely; it may be an answer all the same."""


@dataclass(frozen=True)
class Change:
    """Rows of one table with a status.

    ``contradicted`` says for each negated atom in which of the rows it has come, where the rows are refuted.
    """

    status: Status
    pattern: PatternRows
    rows: Rows
    answers: tuple[Ints, ...]
    contradicted: tuple[Bools, ...] | None = None

    def take(self, rows: Bools) -> Change:
        """Some of the rows."""
        return replace(
            self,
            rows=self.rows.take(rows),
            answers=tuple(column[rows] for column in self.answers),
            contradicted=None if self.contradicted is None else tuple(each[rows] for each in self.contradicted),
        )
