"""Vehicles in a traffic jam, like the stream S1 of the journal paper's hackathon benchmark (Section 7.2).

What S1 shows, and this stream has as well, for any number of vehicles:

- The road fills and empties in rounds of 46 time points, from a third of all vehicles to all of them, quickly up and
  slowly down.
- At every time point nine in ten of the vehicles on the road report, in any order.
- A report says where the vehicle is (``Pos``: it stands still, ``NotPos``: it moves, ``NotOnMap``), where it heads, and
  its pace. Each is drawn anew at every time point, so that a stop goes on with a chance of one third.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa

from thalweg.generators.columns import Ints, at_time, numbered
from thalweg.generators.journal_programs import SHORT_STOPS
from thalweg.generators.stream import Slice

PLACES = ("Pos", "NotPos", "NotOnMap")
HEADINGS = ("NorthHeading", "EastHeading", "SouthHeading", "WestHeading")
PACES = ("SlowDown", "Acceleration")
KINDS = (PLACES, HEADINGS, PACES)

ROUND = 46
"""After so many time points the road fills anew."""

ON_THE_ROAD = ((0, 0.32), (11, 0.94), (14, 1.0), (18, 0.96), (26, 0.65), (30, 0.59), (45, 0.31), (ROUND, 0.32))
"""Which share of all vehicles is on the road, at some time points of a round; between them it goes straight."""

REPORTING = 0.9
"""The share of the vehicles on the road that report at a time point."""

LONGEST_STOP = 4
"""A short stop has at most so many time points."""

VEHICLES_OF_S1 = 68

RULES = f"""\
output ShortStop(vehicle: string).
output Restart(vehicle: string, towards: string).
output Hesitation(vehicle: string, towards: string).

% A vehicle that is not on the map does not stand still. A short stop: it stands still (Pos) at one, two, three or four
% time points in a row, and no more.{SHORT_STOPS}
% Where it goes on to, and whether it picks up speed.
Towards(V, north) :- NorthHeading(V).
Towards(V, east)  :- EastHeading(V).
Towards(V, south) :- SouthHeading(V).
Towards(V, west)  :- WestHeading(V).
Restart(V, H)     :- ShortStop(V), Acceleration(V), Towards(V, H).
Hesitation(V, H)  :- ShortStop(V), SlowDown(V), Towards(V, H).
"""
"""The journal paper's program, with its Speed=0 and Speed≠0 called as in S1, and what the other predicates tell."""

_UNKNOWN = -1


@dataclass(frozen=True)
class Reports:
    """Who reports at a time point, in the order of arrival, and the number of the predicate in each of ``KINDS``."""

    vehicle: Ints
    chosen: tuple[Ints, ...]


@dataclass(frozen=True)
class Traffic:
    """So many vehicles at the time points 1, 2, …"""

    vehicles: int
    times: int
    seed: int = 0

    @property
    def name(self) -> str:
        """What its files are called by."""
        return "traffic"

    @property
    def declarations(self) -> str:
        """What a program says to read it; rules derive NotPos, too, so it is no input."""
        roles = {"NotPos": "predicate"}
        lines = [f"{roles.get(name, 'input')} {name}(vehicle: string)." for kind in KINDS for name in kind]
        return "\n".join(["unit 1s.", *lines]) + "\n"

    @property
    def facts(self) -> int:
        """How many facts there are altogether."""
        return len(KINDS) * sum(self.reporting(time) for time in range(1, self.times + 1))

    def slices(self) -> Iterator[Slice]:
        """All of it, time point by time point."""
        for time in range(1, self.times + 1):
            yield Slice(Fraction(time), self._tables(self.reports(time), time))

    def on_the_road(self, time: int) -> int:
        """How many vehicles are on the road at a time point."""
        positions, shares = zip(*ON_THE_ROAD, strict=True)
        return max(1, round(self.vehicles * float(np.interp((time - 1) % ROUND, positions, shares))))

    def reporting(self, time: int) -> int:
        """How many vehicles report at a time point."""
        return max(1, round(REPORTING * self.on_the_road(time)))

    def reports(self, time: int) -> Reports:
        """What is reported at a time point: the same however often it is asked for."""
        random = np.random.default_rng((self.seed, time))
        count = self.reporting(time)
        vehicle = random.permutation(self.on_the_road(time))[:count]
        return Reports(vehicle, tuple(random.integers(0, len(kind), count) for kind in KINDS))

    def short_stops(self) -> Iterator[tuple[int, Ints]]:
        """Time points, and the vehicles that have just ended a short stop then: the answers, found by hand."""
        standing = np.full(self.vehicles, _UNKNOWN)
        for time in range(1, self.times + 1):
            reports = self.reports(time)
            stands = reports.chosen[0] == PLACES.index("Pos")
            before = standing[reports.vehicle]
            ends = ~stands & (before >= 1) & (before <= LONGEST_STOP)
            yield time, np.sort(reports.vehicle[ends])
            standing = np.full(self.vehicles, _UNKNOWN)
            standing[reports.vehicle] = np.where(stands, np.where(before == _UNKNOWN, _UNKNOWN, before + 1), 0)

    def vehicle_names(self, vehicles: Ints) -> pa.Array:
        """The names of vehicles by number."""
        return self._names.take(pa.array(vehicles))

    def _tables(self, reports: Reports, time: int) -> dict[str, pa.Table]:
        return {
            predicate: at_time(time, vehicle=self.vehicle_names(reports.vehicle[chosen == number]))
            for kind, chosen in zip(KINDS, reports.chosen, strict=True)
            for number, predicate in enumerate(kind)
        }

    @cached_property
    def _names(self) -> pa.Array:
        return numbered("veh", self.vehicles)
