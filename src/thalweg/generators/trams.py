"""Trams that report the stops they reach, as in the LARS paper's example, with jams that hold them up.

A line goes round its stops; ``plan`` says how many minutes it takes from one to the next. Each tram serves one line. At
some stops there is a jam for a while, and a tram that is due there meanwhile comes some minutes late.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.generators.columns import Bools, Ints, at_time, numbered
from thalweg.generators.stream import Slice
from thalweg.generators.text import fact_lines, joined

TRAMS_OF_A_LINE = 5
STOPS_OF_A_LINE = 8
SHARED = 2
"""So many lines share a stop, on average."""

FEWEST_MINUTES, MOST_MINUTES = 2, 5
"""The way from a stop to the next takes between these."""

JAM_LENGTH = 10
JAM_CHANCE = 0.01
"""That a jam begins at a stop in a minute."""

MOST_LATE = 6
"""A tram in a jam comes from one to so many minutes late."""

SHARE_OLD = 0.2

RULES = """\
output rel(line: string, stop: string).
output late(id: string, stop: string, minutes: integer).
output gc(from: string, to: string, stop: string).

% A line is reliable at a stop where one of its trams has been in the last 10 minutes.
rel(L, X)      :- line(ID, L), window[last 10] some tram(ID, X).

% From where a tram was last, it is expected at the next stop at the time T, and comes late, maybe held up by a jam.
exp(ID, Y, T)  :- window[last 1 tuples per 1] (tram(ID, X) at T1), line(ID, L), plan(L, X, Y, Z), T = T1 + Z.
late(ID, Y, M) :- window[last 0] (tram(ID, Y) at T1), diamondminus[1,1] exp(ID, Y, T), M = T1 - T, M > 0.
held(ID, Y)    :- late(ID, Y, M), window[last 10] some jam(Y).

% A good connection: another tram, not an old one, is expected at the same stop at most 5 minutes later.
gc(I, J, X)    :- exp(I, X, T), exp(J, X, U), I != J, T <= U, U <= T + 5, not old(J).
"""
"""Rules (3) to (5) of the paper, with the expected time as a value, so that they can be answered on a stream."""


@dataclass(frozen=True)
class _Network:
    """What does not change: stops and minutes of a line (the row) in order, the line of a tram, whether it is old."""

    stops: int
    stop: Ints
    minutes: Ints
    line: Ints
    is_old: Bools


@dataclass(frozen=True)
class Arrivals:
    """Trams at stops in the order of time, and how many minutes late; the first of each tram is in time."""

    time: Ints
    tram: Ints
    stop: Ints
    late: Ints


@dataclass(frozen=True)
class Trams:
    """So many trams in the minutes 0, 1, 2, …"""

    trams: int
    times: int
    seed: int = 0

    @property
    def name(self) -> str:
        """What its files are called by."""
        return "trams"

    @property
    def declarations(self) -> str:
        """What a program says to read it, and the facts that do not change."""
        return (
            "timeline integer.\nunit 1min.\n"
            "input      tram(id: string, stop: string).\n"
            "input      jam(stop: string).\n"
            "background line(id: string, line: string).\n"
            "background plan(line: string, from: string, to: string, minutes: integer).\n"
            "background old(id: string).\n"
        ) + "".join(joined(_statements(name, table)) for name, table in self.background.items())

    @cached_property
    def background(self) -> dict[str, pa.Table]:
        """The line of each tram, the plan, and the old trams."""
        there = self._network
        lines, length = there.stop.shape
        tram, line, stop = numbered("a", self.trams), numbered("l", lines), numbered("p", there.stops)
        return {
            "line": pa.table({"id": tram, "line": line.take(pa.array(there.line))}),
            "plan": pa.table(
                {
                    "line": line.take(pa.array(np.repeat(np.arange(lines), length))),
                    "from": stop.take(pa.array(there.stop.ravel())),
                    "to": stop.take(pa.array(np.roll(there.stop, -1, axis=1).ravel())),
                    "minutes": pa.array(there.minutes.ravel()),
                }
            ),
            "old": pa.table({"id": tram.filter(pa.array(there.is_old))}),
        }

    def slices(self) -> Iterator[Slice]:
        """All of it, minute by minute."""
        tram, stop = numbered("a", self.trams), numbered("p", self._network.stops)
        found = self.arrivals
        edges = np.searchsorted(found.time, np.arange(self.times + 1))
        for time in range(self.times):
            rows = slice(edges[time], edges[time + 1])
            columns = {"id": tram.take(pa.array(found.tram[rows])), "stop": stop.take(pa.array(found.stop[rows]))}
            jams = stop.take(pa.array(self.jams[time].nonzero()[0]))
            tables = {"tram": pa.table({**columns, "time": found.time[rows]}), "jam": at_time(time, stop=jams)}
            yield Slice(Fraction(time), tables)

    @cached_property
    def jams(self) -> Bools:
        """Whether there is a jam at a stop (the column) in a minute (the row)."""
        random = np.random.default_rng((self.seed, 1))
        begins = random.random((self.times, self._network.stops)) < JAM_CHANCE
        counts = np.cumsum(np.pad(begins, ((JAM_LENGTH, 0), (0, 0))), axis=0)
        before = np.pad(counts, ((1, 0), (0, 0)))[: self.times]
        there: Bools = counts[JAM_LENGTH:] > before
        return there

    @cached_property
    def arrivals(self) -> Arrivals:
        """All trams go from stop to stop at once, as often as there is time."""
        there, random = self._network, np.random.default_rng((self.seed, 2))
        place = random.integers(0, STOPS_OF_A_LINE, self.trams)
        time = random.integers(0, STOPS_OF_A_LINE * MOST_MINUTES, self.trams)
        tram, late = np.arange(self.trams), np.zeros(self.trams, np.int64)
        found = []
        while (time < self.times).any():
            found.append(np.stack([time, tram, there.stop[there.line, place], late]))
            time = time + there.minutes[there.line, place]
            place = (place + 1) % STOPS_OF_A_LINE
            in_jam = self.jams[np.minimum(time, self.times - 1), there.stop[there.line, place]]
            late = np.where(in_jam, random.integers(1, MOST_LATE + 1, self.trams), 0)
            time = time + late
        rows = np.concatenate(found, axis=1)
        rows = rows[:, rows[0] < self.times]
        return Arrivals(*rows[:, np.lexsort((rows[1], rows[0]))])

    @cached_property
    def _network(self) -> _Network:
        random = np.random.default_rng((self.seed, 0))
        lines = -(-self.trams // TRAMS_OF_A_LINE)
        stops = max(STOPS_OF_A_LINE, lines * STOPS_OF_A_LINE // SHARED)
        return _Network(
            stops,
            np.stack([random.choice(stops, STOPS_OF_A_LINE, replace=False) for _ in range(lines)]),
            random.integers(FEWEST_MINUTES, MOST_MINUTES + 1, (lines, STOPS_OF_A_LINE)),
            random.integers(0, lines, self.trams),
            random.random(self.trams) < SHARE_OLD,
        )


def _statements(predicate: str, table: pa.Table) -> pa.Array:
    """Facts as statements of a program."""
    return pc.binary_join_element_wise(fact_lines(predicate, table), ".", "")
