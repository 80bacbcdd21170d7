"""Readings of wind turbines in batches of a fixed size, and what somebody would write to follow them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from thalweg.generators.columns import Ints
from thalweg.generators.turbines import LENGTH, RULES, Readings, Turbines

DELAY = 5


@dataclass(frozen=True)
class Batches:
    """The readings of a stream in the order of their arrival, to be taken so many at a time."""

    drawn: Turbines
    readings: Readings

    @classmethod
    def draw(cls, turbines: int, count: int, seed: int) -> Batches:
        """So many readings altogether."""
        drawn = Turbines(turbines, count // turbines, DELAY, seed=seed)
        return cls(drawn, drawn.readings())

    @property
    def program(self) -> str:
        """Example 1 of the paper."""
        return self.drawn.declarations + RULES

    def __len__(self) -> int:
        return len(self.readings)

    def tables(self, size: int) -> Iterator[dict[str, pa.Table]]:
        """Batches of so many readings, as tables."""
        for first in range(0, len(self), size):
            yield self.drawn.tables(self.readings.take(slice(first, first + size)))


def answer_codes(devices: Ints, times: Ints) -> Ints:
    """A number for each answer, the same for the same one."""
    return devices << 32 | times


def device_numbers(names: pa.ChunkedArray) -> Ints:
    """The numbers of turbines by name."""
    found: Ints = pc.utf8_slice_codeunits(names, len("wt")).cast(pa.int64()).to_numpy()
    return found


def by_hand(given: Batches, size: int) -> dict[str, int]:
    """What somebody would write instead: a dictionary of partial matches, and a loop over readings.

    It says the same of the same answers after every batch as the engine does, and counts how often.
    """
    said: dict[str, int] = defaultdict(int)
    partial: dict[tuple[int, int], int] = {}
    complete = (1 << LENGTH) - 1
    newest = -1
    readings = given.readings
    for first in range(0, len(given), size):
        part = slice(first, first + size)
        changed: dict[tuple[int, int], int] = {}
        columns = (readings.device[part].tolist(), readings.is_high[part].tolist(), readings.time[part].tolist())
        for device, is_high, time in zip(*columns, strict=True):
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
