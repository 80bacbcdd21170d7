"""A computer network as its monitors see it: heartbeats, connections and logins, with what should raise an alarm.

Hosts send a heartbeat every ten seconds, open connections to the usual ports of others, and users log in, now and then
with a wrong password. Beside that, by chance:

- a host goes down for a while, and sends nothing;
- somebody tries passwords of one user on one host, once a second; half of them find one in the end, and some time later
  the host that they have taken scans the ports of another;
- a host scans another for no such reason, and the inspector, who may, does so every two minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa

from thalweg.generators.columns import Bools, Ints, numbered
from thalweg.generators.stream import Slice

BEAT = 10
"""A host that is up sends a heartbeat every so many seconds."""

OUTAGE_CHANCE, SHORTEST_OUTAGE, LONGEST_OUTAGE = 0.0005, 40, 90
"""That a host goes down in a second, and for how long."""

FLOW_CHANCE = 0.2
PORTS = (443, 80, 53, 22, 5432)
PORT_SHARES = (0.5, 0.2, 0.15, 0.1, 0.05)
"""That a host opens a connection in a second, and to which port."""

LOGIN_CHANCE, FAILING = 0.05, 0.15
"""That somebody logs in to a host in a second, and mistypes the password."""

ATTACK_CHANCE, FEWEST_TRIES, MOST_TRIES = 0.0005, 6, 15
"""That somebody begins to try passwords on a host in a second, and how many of them."""

SUCCEEDING = 0.5
SOONEST_SCAN, LATEST_SCAN = 15, 45
"""How many seconds after a password was found the host begins to scan another."""

SCAN_CHANCE, FEWEST_PORTS, MOST_PORTS = 0.0002, 20, 40
PORTS_A_SECOND = 4
HIGHEST_PORT = 10_000
"""That a host begins to scan another in a second, how many ports in a row, and how fast."""

INSPECTION = 120
"""The inspector scans a host every so many seconds."""

INSPECTOR = "h0"
RESULTS = ("failed", "ok")

RULES = """\
output Silent(host: string).
output Scan(source: string, target: string).
output BreakIn(host: string, user: string).
output Spread(host: string, target: string).

% No heartbeat for more than 25 seconds; after ten minutes the host is not missed any more.
Silent(H)    :- diamondminus[26,600] Beat(H), not diamondminus[0,25] Beat(H).

% At least 15 different ports of a host in 10 seconds, unless the inspector asks.
Scan(S, D)   :- N = count { P : window[last 10] some Flow(S, D, P) }, N >= 15, not Inspector(S).

% At least 5 failures of a user on a host in a minute, and then a success.
BreakIn(H, U) :- Login(H, U, ok), N = count { T : window[last 60] (Login(H, U, failed) at T) }, N >= 5.

