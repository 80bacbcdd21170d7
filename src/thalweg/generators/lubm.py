"""Temporal LUBM: universities as univ-bench has them, each fact at a time point on a half in [0, 300].

The journal paper's data sets D5 to D20 are ``Lubm(5_000_000)`` to ``Lubm(20_000_000)``. A data set has exactly as many
facts as it is asked for: those of whole universities, numbered from 0, and the last one cut off. Facts are counted
department after department, and within a department predicate after predicate; so all departments but the last are
whole, and of the last the predicates that come first in :data:`PREDICATES` are there. A smaller data set of the same
seed is a part of a larger one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from thalweg.generators.stream import TIME, Slice
from thalweg.generators.univ_bench import UNIVERSITIES
from thalweg.generators.univ_bench_draws import Draws, Ints
from thalweg.generators.univ_bench_facts import PREDICATES, Facts
from thalweg.generators.univ_bench_names import Names
from thalweg.generators.univ_bench_population import Population

HORIZON = 300
STEP = Fraction(1, 2)
TIME_POINTS = int(HORIZON / STEP) + 1

TIME_TYPE = pa.decimal128(9, 1)
"""Exact, and Spark has it, too."""

_FACTS_OF_A_UNIVERSITY = 120_000
"""Fewer than most have."""
_TEXTS_AT_ONCE = 400_000


@dataclass(frozen=True)
class _Rows:
    """The facts of one predicate in the order of time; those of time point i are from ``edges[i]`` on."""

    columns: tuple[Ints, ...]
    edges: npt.NDArray[np.int64]


class Lubm:
    """So many facts; ``only`` some predicates of them, the same as there would be among all.

    >>> stream = Lubm(5000, only=["headOf"])
    >>> print(stream.tables()["headOf"].to_pylist()[0]["person"])
    Department0-University0-FullProfessor3
    """

    def __init__(self, facts: int, seed: int = 0, only: Collection[str] | None = None) -> None:
        unknown = sorted(set(only or ()) - PREDICATES.keys())
        if unknown:
            raise ValueError(f"univ-bench has no predicate {unknown[0]}; it has {', '.join(PREDICATES)}")
        if facts < 0 or seed < 0:
            raise ValueError("the number of facts and the seed must not be negative")
        self.facts = facts
        self.seed = seed
        self.only = tuple(name for name in PREDICATES if only is None or name in only)

    @property
    def name(self) -> str:
        """What its files are called by."""
        return "lubm"

    @property
    def declarations(self) -> str:
        """The predicates with the names and types of their arguments; programs of the journal derive some of them."""
        said = ["timeline rational."]
        for name in self.only:
            arguments = ", ".join(f"{argument}: string" for argument in PREDICATES[name].arguments)
            said.append(f"predicate {name}({arguments}).")
        return "\n".join(said) + "\n"

    @property
    def counts(self) -> Mapping[str, int]:
        """How many facts each predicate has, also those that are not wanted here; together as many as asked for."""
        return _populate(self.facts, self.seed)[1]

    def counts_by_time(self) -> npt.NDArray[np.int64]:
        """How many facts there are at each time point: 0, 0.5, 1, …"""
        found = np.zeros(TIME_POINTS, np.int64)
        for name in self.only:
            found += np.bincount(self._times(name), minlength=TIME_POINTS)
        return found

    def slices(self) -> Iterator[Slice]:
        """The facts of each time point, also of those without any."""
        rows = {name: self._rows(name) for name in self.only}
        # Texts are made for many time points at once: it takes calls for each predicate, whether facts are many or few.
        for first, end in pairwise(_stretches(self._size)):
            tables = {name: self._between(name, rows[name], first, end) for name in self.only}
            for place in range(first, end):
                parts = {name: _at(table, rows[name], first, place) for name, table in tables.items()}
                yield Slice(place * STEP, {name: part for name, part in parts.items() if len(part)})

    def tables(self) -> dict[str, pa.Table]:
        """All facts at once, of each predicate in the order of time."""
        return {name: self._between(name, self._rows(name), 0, TIME_POINTS) for name in self.only}

    @cached_property
    def _names(self) -> Names:
        return Names(_populate(self.facts, self.seed)[0])

    @property
    def _size(self) -> int:
        """How many facts are wanted here."""
        return sum(self.counts[name] for name in self.only)

    def _rows(self, name: str) -> _Rows:
        there, counts = _populate(self.facts, self.seed)
        facts, size = PREDICATES[name].facts(there), counts[name]
        times = self._times(name)
        order = np.argsort(times, kind="stable")
        edges = np.searchsorted(times[order], np.arange(TIME_POINTS + 1))
        return _Rows(tuple(column[:size][order] for column in _columns(facts)), edges)

    def _times(self, name: str) -> npt.NDArray[np.uint16]:
        """The time points of the facts of a predicate, by number."""
        return Draws(self.seed).below(f"time of {name}", TIME_POINTS, self.counts[name]).astype(np.uint16)

    def _between(self, name: str, rows: _Rows, first: int, end: int) -> pa.Table:
        """The facts of some time points as a table."""
        low, high = rows.edges[first], rows.edges[end]
        predicate = PREDICATES[name]
        texts = [
            self._names.texts(written, column[low:high])
            for written, column in zip(predicate.written, rows.columns, strict=True)
        ]
        times = _time_points().take(pa.array(np.repeat(np.arange(first, end), np.diff(rows.edges[first : end + 1]))))
        return pa.table([*texts, times], names=[*predicate.arguments, TIME])


@lru_cache(maxsize=1)
def _time_points() -> pa.Array:
    """All of them; made when needed, because Arrow loads pandas, where there is one, to make an array."""
    return pa.array([Decimal(place) / 2 for place in range(TIME_POINTS)], TIME_TYPE)


@lru_cache(maxsize=1)
def _populate(facts: int, seed: int) -> tuple[Population, Mapping[str, int]]:
    """Enough universities, and how many of the facts of each predicate are wanted."""
    universities = max(1, -(-facts // _FACTS_OF_A_UNIVERSITY))
    while True:
        if universities > UNIVERSITIES:
            raise ValueError(f"{facts:,} facts need more universities than the {UNIVERSITIES} there are")
        there = Population(universities, Draws(seed))
        counts = np.stack([_by_department(there, name) for name in PREDICATES], axis=1)
        if counts.sum() >= facts:
            return there, dict(zip(PREDICATES, _cut_off(counts, facts).tolist(), strict=True))
        universities += 1 + universities // 8


def _at(table: pa.Table, rows: _Rows, first: int, place: int) -> pa.Table:
    """The facts of one time point, of a table that begins with those of another."""
    low, high = rows.edges[place], rows.edges[place + 1]
    return table.slice(low - rows.edges[first], high - low)


def _stretches(facts: int) -> list[int]:
    """Where to begin anew with texts, so that not too many are held at once."""
    points = max(1, TIME_POINTS * _TEXTS_AT_ONCE // max(facts, 1))
    return [*range(0, TIME_POINTS, points), TIME_POINTS]


def _by_department(there: Population, name: str) -> npt.NDArray[np.int64]:
    return np.bincount(PREDICATES[name].facts(there).departments, minlength=there.departments)


def _cut_off(counts: npt.NDArray[np.int64], wanted: int) -> npt.NDArray[np.int64]:
    """How many of each predicate's facts are among the first, counted row after row of departments."""
    ends = np.cumsum(counts.reshape(-1)).reshape(counts.shape)
    missing = np.clip(ends - wanted, 0, counts)
    kept: npt.NDArray[np.int64] = (counts - missing).sum(axis=0)
    return kept


def _columns(facts: Facts) -> tuple[Ints, ...]:
    return (facts.first,) if facts.second is None else (facts.first, facts.second())
