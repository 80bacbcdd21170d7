"""Steps that follow one another, each of them timed by itself."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from thalweg.bench.repeat import Timing

T = TypeVar("T")


def timed_steps(steps: Iterable[Callable[[], T]]) -> tuple[Timing, list[T]]:
    """The processor time of each step, and what each returned; garbage is collected before the first."""
    gc.collect()
    seconds, results = [], []
    for step in steps:
        begin = time.process_time()
        results.append(step())
        seconds.append(time.process_time() - begin)
    return Timing(tuple(seconds)), results
