"""A stream that is a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from thalweg.model.program import Fact

Batch = tuple[Fraction, tuple[Fact, ...]]
"""The time up to which a stream is now known, and the facts that came with it."""


class ListSource:
    """A source for tests: an iterator of (time, facts) batches; each iteration starts where the last stopped."""

    def __init__(self, batches: Iterable[tuple[Fraction | int, Iterable[Fact]]]) -> None:
        self._batches = iter([(Fraction(time), tuple(facts)) for time, facts in batches])

    def __iter__(self) -> Iterator[Batch]:
        return self

    def __next__(self) -> Batch:
        return next(self._batches)
