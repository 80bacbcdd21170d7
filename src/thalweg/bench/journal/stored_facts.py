"""How many facts are stored: of a stream while it goes on, and of a batch."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pyarrow as pa

import thalweg
from thalweg.engine.stream import StreamReasoner
from thalweg.generators.stream import Slice
from thalweg.model.program import Program


@dataclass
class Streamed:
    """What a stream stored and answered, step by step.

    ``most`` is counted before anything is forgotten: what was held, and all that arrived or was derived since.
    ``left`` is what the step leaves to the next, and ``came`` how many facts had come by then. ``answers`` are the
    tables of each predicate that is derived.
    """

    times: list[Fraction] = field(default_factory=list)
    most: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    came: list[int] = field(default_factory=list)
    facts: int = 0
    answers: dict[str, list[pa.Table]] = field(default_factory=dict)

    @property
    def maximum(self) -> int:
        """The most facts stored at any point."""
        return max(self.most)


def count_streamed(program: Program, slices: Iterable[Slice], *, keep: bool) -> Streamed:
    """Feed slices, and count; with ``keep``, hold on to what is derived in each step.

    Every predicate is asked for: what holds between two steps is then what arrived or was derived.
    """
    reasoner = StreamReasoner(program, program.predicates)
    found = Streamed()
    for each in slices:
        held = reasoner.stored.total
        answers = reasoner.advance(each.tables, each.now)
        new = {name: answers.count(name) for name in answers.predicates}
        found.times.append(each.now)
        found.most.append(held + sum(new.values()))
        found.left.append(reasoner.stored.total)
        found.came.append(len(each) + (found.came[-1] if found.came else 0))
        found.facts += sum(new.values())
        for name in (name for name in program.derived_predicates if keep and new[name]):
            found.answers.setdefault(name, []).append(answers.table(name))
    return found


def time_streamed(program: Program, query: str, slices: Iterable[Slice]) -> list[float]:
    """Seconds of processor time that each step took, up to the table of its answers."""
    reasoner = StreamReasoner(program, query)
    seconds = []
    for each in slices:
        begin = time.process_time()
        reasoner.advance(each.tables, each.now).table(query)
        seconds.append(time.process_time() - begin)
    return seconds


def materialise_tables(
    program: Program, tables: Mapping[str, pa.Table], end: Fraction, queries: str | Sequence[str]
) -> thalweg.Materialisation:
    """All that holds in [0, end]."""
    return thalweg.materialise(program, tables, start=0, end=end, queries=queries)


def values_by(times: Sequence[Fraction], tables: Mapping[str, pa.Table]) -> list[int]:
    """How many different values have come up to each time."""
    columns = [(table[name], table["time"]) for table in tables.values() for name in table.column_names[:-1]]
    values, when = (pa.chunked_array([chunk for pair in columns for chunk in pair[i].chunks]) for i in (0, 1))
    seen = pa.table({"value": values, "time": when}).group_by("value").aggregate([("time", "min")])["time_min"]
    ordered = np.sort(seen.cast(pa.float64()).to_numpy())
    sizes: list[int] = np.searchsorted(ordered, [float(time) for time in times], side="right").tolist()
    return sizes
