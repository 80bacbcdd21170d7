"""Facts in the order of their lines, cut into batches."""

import thalweg
from thalweg.engine.arrivals import Arrivals, feed
from thalweg.source import Source
from thalweg.syntax.facts import read_facts

PROGRAM = thalweg.parse(
    "timeline integer.\ninput P(x). input R(x).\ndelay P = 1.\nQ(X) at T :- P(X) at T, R(X) at T.\n"
)


def batches(text):
    found = read_facts(Source("facts", text))
    assert not found.diagnostics
    return found.batches


def shown(arrivals, text):
    return [
        (sorted(f"{b.predicate}:{line}" for b in arrival.facts for line in b.lines.tolist()), arrival.over)
        for arrival in arrivals(batches(text))
    ]


def test_a_batch_ends_where_the_newest_time_grows():
    text = "P(a)@0\nR(a)@0\nP(b)@2\nP(b)@1\nR(c)@3\n"
    assert shown(Arrivals(), text) == [
        (["P:1", "R:2"], -1),
        (["P:3", "P:4"], 1),
        (["R:5"], 2),
    ]


def test_the_newest_time_is_remembered_between_calls():
    arrivals = Arrivals()
    assert shown(arrivals, "P(a)@5\n") == [(["P:1"], 4)]
    assert shown(arrivals, "P(a)@4\nP(a)@6\n") == [(["P:1"], None), (["P:2"], 5)]
    assert arrivals.newest == 6


def test_time_may_be_negative_and_intervals_count_by_their_end():
    arrivals = Arrivals()
    assert shown(arrivals, "P(a)@-3\nP(a)@[-2,1)\nP(b)@0\n") == [(["P:1"], -4), (["P:2", "P:3"], -3)]
    assert arrivals.newest == 0


def test_batches_of_a_number_of_lines():
    assert shown(Arrivals(2), "P(a)@0\nP(b)@7\nR(a)@3\n") == [(["P:1", "P:2"], None), (["R:3"], None)]


def test_facts_are_judged_as_if_each_came_alone():
    stream = thalweg.HypothesisStream(PROGRAM, "Q")
    # When R(b)@4 comes, 5 has been seen: 4 is over, and R has no delay.
    late = [
        fact
        for arrival in Arrivals()(batches("P(b)@4\nP(a)@5\nR(b)@4\n"))
        for answers in feed(stream, arrival)
        for fact in answers.late
    ]
    assert late == ["R(b)@4"]


def test_a_time_that_is_too_far_away_closes_nothing():
    assert shown(Arrivals(), f"P(a)@0\nP(a)@{10**30}\nP(a)@[1,inf)\n") == [(["P:1"], -1), (["P:2", "P:3"], None)]
