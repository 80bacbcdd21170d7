"""Where a formula holds for each of many signals, as cells of a grid: so answers of all systems can be compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.bench.peers.past_formulas import Time

Verdicts = npt.NDArray[np.bool_]
"""By signal and cell: with dense time the cells 2t and 2t + 1 are the point t and the gap after it."""


def from_tables(tables: Iterable[Any], time: Time, count: int, end: int) -> Verdicts:
    """Thalweg's answers for signals s0, s1, … before an end."""
    table = pa.concat_tables(tables)
    signal = pc.cast(pc.utf8_slice_codeunits(table["arg1"], 1), pa.int64()).to_numpy()
    first = time.cells * table["start"].to_numpy() + ~table["start_closed"].to_numpy()
    last = time.cells * table["end"].to_numpy() - ~table["end_closed"].to_numpy()
    size = time.cells * end
    begins_before_end = first < size
    rises = np.zeros((count, size + 1), np.int64)
    np.add.at(rises, (signal[begins_before_end], first[begins_before_end]), 1)
    np.add.at(rises, (signal[begins_before_end], np.minimum(last[begins_before_end] + 1, size)), -1)
    return rises.cumsum(axis=1)[:, :-1] > 0


def from_changes(changes: Iterable[tuple[float, bool]], time: Time, end: int) -> Verdicts:
    """A monitor's verdict on one signal, given where it changes."""
    found = np.zeros(time.cells * end, np.bool_)
    for start, verdict in changes:
        found[round(time.cells * start) :] = verdict
    return found


def differing(ours: Verdicts, theirs: Verdicts) -> int:
    """On how many cells two systems differ, of the signals and the time that both have seen."""
    rows, columns = np.minimum(ours.shape, theirs.shape)
    return int((ours[:rows, :columns] != theirs[:rows, :columns]).sum())