% The host that was broken into begins to scan others.
Spread(H, D) :- Scan(H, D), diamondminus[0,120] BreakIn(H, _).
"""


@dataclass(frozen=True)
class Beats:
    """Heartbeats in the order of time, hosts by number."""

    time: Ints
    host: Ints


@dataclass(frozen=True)
class Flows:
    """Connections in the order of time, hosts by number."""

    time: Ints
    source: Ints
    target: Ints
    port: Ints


@dataclass(frozen=True)
class Logins:
    """Logins in the order of time, hosts and users by number, ``result`` as in ``RESULTS``."""

    time: Ints
    host: Ints
    user: Ints
    result: Ints


@dataclass(frozen=True)
class Network:
    """So many hosts, two or more, in the seconds 0, 1, 2, …"""

    hosts: int
    times: int
    seed: int = 0

    @property
    def name(self) -> str:
        """What its files are called by."""
        return "network"

    @property
    def declarations(self) -> str:
        """What a program says to read it, and who the inspector is."""
        return (
            "timeline integer.\nunit 1s.\n"
            "input      Beat(host: string).\n"
            "input      Flow(source: string, target: string, port: integer).\n"
            "input      Login(host: string, user: string, result: string).\n"
            "background Inspector(host: string).\n"
            f"Inspector({INSPECTOR}).\n"
        )

    @property
    def users(self) -> int:
        """How many users there are."""
        return max(4, self.hosts // 2)

    def slices(self) -> Iterator[Slice]:
        """All of it, second by second."""
        host, user, result = numbered("h", self.hosts), numbered("u", self.users), pa.array(RESULTS)
        beats, flows, logins = self.beats, self.flows, self.logins
        tables = {
            "Beat": pa.table({"host": host.take(pa.array(beats.host)), "time": beats.time}),
            "Flow": pa.table(
                {
                    "source": host.take(pa.array(flows.source)),
                    "target": host.take(pa.array(flows.target)),
                    "port": flows.port,
                    "time": flows.time,
                }
            ),
            "Login": pa.table(
                {
                    "host": host.take(pa.array(logins.host)),
                    "user": user.take(pa.array(logins.user)),
                    "result": result.take(pa.array(logins.result)),
                    "time": logins.time,
                }
            ),
        }
        edges = {name: np.searchsorted(table["time"], np.arange(self.times + 1)) for name, table in tables.items()}
        for time in range(self.times):
            yield Slice(Fraction(time), {name: _rows(table, edges[name], time) for name, table in tables.items()})

    @cached_property
    def down(self) -> Bools:
        """Whether a host (the column) is down in a second (the row)."""
        random, found = self._random(0), np.zeros((self.times, self.hosts), np.bool_)
        for time, host in np.argwhere(random.random(found.shape) < OUTAGE_CHANCE):
            found[time : time + random.integers(SHORTEST_OUTAGE, LONGEST_OUTAGE + 1), host] = True
        return found

    @cached_property
    def beats(self) -> Beats:
        """Every host has its own second of the ten."""
        phase = self._random(1).integers(0, BEAT, self.hosts)
        due = np.arange(self.times)[:, np.newaxis] % BEAT == phase
        return Beats(*np.nonzero(due & ~self.down))

    @cached_property
    def flows(self) -> Flows:
        """What hosts usually ask of each other, and scans."""
        random = self._random(2)
        time, source = np.nonzero(random.random((self.times, self.hosts)) < FLOW_CHANCE)
        usual = np.stack([time, source, self._another(random, source), random.choice(PORTS, len(time), p=PORT_SHARES)])
        return Flows(*self._seen([usual, *(_ports(random, *scan) for scan in self._scans)]))

    @cached_property
    def logins(self) -> Logins:
        """What users do, and attacks."""
        random = self._random(3)
        time, host = np.nonzero(random.random((self.times, self.hosts)) < LOGIN_CHANCE)
        user = random.integers(0, self.users, len(time))
        usual = np.stack([time, host, user, (random.random(len(time)) >= FAILING).astype(np.int64)])
        return Logins(*self._seen([usual, *self._attacks]))

    @cached_property
    def _attacks(self) -> list[Ints]:
        """The logins of each attack as rows of time, host, user and result; only the last may succeed."""
        random, found = self._random(4), []
        for begin, host in np.argwhere(random.random((self.times, self.hosts)) < ATTACK_CHANCE):
            tries = int(random.integers(FEWEST_TRIES, MOST_TRIES + 1))
            result = np.zeros(tries, np.int64)
            result[-1] = random.random() < SUCCEEDING
            user = int(random.integers(0, self.users))
            found.append(np.stack([begin + np.arange(tries), np.full(tries, host), np.full(tries, user), result]))
        return found

    @cached_property
    def _scans(self) -> list[tuple[int, int, int]]:
        """When each scan begins, its host and its target: after attacks, by chance, and by the inspector."""
        random = self._random(5)
        begins = [(int(attack[0, -1]), int(attack[1, -1])) for attack in self._attacks if attack[3, -1]]
        begins = [(time + int(random.integers(SOONEST_SCAN, LATEST_SCAN + 1)), host) for time, host in begins]
        by_chance = np.argwhere(random.random((self.times, self.hosts)) < SCAN_CHANCE)
        begins += [(time, host) for time, host in by_chance.tolist()]
        begins += [(time, 0) for time in range(INSPECTION // 2, self.times, INSPECTION)]
        targets = self._another(random, np.array([host for _, host in begins], np.int64))
        return [(time, host, int(target)) for (time, host), target in zip(begins, targets, strict=True)]

    def _another(self, random: np.random.Generator, host: Ints) -> Ints:
        """For each host another one."""
        others: Ints = (host + random.integers(1, self.hosts, len(host))) % self.hosts
        return others

    def _seen(self, parts: list[Ints]) -> Ints:
        """Rows in the order of time, without those after the end and those of hosts that are down."""
        rows = np.concatenate(parts, axis=1)
        rows = rows[:, rows[0] < self.times]
        rows = rows[:, ~self.down[rows[0], rows[1]]]
        return rows[:, np.argsort(rows[0], kind="stable")]

    def _random(self, part: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, part))


def _ports(random: np.random.Generator, begin: int, source: int, target: int) -> Ints:
    """The connections of a scan: some ports in a row."""
    number = np.arange(int(random.integers(FEWEST_PORTS, MOST_PORTS + 1)))
    first = int(random.integers(1, HIGHEST_PORT - MOST_PORTS))
    time = begin + number // PORTS_A_SECOND
    return np.stack([time, np.full(len(number), source), np.full(len(number), target), first + number])


def _rows(table: pa.Table, edges: Ints, time: int) -> pa.Table:
    return table.slice(edges[time], edges[time + 1] - edges[time])
