"""Traffic streams time point by time point: of files, or generated; with their short stops, found by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import numpy as np

from thalweg.engine.read import read_facts_of
from thalweg.engine.replay import cut
from thalweg.errors import DataError
from thalweg.generators.columns import Ints
from thalweg.generators.traffic import LONGEST_STOP, PLACES, Traffic
from thalweg.model.program import Program
from thalweg.syntax.fact_batch import FactBatch

Answers = set[str]
Arrival = tuple[Fraction, list[FactBatch]]
"""A time point, and facts as they have been read."""


class TrafficStream(Protocol):
    """What arrives at each time point, and who has just ended a short stop then."""

    @property
    def name(self) -> str: ...

    def arrivals(self, program: Program) -> Iterator[Arrival]:
        """All of it, in the order of time."""

    def expected(self, program: Program) -> dict[Fraction, Answers] | None:
        """Short stops by hand, at the time points that have some; None where that is not easy."""


@dataclass(frozen=True)
class GeneratedTraffic:
    """A stream of ours."""

    drawn: Traffic
    name: str

    def arrivals(self, program: Program) -> Iterator[Arrival]:
        for part in self.drawn.slices():
            yield part.now, read_facts_of(program, part.tables)[0]

    def expected(self, program: Program) -> dict[Fraction, Answers]:
        found = ((time, self.drawn.vehicle_names(vehicles).to_pylist()) for time, vehicles in self.drawn.short_stops())
        return {Fraction(time): {*names} for time, names in found if names}


@dataclass(frozen=True)
class TrafficFile:
    """A file of facts, in the order of time; what comes between two seconds counts with the second of them."""

    path: Path
    name: str

    def arrivals(self, program: Program) -> Iterator[Arrival]:
        found: dict[int, list[FactBatch]] = {}
        for batch in self._batches(program):
            for second, part in cut(batch, _seconds(batch)):
                found.setdefault(second, []).append(part)
        for second in sorted(found):
            yield Fraction(second), found[second]

    def expected(self, program: Program) -> dict[Fraction, Answers] | None:
        batches = [batch for batch in self._batches(program) if batch.predicate in PLACES]
        if not all(_is_punctual(batch) for batch in batches):
            return None
        return _short_stops(batches)

    def _batches(self, program: Program) -> list[FactBatch]:
        batches, problems = read_facts_of(program, self.path)
        if problems:
            raise DataError(problems)
        return batches


def _seconds(batch: FactBatch) -> Ints:
    """The second at or after the beginning of each fact."""
    found: Ints = np.array([math.ceil(start) for start in batch.starts.values], np.int64)[batch.starts.codes]
    return found


def _is_punctual(batch: FactBatch) -> bool:
    """Whether each fact holds at one time point, a whole number."""
    starts, ends = (
        np.array([float(value) for value in column.values])[column.codes] for column in (batch.starts, batch.ends)
    )
    return bool((starts == ends).all() and (starts == np.floor(starts)).all())


def _short_stops(batches: Sequence[FactBatch]) -> dict[Fraction, Answers]:
    """Along each vehicle's time points: it moves, stands still one to four times in a row, and moves again."""
    names, vehicle, time, stands = _places(batches)
    order = np.lexsort((stands, time, vehicle))
    vehicle, time, stands = vehicle[order], time[order], stands[order]
    moves = np.flatnonzero(~stands)
    length = np.diff(moves) - 1
    before, after = moves[:-1], moves[1:]
    in_a_row = (vehicle[before] == vehicle[after]) & (time[after] - time[before] == length + 1)
    ends = after[in_a_row & (length >= 1) & (length <= LONGEST_STOP)]
    found: dict[Fraction, Answers] = {}
    for who, when in zip(vehicle[ends].tolist(), time[ends].tolist(), strict=True):
        found.setdefault(Fraction(when), set()).add(names[who])
    return found


def _places(batches: Sequence[FactBatch]) -> tuple[list[str], Ints, Ints, Ints]:
    """Names, and by row the number of a vehicle, the time, and whether it stands still; no row is there twice."""
    names = sorted({str(value) for batch in batches for value in batch.arguments[0].values})
    numbers = {name: number for number, name in enumerate(names)}
    columns = []
    for batch in batches:
        who = np.array([numbers[str(value)] for value in batch.arguments[0].values])[batch.arguments[0].codes]
        columns.append(np.stack([who, _seconds(batch), np.full(len(batch), batch.predicate == PLACES[0])]))
    vehicle, time, stands = np.unique(np.concatenate(columns, axis=1), axis=1)
    return names, vehicle, time, stands.astype(np.bool_)
