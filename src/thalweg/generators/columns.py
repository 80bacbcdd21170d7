"""Columns that several generators make."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def numbered(prefix: str, count: int) -> pa.Array:
    """The names ``prefix0``, ``prefix1``, …"""
    return pc.binary_join_element_wise(prefix, pa.array(np.arange(count)).cast(pa.string()), "")


def at_time(time: int, **arguments: pa.Array) -> pa.Table:
    """Facts that hold at one time point: columns of arguments, then the time."""
    rows = len(next(iter(arguments.values())))
    return pa.table({**arguments, "time": pa.array(np.full(rows, time, np.int64))})
