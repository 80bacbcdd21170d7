"""Definitions 1 and 2 and Propositions 1 to 4; possible and certain answers."""

from itertools import chain, combinations, pairwise

import pytest
from hypothesis import assume, given, settings

from hypotheses.reading import TURBINES, answer, facts, read
from hypotheses.streams import moments, query_of
from thalweg.testing.hypotheses import (
    Arrival,
    Hypothetical,
    Query,
    Supported,
    TooManyHypotheses,
    answers,
    arrival_times,
    certain_answers,
    future_possible,
    hypothetical_answers,
    in_time,
    possible_answers,
    supported_answers,
)
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

MONOTONE = HypothesesKnobs(comparisons=True, metric=True, max_atoms=2, max_facts=7)
NEGATED = HypothesesKnobs(negation=True, metric=True, max_layers=2, max_atoms=2, max_facts=6, last=3, max_delay=2)
LARGEST = 2
"""Hypotheses in the answers that are looked for."""


def hypothetical(case):
    """Some moments with their hypothetical answers."""
    query = query_of(case)
    for moment in list(moments(case))[-3:]:
        yield query, moment, query.hypothetical(moment.data, moment.closed, LARGEST)


def subsets(atoms):
    ordered = sorted(atoms)
    return map(frozenset, chain.from_iterable(combinations(ordered, size) for size in range(len(ordered) + 1)))


# Definition 1


@settings(max_examples=20)
@given(hypotheses_cases())
def test_what_lies_ahead_is_future_possible(case):
    query = query_of(case)
    ahead = {atom for atom in query.universe if atom.time > 3}
    assert ahead <= query.awaited((), 3)


@settings(max_examples=20)
@given(hypotheses_cases())
def test_a_fact_is_future_possible_until_it_arrives(case):
    for atom, arrives in case.arrivals:
        assert in_time(case.program, Arrival(atom, arrives))
        assert all(future_possible(case.program, atom, closed) for closed in range(atom.time - 1, arrives))
        last = arrival_times(case.program, atom)[-1]
        assert not future_possible(case.program, atom, last)


# Definition 2


@settings(max_examples=20)
@given(hypotheses_cases(MONOTONE))
def test_hypotheses_are_awaited_needed_and_enough(case):
    for query, moment, found in hypothetical(case):
        for each in found:
            assert query.is_hypothetical(each, moment.data, moment.closed)
            assert not each.hypotheses & moment.data


@settings(max_examples=20)
@given(hypotheses_cases(MONOTONE))
def test_evidence_has_arrived_and_is_needed(case):
    for query, moment, _ in hypothetical(case):
        for each in query.supported(moment.data, moment.closed, LARGEST):
            assert query.is_supported(each, moment.data, moment.closed)


def test_several_sets_of_evidence_may_be_minimal():
    program = read("timeline integer. Q at T :- P at T + 1, R(X) at T.")
    found = Query(program, "Q", "ab", range(3)).supported(facts("R(a)@0 R(b)@0"), 0, 1)
    assert found == {
        Supported(answer("@0"), facts("P@1"), facts("R(a)@0")),
        Supported(answer("@0"), facts("P@1"), facts("R(b)@0")),
    }


def test_what_the_program_says_itself_needs_no_evidence():
    program = read("timeline integer. P@1. Q at T :- P at T.")
    assert hypothetical_answers(program, "Q", (), -1, "a", range(3), 2) == {
        Hypothetical(answer("@0"), facts("P@0")),
        Hypothetical(answer("@1"), frozenset()),
        Hypothetical(answer("@2"), facts("P@2")),
    }
    assert supported_answers(program, "Q", (), -1, "a", range(3), 2) == frozenset()


def test_definition_2_has_no_negation():
    program = read("timeline integer. Q at T :- P at T, not R at T.")
    with pytest.raises(ValueError, match="without negation"):
        hypothetical_answers(program, "Q", (), -1, "a", range(3), 2)


# Propositions 1 to 4


@settings(max_examples=20)
@given(hypotheses_cases(MONOTONE))
def test_proposition_1_answers_without_hypotheses_are_answers(case):
    for query, moment, found in hypothetical(case):
        without = {each.answer for each in found if not each.hypotheses}
        assert without == query.answers(moment.data)


