"""Generated networks have what should raise an alarm, and the rules find it."""

from collections import defaultdict

import numpy as np
import pytest

import thalweg
from thalweg.generators.network import BEAT, LONGEST_OUTAGE, RULES, SHORTEST_OUTAGE, Network

HOSTS, TIMES = 25, 400


@pytest.fixture(scope="module")
def network():
    return Network(HOSTS, TIMES, seed=1)


@pytest.fixture(scope="module")
def answers(network):
    program = thalweg.parse(network.declarations + RULES)
    reasoner = thalweg.StreamReasoner(program, ("Silent", "Scan", "BreakIn", "Spread"))
    found = defaultdict(set)
    for part in network.slices():
        told = reasoner.advance(part.tables, part.now)
        for query in reasoner.queries:
            rows = told.table(query).to_pylist()
            found[query] |= {(*list(row.values())[:-4], int(row["start"])) for row in rows}
    return found


def test_a_host_that_is_up_sends_a_heartbeat_every_ten_seconds(network):
    for host in range(HOSTS):
        beats = network.beats.time[network.beats.host == host]
        missed = np.diff(beats) > BEAT
        assert (np.diff(beats) % BEAT == 0).all()
        assert all(network.down[time + BEAT, host] for time in beats[:-1][missed])


def test_outages_last_as_long_as_they_may(network):
    edges = np.diff(np.pad(network.down, ((1, 1), (0, 0))).astype(int).T)
    begins, ends = (np.argwhere(edges == change)[:, 1] for change in (1, -1))
    whole = ends < TIMES
    assert whole.sum() > 2
    assert ((ends - begins)[whole] >= SHORTEST_OUTAGE).all()
    assert (ends - begins)[whole].min() <= LONGEST_OUTAGE


def test_a_host_that_is_down_says_nothing(network):
    assert not network.down[network.flows.time, network.flows.source].any()
    assert not network.down[network.logins.time, network.logins.host].any()


def test_nobody_talks_to_himself(network):
    assert (network.flows.source != network.flows.target).all()


def test_the_rules_find_the_hosts_that_are_silent(network, answers):
    heard = {host: set(network.beats.time[network.beats.host == host].tolist()) for host in range(HOSTS)}
    silent = {
        (f"h{host}", now)
        for host in range(HOSTS)
        for now in range(TIMES)
        if not heard[host] & {*range(now - 25, now + 1)} and any(time < now - 25 for time in heard[host])
    }
    assert answers["Silent"] == silent != set()


def test_the_rules_find_scans_but_for_those_of_the_inspector(network, answers):
    ports = defaultdict(set)
    for time, source, target, port in rows(network.flows):
        for now in range(time, min(time + 11, TIMES)):
            ports[source, target, now].add(port)
    scans = {(f"h{s}", f"h{t}", now) for (s, t, now), found in ports.items() if len(found) >= 15}
    assert answers["Scan"] == {scan for scan in scans if scan[0] != "h0"} != set()
    assert any(scan[0] == "h0" for scan in scans)


def test_the_rules_find_break_ins(network, answers):
    failed = {(host, user, time) for time, host, user, ok in rows(network.logins) if not ok}
    broken = {
        (f"h{host}", f"u{user}", now)
        for now, host, user, ok in rows(network.logins)
        if ok and sum((host, user, time) in failed for time in range(now - 60, now + 1)) >= 5
    }
    assert answers["BreakIn"] == broken != set()


def test_a_host_that_was_broken_into_scans_another(answers):
    assert answers["Spread"]
    assert {row[0] for row in answers["Spread"]} <= {row[0] for row in answers["BreakIn"]}


def test_a_slice_has_what_happens_in_a_second(network):
    parts = list(network.slices())
    assert [int(part.now) for part in parts] == [*range(TIMES)]
    assert all({*table["time"].to_pylist()} <= {part.now} for part in parts for table in part.tables.values())
    assert sum(map(len, parts)) == sum(len(each.time) for each in (network.beats, network.flows, network.logins))


def test_the_same_seed_gives_the_same_network_and_another_gives_others():
    first, again, other = (Network(10, 100, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.flows.target, again.flows.target)
    assert not np.array_equal(first.flows.target, other.flows.target)


def rows(events):
    """Events as tuples of numbers, in the order of their fields."""
    return list(zip(*(column.tolist() for column in vars(events).values()), strict=True))
