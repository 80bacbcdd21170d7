"""The wind turbines of the paper on hypothetical answers: readings that arrive late and out of order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

DELAY = 5
SHARE_HIGH = 0.3
LENGTH = 3
"""So many high readings in a row are a malfunction."""

PROGRAM = f"""
timeline integer.
input Temp(device: string, level: string).
delay Temp = {DELAY}.
Flag(X) at T     :- Temp(X, high) at T.
Cool(X) at T + 1 :- Flag(X) at T, Flag(X) at T + 1.
Shdn(X) at T + 1 :- Cool(X) at T, Flag(X) at T + 1.
Malf(X) at T - 2 :- Shdn(X) at T.
"""
"""Example 1 of the paper."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Readings:
    """Readings in the order of their arrival: turbine by number, whether it is hot, and the time of the reading."""

    turbines: int
    device: Ints
    is_high: npt.NDArray[np.bool_]
    time: Ints

    def __len__(self) -> int:
        return len(self.time)

    def tables(self, size: int) -> Iterator[dict[str, pa.Table]]:
        """Batches of so many readings, as tables."""
        names = pa.array([f"wt{number}" for number in range(self.turbines)])
        levels = pa.array(["low", "high"])
        for first in range(0, len(self), size):
            part = slice(first, first + size)
            device = pa.DictionaryArray.from_arrays(pa.array(self.device[part], pa.int32()), names)
            level = pa.DictionaryArray.from_arrays(pa.array(self.is_high[part].astype(np.int32)), levels)
            columns = {"device": device.cast(pa.string()), "level": level.cast(pa.string())}
            yield {"Temp": pa.table({**columns, "time": pa.array(self.time[part])})}


def readings(turbines: int, count: int, seed: int) -> Readings:
    """One reading of every turbine at every time point, shuffled so that none is later than the delay."""
    random = np.random.default_rng(seed)
    points = count // turbines
    time = np.repeat(np.arange(points), turbines)
    device = np.tile(np.arange(turbines), points)
    is_high = random.random(len(time)) < SHARE_HIGH
    order = np.lexsort((random.random(len(time)), time + random.integers(0, DELAY + 1, len(time))))
    return Readings(turbines, device[order], is_high[order], time[order])


def malfunctions(given: Readings) -> set[tuple[int, int]]:
    """The answers, found by hand: turbine and time."""
    points = int(given.time.max()) + 1
    hot = np.zeros((given.turbines, points), dtype=np.bool_)
    hot[given.device[given.is_high], given.time[given.is_high]] = True
    runs = np.logical_and.reduce([hot[:, k : points - LENGTH + 1 + k] for k in range(LENGTH)])
    return {(int(device), int(time)) for device, time in zip(*runs.nonzero(), strict=True)}


def by_hand(given: Readings, size: int) -> dict[str, int]:
    """What somebody would write instead: a dictionary of partial matches, and a loop over readings.

    It says the same of the same answers after every batch as the engine does, and counts how often.
    """
    said: dict[str, int] = defaultdict(int)
    partial: dict[tuple[int, int], int] = {}
    complete = (1 << LENGTH) - 1
    newest = -1
    for first in range(0, len(given), size):
        part = slice(first, first + size)
        changed: dict[tuple[int, int], int] = {}
        rows = zip(given.device[part].tolist(), given.is_high[part].tolist(), given.time[part].tolist(), strict=True)
        for device, is_high, time in rows:
            newest = max(newest, time)
            if not is_high:
                continue
            for place in range(LENGTH):
                key = device, time - place
                if time < place:
                    continue
                changed.setdefault(key, partial.get(key, 0))
                partial[key] = partial.get(key, 0) | 1 << place
        closed = newest - 1
        for key, before in changed.items():
            if partial[key] == complete:
                said["confirmed"] += 1
            elif not _is_over(key, partial[key], closed):
                said["extended" if before else "opened"] += 1
        for key in [key for key, bits in partial.items() if bits == complete or _is_over(key, bits, closed)]:
            was_known = key not in changed or changed[key]
            said["refuted"] += partial.pop(key) != complete and bool(was_known)
    said["open"] = len(partial)
    return dict(said)


def _is_over(key: tuple[int, int], bits: int, closed: int) -> bool:
    """Whether the first reading that is missing can no longer come."""
    missing = next((place for place in range(LENGTH) if not bits >> place & 1), None)
    return missing is not None and key[1] + missing + DELAY <= closed


def device_numbers(names: Sequence[str]) -> list[int]:
    """The numbers of turbines by name."""
    return [int(name.removeprefix("wt")) for name in names]
