"""What is known of a stream before the search for answers."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from thalweg.columnar.values import Values
from thalweg.engine.answers.decided import Arguments, Lookup
from thalweg.engine.answers.window import Instant, Window


@dataclass(frozen=True)
class Stream:
    """What is known before the search.

    ``given`` are facts of undecided predicates, ``possible`` all that may hold of them, inside ``held`` only.
    ``background`` predicates hold in all windows alike. Outside ``horizon`` nothing changes any more with time,
    whatever formula of the rules is looked at.
    """

    decided: Lookup
    given: Lookup
    possible: Lookup
    undecided: frozenset[str]
    background: frozenset[str]
    timeline: Window
    held: Window
    horizon: tuple[int, int]
    values: Values

    def arguments(self, predicate: str) -> Collection[Arguments]:
        """The arguments for which a predicate may hold."""
        return (self.possible if predicate in self.undecided else self.decided).arguments(predicate)

    def points(self, low: Instant, high: Instant) -> range:
        """The time points from low to high; of those beyond the horizon one is enough."""
        first, last = self.horizon
        start = min(first, high) if low == -math.inf else low
        end = max(last, start) if high == math.inf else high
        return range(int(start), int(end) + 1)
