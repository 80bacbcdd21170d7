"""Values as texts, for people and for columns of texts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.columnar.arrays import Ints
from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.matching import UNBOUND
from thalweg.syntax.facts import format_value


class Texts:
    """The texts of interned values, written once each: the same names come again and again."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._interned = pa.array([], pa.string())

    def of(self, codes: Ints) -> pa.Array:
        """The texts of codes; null where a variable is unbound."""
        is_number = (codes & 1) == 0
        if is_number.all():
            return pc.cast(pa.array(codes >> 1, mask=codes == UNBOUND), pa.string())
        places = pa.array(np.where(is_number, 0, codes >> 1), mask=is_number)
        texts = self._up_to_date().take(places)
        if not is_number.any():
            return texts
        numbers = pc.cast(pa.array(codes >> 1, mask=~is_number | (codes == UNBOUND)), pa.string())
        return pc.coalesce(texts, numbers)

    def _up_to_date(self) -> pa.Array:
        if len(self._interned) < len(self._values):
            new = self._values.entries()[len(self._interned) :]
            texts = [value if isinstance(value, str) else format_value(value) for value in new]
            self._interned = pa.concat_arrays([self._interned, pa.array(texts, pa.string())])
        return self._interned
