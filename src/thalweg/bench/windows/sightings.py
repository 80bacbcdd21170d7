"""Streams of sightings: who is seen at each time point, as tables and as what a query by hand works on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

GROUPS = 100
"""The second argument of a fact is the first one modulo this."""

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sightings:
    """Who is seen (the columns) at a time point (the row); a quarter is always there, half of the others at a time.

    With ``fresh`` a share of those seen was never seen before.
    """

    ids: Ids

    @classmethod
    def draw(cls, size: int, times: int, seed: int, fresh: float = 0) -> Sightings:
        random = np.random.default_rng(seed)
        steady, new = size // 4, round(size * fresh)
        others = size - steady - new
        rows = []
        for time in range(times):
            chosen = steady + random.choice(2 * others, others, replace=False)
            unseen = 2 * size + time * new + np.arange(new)
            rows.append(np.concatenate([np.arange(steady), chosen, unseen]))
        return cls(np.stack(rows))

    @property
    def times(self) -> int:
        return len(self.ids)

    @property
    def size(self) -> int:
        return int(self.ids.shape[1])

    def window(self, time: int, length: int) -> Ids:
        """Who was seen at each time point of the window at a time."""
        return self.ids[max(0, time - length) : time + 1]

    def table(self, first: int, last: int) -> pa.Table:
        """The facts from one time point to another."""
        ids = self.ids[first : last + 1].ravel()
        times = np.repeat(np.arange(first, last + 1), self.size)
        return pa.table({"id": pa.array(ids), "x": pa.array(ids % GROUPS), "time": pa.array(times)})
