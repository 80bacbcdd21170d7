"""Closed stretches of time, possibly infinite."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.time.interval import Endpoint, Interval


@dataclass(frozen=True)
class Stretch:
    """All times from ``low`` to ``high``."""

    low: Endpoint
    high: Endpoint

    def union(self, other: Stretch) -> Stretch:
        """The smallest stretch that covers both."""
        return Stretch(min(self.low, other.low), max(self.high, other.high))

    def intersection(self, other: Stretch) -> Stretch | None:
        """What both cover; None when that is nothing."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Stretch(low, high) if low <= high else None

    def looking(self, offsets: Interval) -> Stretch:
        """Where one looks from anywhere in this stretch, when looking at these offsets."""
        return Stretch(self.low + offsets.start, self.high + offsets.end)
