"""Whether facts have dates for times."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

_TIMES = ("time", "start", "end")


def are_dated(facts: Iterable[Path]) -> bool:
    """Whether a file of facts is a table whose times are timestamps or dates."""
    return any(pa.types.is_temporal(field.type) for path in facts for field in _schema(path) if field.name in _TIMES)


def _schema(path: Path) -> Iterable[pa.Field]:
    try:
        if path.suffix.lower() == ".parquet":
            return list(pyarrow.parquet.read_schema(path))
        if path.suffix.lower() == ".csv":
            with pyarrow.csv.open_csv(path) as reader:
                return list(reader.schema)
    except (OSError, pa.ArrowInvalid):
        pass  # whoever reads the facts says what is wrong
    return ()
