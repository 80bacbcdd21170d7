"""Whether two ways to answer gave the same facts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.generators.lubm import TIME_POINTS

_TIMES = ("start", "end")
_DECIMAL = pa.decimal128(38, 1)

Keys = npt.NDArray[np.int64]


def differing(parts: Sequence[pa.Table], whole: pa.Table) -> int:
    """How many facts are only in the parts together, or only in the whole; all of them are at single time points."""
    joined = pa.concat_tables([_plain(part) for part in parts]) if parts else _plain(whole).slice(0, 0)
    whole = _plain(whole)
    known = [pc.unique(whole[name]) for name in whole.column_names[: -len(_TIMES)]]
    return len(np.setxor1d(_keys(joined, known), _keys(whole, known))) + abs(len(joined) - len(whole))


def _plain(table: pa.Table) -> pa.Table:
    """Arguments, start and end, times of one type; answers at whole time points come as integers."""
    arguments = [name for name in table.column_names if name not in {*_TIMES, "start_closed", "end_closed"}]
    columns = [table[name] for name in arguments] + [table[name].cast(_DECIMAL) for name in _TIMES]
    return pa.table(columns, names=[*arguments, *_TIMES])


def _keys(table: pa.Table, known: Sequence[pa.Array]) -> Keys:
    """A number for each row; arguments that are not known share one."""
    keys: Keys = np.zeros(len(table), np.int64)
    for position, values in enumerate(known):
        places = pc.index_in(table[position].combine_chunks(), values).fill_null(len(values))
        keys = keys * (len(values) + 1) + places.to_numpy()
    for name in _TIMES:
        halves = (table[name].cast(pa.float64()).to_numpy() * 2).astype(np.int64)  # exact: times are halves
        keys = keys * TIME_POINTS + halves
    return keys
