"""Unlikely answers may be given up: that is said and counted, and nothing else changes."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypotheses.busy_streams import BUSY, busy
from hypotheses.engine_rows import fact_text, said
from hypotheses.engine_runs import Told, examples, frozen, stream_of, theta, told
from hypotheses.reading import TURBINES, read
from hypotheses.streams import query_of
from hypotheses.test_engine_confidence import declared
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.testing.hypotheses import slices
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

PLAIN = HypothesesKnobs(max_facts=9, max_layers=2)
NEGATED = HypothesesKnobs(max_facts=9, max_layers=2, negation=True)


def parts_of(case):
    first = case.times.start
    return [(facts, first + index) for index, facts in enumerate([*slices(case.arrivals, first=first), frozenset()])]


def check(case, seed):
    random = Random(seed)
    case = declared(case, random)
    options = random.choice(
        [{"min_confidence": random.choice((0.1, 0.4, 0.8))}, {"max_open": random.choice((0, 1, 3))}]
    )
    stream = stream_of(case, **options)
    wanted = query_of(case).answers(frozenset(each.atom for each in case.arrivals))
    answers, dropped = [], 0
    for facts, to in [*parts_of(case), (frozenset(), 1000)]:
        answers.append(stream.advance(fact_text(facts), to))
        dropped = stream.dropped_count
        for row in stream.open().table().to_pylist():
            assert row["confidence"] is None or row["confidence"] >= options.get("min_confidence", 0)
        assert stream.open_count <= options.get("max_open", stream.open_count)
    found = Told.of(answers)
    assert found.confirmed <= wanted
    assert not found.refuted & wanted
    if not dropped:
        assert found.confirmed == wanted
        assert not any(said(each, "dropped") for each in answers)
    check_log(answers)


def check_log(answers):
    """Only what was opened is dropped, and it may be opened anew after that by other rows."""
    open_now = set()
    for each in answers:
        for row in each.table().to_pylist():
            answer, status = theta(row), row["status"]
            assert (answer in open_now) or status in ("opened", "confirmed"), (answer, status)
            assert (answer not in open_now) or status != "opened", (answer, status)
            (open_now.add if status in ("opened", "extended") else open_now.discard)(answer)


def check_idle(case, seed):
    """Bounds that nothing exceeds change nothing."""
    case = declared(case, Random(seed))
    free, bound = stream_of(case), stream_of(case, min_confidence=1e-12, max_open=100_000)
    for facts, to in parts_of(case):
        one, other = free.advance(fact_text(facts), to), bound.advance(fact_text(facts), to)
        if not bound.dropped_count:
            assert told(one) == told(other)
            assert told(free.open()) == told(bound.open())


def check_likeliest(case, seed):
    """The first batch that has too many rows keeps the likeliest of them."""
    case = declared(case, Random(seed))
    most = Random(seed).choice((1, 2, 3))
    free, bound = stream_of(case), stream_of(case, max_open=most)
    for facts, to in parts_of(case):
        free.advance(fact_text(facts), to)
        bound.advance(fact_text(facts), to)
        rows, kept = ([frozen(row) for row in each.open().table().to_pylist()] for each in (free, bound))
        assert {*kept} <= {*rows}
        if len(rows) > most:
            chances = sorted((dict(row)["confidence"] or 0 for row in rows), reverse=True)
            assert sorted((dict(row)["confidence"] or 0 for row in kept), reverse=True) == chances[:most]
            assert bound.dropped_count == len(rows) - most
            return
        assert bound.dropped_count == 0


@examples(12)
@given(hypotheses_cases(PLAIN), st.integers(0, 1_000_000))
def test_what_is_confirmed_is_true_whatever_is_given_up(case, seed):
    check(case, seed)


@examples(12)
@given(hypotheses_cases(NEGATED), st.integers(0, 1_000_000))
def test_what_is_confirmed_is_true_with_negation_too(case, seed):
    check(case, seed)


@examples(9)
@given(hypotheses_cases(PLAIN), st.integers(0, 1_000_000))
def test_bounds_that_nothing_exceeds_change_nothing(case, seed):
    check_idle(case, seed)


@examples(12)
@given(hypotheses_cases(PLAIN), st.integers(0, 1_000_000))
def test_the_likeliest_rows_stay(case, seed):
    check_likeliest(case, seed)


@pytest.mark.parametrize("name", BUSY)
def test_streams_with_many_facts(name):
    for seed in range(2):
        check(busy(BUSY[name], seed), seed)
        check_likeliest(busy(BUSY[name], seed), seed)
    check_idle(busy(BUSY[name], 0), 0)


def test_an_answer_of_which_a_row_was_given_up_is_not_refuted():
    """P(a)@0 may come by Rare, which is given up, or by Usual, which does not come."""
    text = """timeline integer. probability Usual = 0.9. probability Rare = 0.1.
    P(X) at T :- A(X) at T, Rare(X) at T + 2. P(X) at T :- A(X) at T, Usual(X) at T + 1."""
    stream = HypothesisStream(read(text), "P", min_confidence=0.5)
    assert statuses(stream, "A(a)@0", 0) == ["opened"]
    assert stream.dropped_count == 1
    assert statuses(stream, " ", 1) == ["dropped"]
    assert statuses(stream, "Rare(a)@2", 2) == []


def test_what_is_given_up_does_not_come_back():
    text = TURBINES + "probability Temp = 0.2. probability Temp(b, _) = 0.6."
    stream = HypothesisStream(read(text), "Malf", min_confidence=0.3)
    assert [row["arg1"] for row in stream.advance("Temp(a, high)@0\nTemp(b, high)@0", to=0).table().to_pylist()] == [
        "b"
    ]
    assert stream.dropped_count == 1
    answers = stream.advance("Temp(a, high)@1\nTemp(b, high)@1", to=1).table().to_pylist()
    assert {(row["arg1"], row["time"]) for row in answers} == {("b", 0), ("b", 1)}


def statuses(stream, facts, to):
    return stream.advance(facts, to).table()["status"].to_pylist()
