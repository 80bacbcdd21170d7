"""Time that stands still until it is told to move."""

from __future__ import annotations

from fractions import Fraction


class ManualClock:
    """A clock for tests: calling it gives the time that was last set."""

    def __init__(self, now: Fraction | int = 0) -> None:
        self.now = Fraction(now)

    def __call__(self) -> Fraction:
        """The time."""
        return self.now

    def set(self, now: Fraction | int) -> None:
        """Move to a time, which may be in the past: clocks do that."""
        self.now = Fraction(now)

    def advance(self, by: Fraction | int) -> None:
        """Move on by a duration."""
        self.now += by
