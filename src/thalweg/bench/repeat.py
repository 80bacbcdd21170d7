"""Something done again and again in this process, in seconds of processor time."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Timing:
    """How long each run took; other processes' time is left out."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.seconds)

    def rate(self, count: int) -> float:
        """So many things in one run, as things a second."""
        return count / self.median

    def and_again(self, other: Timing) -> Timing:
        return Timing(self.seconds + other.seconds)


def once(run: Callable[[], T]) -> tuple[Timing, T]:
    """One run, and what it returned; garbage is collected before."""
    gc.collect()
    begin = time.process_time()
    result = run()
    return Timing((time.process_time() - begin,)), result


def repeat(run: Callable[[], T], repetitions: int) -> tuple[Timing, T]:
    """Several runs, and what the last returned; one run before them loads libraries and is not counted."""
    run()
    return again_and_again(lambda: once(run), repetitions)


def again_and_again(timed: Callable[[], tuple[Timing, T]], repetitions: int) -> tuple[Timing, T]:
    """Several runs, each of which says how long it took, and what the last returned."""
    timing, result = timed()
    for _ in range(repetitions - 1):
        again, result = timed()
        timing = timing.and_again(again)
    return timing, result
