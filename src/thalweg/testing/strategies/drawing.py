"""Choices drawn one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

T = TypeVar("T")


@dataclass(frozen=True)
class Choices:
    """Draws from options."""

    draw: DrawFn

    def one_of(self, options: Sequence[T]) -> T:
        """One of the options; the first is the simplest."""
        return self.draw(st.sampled_from(options))

    def chance(self, percent: int) -> bool:
        """True so often."""
        return self.one_of(range(100)) >= 100 - percent