@settings(max_examples=20)
@given(hypotheses_cases(MONOTONE))
def test_proposition_2_hypotheses_may_come_true(case):
    for query, moment, found in hypothetical(case):
        for each in found:
            late = [Arrival(atom, arrival_times(case.program, atom)[-1]) for atom in each.hypotheses]
            assert all(in_time(case.program, arrival) and arrival.arrives > moment.closed for arrival in late)
            assert each.answer in query.answers(moment.data | each.hypotheses)


@settings(max_examples=20)
@given(hypotheses_cases(MONOTONE))
def test_proposition_3_hypotheses_and_evidence_are_hypotheses_of_the_beginning(case):
    # The paper writes ℋ(Q, D, τ) twice; H⁰ belongs to ℋ(Q, D, −1).
    before = case.times.start - 1
    for query, moment, found in hypothetical(case):
        for each in found:
            evidence = query.evidence(each, moment.data)
            assert evidence
            assert all(
                query.is_hypothetical(Hypothetical(each.answer, each.hypotheses | part), (), before)
                for part in evidence
            )


@settings(max_examples=20)
@given(hypotheses_cases(MONOTONE))
def test_proposition_4_hypotheses_go_back_to_earlier_ones(case):
    query = query_of(case)
    for earlier, later in pairwise(list(moments(case))[-3:]):
        came = later.data - earlier.data
        for each in query.hypothetical(later.data, later.closed, LARGEST):
            assert any(
                query.is_hypothetical(Hypothetical(each.answer, each.hypotheses | part), earlier.data, earlier.closed)
                for part in subsets(came)
            )


# possible and certain answers


def tried(case, ahead=0):
    """Some moments with their possible and certain answers, where there are not too many hypotheses."""
    query = query_of(case, ahead)
    try:
        return query, [
            (each, query.possible(each.data, each.closed), query.certain(each.data, each.closed))
            for each in list(moments(case))[-2:]
        ]
    except TooManyHypotheses:
        assume(False)


@settings(max_examples=20)
@given(hypotheses_cases(NEGATED))
def test_certain_answers_hold_and_answers_are_possible(case):
    query, found = tried(case)
    for moment, possible, certain in found:
        assert certain <= query.answers(moment.data) <= possible


@settings(max_examples=20)
@given(hypotheses_cases(NEGATED))
def test_what_is_certain_stays_and_what_is_impossible_too(case):
    _, found = tried(case)
    for (_, possible, certain), (_, later_possible, later_certain) in pairwise(found):
        assert certain <= later_certain
        assert later_possible <= possible


@settings(max_examples=20)
@given(hypotheses_cases(NEGATED))
def test_in_the_end_all_is_decided(case):
    query, data = query_of(case), frozenset(each.atom for each in case.arrivals)
    closed = max(query.universe, key=lambda atom: atom.time).time + 3
    assert query.possible(data, closed) == query.certain(data, closed) == query.answers(data)


@settings(max_examples=20)
@given(hypotheses_cases(HypothesesKnobs(max_layers=2, max_atoms=2, max_facts=6, last=3)))
def test_without_negation_possible_means_hypothetical_and_certain_means_answer(case):
    query, found = tried(case)
    for moment, possible, certain in found:
        assert certain == query.answers(moment.data)
        assert possible == {each.answer for each in query.hypothetical(moment.data, moment.closed, 12)}


def test_an_answer_that_a_late_fact_can_take_away_is_not_certain():
    program = read("timeline integer. delay R = 2. Q at T :- P at T, not R at T.")
    asked = (program, "Q", facts("P@0"))
    assert certain_answers(*asked, 1, "a", range(1)) == frozenset()
    assert possible_answers(*asked, 1, "a", range(1)) == {answer("@0")}
    assert certain_answers(*asked, 2, "a", range(1)) == {answer("@0")}
    assert answers(program, "Q", facts("P@0 R@0"), "a", range(1)) == frozenset()


def test_data_need_not_lie_in_the_finite_universe():
    query = Query(read(TURBINES), "Malf", ["wt2", "high"], range(3))
    assert query.answers(facts("Temp(wt9,high)@7 Temp(wt9,high)@8 Temp(wt9,high)@9")) == {answer("wt9@7")}
