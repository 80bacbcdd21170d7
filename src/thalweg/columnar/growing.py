"""A column that grows at its end."""

from __future__ import annotations

import numpy as np

from thalweg.columnar.arrays import Ints


class GrowingInts:
    """Integers in an array with room for more, so that appending costs what is appended."""

    def __init__(self) -> None:
        self._room = np.empty(16, dtype=np.int64)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def array(self) -> Ints:
        """What there is so far; a view, to be used before the next change."""
        return self._room[: self._size]

    def append(self, more: Ints) -> None:
        """Add integers at the end."""
        needed = self._size + len(more)
        if needed > len(self._room):
            room = np.empty(max(needed, 2 * len(self._room)), dtype=np.int64)
            room[: self._size] = self.array
            self._room = room
        self._room[self._size : needed] = more
        self._size = needed
