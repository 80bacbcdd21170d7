"""By which argument hypothetical answers are spread over shards, and why not."""

import pytest

import thalweg
from thalweg.analysis.hypotheses.shard_key import shard_by
from thalweg.analysis.hypotheses.unfold import unfold

INPUTS = "timeline integer. input p(string). input r(string, string). input n(integer). background b(string, string).\n"


def sharding(rules, query="q"):
    return shard_by(unfold(thalweg.parse(INPUTS + rules), query))


@pytest.mark.parametrize(
    ("rules", "position", "keys"),
    [
        ("q(X) at T :- p(X) at T, r(Y, X) at T+1.", 0, {"p": 0, "r": 1}),
        ("q(Y, X) at T :- p(X) at T, b(X, Y).", 1, {"p": 0}),
        ("q(X) at T :- p(X) at T, not r(X, _) at T+1.", 0, {"p": 0, "r": 0}),
        ("q(X) at T :- p(X) at T, not s(X) at T. s(Y) at T :- r(X, Y) at T, p(Y) at T.", 0, {"p": 0, "r": 1}),
        (
            "q(X) at T :- p(X) at T, not s(X, X) at T. s(X, Y) at T :- r(Z, Y) at T, r(X, Y) at T+1.",
            0,
            {"p": 0, "r": 1},
        ),
        ("q(X, Y) at T :- r(X, Y) at T, r(X, Z) at T+1.", 0, {"r": 0}),
        ("q(X) at T :- p(X) at T. q(X) at T :- r(Y, X) at T.", 0, {"p": 0, "r": 1}),
    ],
)
def test_the_argument_that_all_atoms_share(rules, position, keys):
    found = sharding(rules)
    assert (found.position, dict(found.keys), found.reason) == (position, keys, None)


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ("q at T :- p(X) at T.", "q has no arguments"),
        ("q(X) at T :- p(X) at T, r(Y, Z) at T.", "r(Y, Z) at T does not have X"),
        ("q(X) at T :- p(X) at T, not s(Y) at T, r(X, Y) at T. s(Y) at T :- p(Y) at T+1.", "s(Y) at T does not have X"),
        ("q(X) at T :- p(X) at T. q(a) at T :- p(b) at T.", "X is a in a pattern"),
        ("q(X) at T :- r(X, Y) at T, r(Y, X) at T+1.", "atoms of one predicate have X at different arguments"),
        (
            "q(X) at T :- p(X) at T, not s(X) at T. s(Z) at T :- p(Y) at T, b(Y, Z).",
            "below not s(X) at T: p(Y) at T does not have Z",
        ),
    ],
)
def test_one_shard_does_it_all_and_says_why(rules, reason):
    found = sharding(rules)
    assert (found.position, dict(found.keys), found.reason) == (None, {}, reason)
