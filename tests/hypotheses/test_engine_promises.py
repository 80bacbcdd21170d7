"""What is promised of a query before any data comes holds for all runs."""

from collections import Counter

import pytest
from hypothesis import given

from hypotheses.busy_streams import BUSY, busy
from hypotheses.engine_runs import examples, steps, theta
from hypotheses.reading import TURBINES, read
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

PLAIN = HypothesesKnobs(max_facts=9)
EVERYTHING = HypothesesKnobs(max_facts=9, max_layers=2, negation=True, comparisons=True, metric=True)


def check(case):
    for step in steps(case):
        promised = step.stream.promises
        if promised.delay is not None:
            check_delay(step, promised.delay)
        if promised.window is not None:
            check_window(step, promised.window)


def check_delay(step, delay):
    for row in step.rows:
        *_, time = theta(row)
        assert time is None or step.closed <= time + delay, "a change after t + d"
    for row in step.stream.open().table().to_pylist():
        *_, time = theta(row)
        if time is None:
            continue
        assert time + delay > step.closed, "open after t + d"
        for each in row["hypotheses"]:
            assert each["time"] is None or each["time"] <= time + delay
            assert each["until"] is None or each["until"] <= time + delay


def check_window(step, window):
    for row in step.stream.open().table().to_pylist():
        assert all(each["time"] > step.closed - window for each in row["evidence"]), "evidence older than w"
    for change in step.stream._reasoner.open_rows():
        timed = change.pattern.pattern.time_variables
        others = [name for name in change.rows.variables if name not in timed]
        bindings = Counter(zip(*change.rows.pick(others), strict=True)) if others else Counter([()] * len(change.rows))
        assert all(count <= step.stream.promises.rows_per_binding for count in bindings.values())


@examples(16)
@given(hypotheses_cases(PLAIN))
def test_nothing_changes_after_the_delay_and_evidence_is_in_the_window(case):
    check(case)


@examples(12)
@given(hypotheses_cases(EVERYTHING))
def test_promises_hold_for_richer_programs_too(case):
    check(case)


@pytest.mark.parametrize("name", BUSY)
def test_promises_hold_where_many_facts_come(name):
    for seed in range(2):
        check(busy(BUSY[name], seed))


@pytest.mark.parametrize(
    ("rules", "query", "delay", "window"),
    [
        (TURBINES, "Malf", 2, 2),
        (TURBINES + "delay Temp = 3.", "Malf", 5, 5),
        (TURBINES + 'delay Temp = 3. delay Temp(_, high) = 1. delay Temp("wt4", high) = 2.', "Malf", 4, 4),
        (TURBINES, "Shdn", 0, 2),
        # two times that know nothing of each other (paper, Example 8)
        (TURBINES + 'Defective(X) at 0 :- Temp(X, high) at T, Temp(X, "n/a") at S.', "Defective", None, None),
        ("timeline integer. P(X) at T :- A(X) at T, B(X) at S.", "P", None, None),
        # the answer waits for ever, its evidence does not
        ("timeline integer. P(X) at 0 :- A(X) at T, B(X) at T + 3.", "P", None, 3),
        # the answer's time is 1 at the earliest
        ("timeline integer from 1. delay B = 2. P(X) at T :- A(X) at T, B(X) at 4.", "P", 5, None),
        ("timeline integer. delay B = 2. P(X) at T :- A(X) at T, not B(X) at T + 1.", "P", 3, 3),
        # B is derived until 2 + 1 after its time
        (
            "timeline integer. delay C = 1. B(X) at T :- C(X) at T + 2. P(X) at T :- A(X) at T, not B(X) at T.",
            "P",
            3,
            3,
        ),
    ],
)
def test_delay_and_window_are_as_computed_by_hand(rules, query, delay, window):
    promised = HypothesisStream(read(rules), query).promises
    assert (promised.delay, promised.window) == (delay, window)
    assert promised.rows_per_binding == (None if window is None else window + 1)


def test_delay_and_window_are_needed_to_the_last():
    stream = HypothesisStream(read(TURBINES + "delay Temp = 3."), "Malf")
    stream.advance("Temp(a, high)@0\nTemp(a, high)@1", to=4)
    first, *_ = stream.open().table().to_pylist()
    assert (first["time"], first["deadline"]) == (0, 0 + stream.promises.delay)
    assert min(each["time"] for each in first["evidence"]) == 4 - stream.promises.window + 1
    decided = stream.advance("Temp(a, high)@2", to=5).table().to_pylist()
    assert [row["time"] for row in decided if row["status"] == "confirmed"] == [0]
