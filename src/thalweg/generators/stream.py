"""What a generator gives: facts in the order of their arrival, as Arrow tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import pyarrow as pa

TIME = "time"
"""The column of time points, after those of the arguments."""


@dataclass(frozen=True)
class Slice:
    """What arrives together, by predicate: a column for each argument, then one of time points.

    ``now`` is the time at which it arrives, in the units of the stream's times.
    """

    now: Fraction
    tables: Mapping[str, pa.Table]

    def __len__(self) -> int:
        return sum(map(len, self.tables.values()))


class Generated(Protocol):
    """A stream that is made as it is read: the same seed gives the same facts, however often it is read."""

    @property
    def name(self) -> str:
        """What its files are called by."""

    @property
    def declarations(self) -> str:
        """What a program says to read it: the timeline, ``input`` with the names and types of columns, ``delay``."""

    def slices(self) -> Iterator[Slice]:
        """All of it, slice by slice."""
