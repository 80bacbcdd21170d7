"""LARS+ programs and their rewritings have the same consequences (LARS+ paper, Theorem 1)."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings

import thalweg
from existential.both_routes import Rewritten, facts_of, holds_natively, lars_plus, operator_facts
from existential.lars_plus_texts import random_case
from thalweg.analysis.existential.names import AT_MOST, SUM
from thalweg.null import Null
from thalweg.testing.existential.as_program import as_program
from thalweg.testing.existential.chase import EndlessChase
from thalweg.testing.strategies import LarsPlusKnobs, lars_plus_cases
from thalweg.time.interval import point

NORMAL, SOAK = 40, 2000
SHORT = LarsPlusKnobs(endless=False, shortest=3, longest=6, max_groups=2)


@given(lars_plus_cases(SHORT))
@settings(max_examples=NORMAL)
def test_the_rewriting_has_the_same_consequences(case):
    check_consequences(case.program, case.facts)


@pytest.mark.soak
@given(lars_plus_cases(replace(SHORT, max_groups=3)))
@settings(max_examples=SOAK)
def test_the_rewriting_has_the_same_consequences_at_length(case):
    check_consequences(case.program, case.facts)


def test_the_rewriting_of_other_programs_has_the_same_consequences():
    assert check_seeds(range(NORMAL)) > NORMAL / 4


@pytest.mark.soak
def test_the_rewriting_of_other_programs_has_the_same_consequences_at_length():
    assert check_seeds(range(NORMAL, SOAK)) > SOAK / 4


def test_a_query_holds_when_its_rewriting_does():
    assert {answer for seed in range(NORMAL) for answer in check_query(seed)} == {False, True}


@pytest.mark.soak
def test_a_query_holds_when_its_rewriting_does_at_length():
    assert {answer for seed in range(NORMAL, SOAK) for answer in check_query(seed)} == {False, True}


@given(lars_plus_cases(SHORT))
@settings(max_examples=NORMAL // 2)
def test_the_engine_has_the_same_consequences_of_the_rewriting(case):
    check_engine(case.program, case.facts)


@pytest.mark.soak
@given(lars_plus_cases(SHORT))
@settings(max_examples=SOAK)
def test_the_engine_has_the_same_consequences_of_the_rewriting_at_length(case):
    check_engine(case.program, case.facts)


def spoilt(number, literal=None):
    """Leaves one of the rules (4) to (8) out for all predicates, or only one literal of its body."""

    def change(rules):
        first = next(place for place, rule in enumerate(rules) if not rule.number) + 1
        for place, rule in enumerate(rules):
            if place < first or (place - first) % 5 != number - 4:
                yield rule
            elif literal is not None:
                yield replace(rule, body=(*rule.body[:literal], *rule.body[literal + 1 :]))

    return change


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(spoilt(4), id="no rule 4"),
        pytest.param(spoilt(5), id="no rule 5"),
        pytest.param(spoilt(6), id="no rule 6"),
        pytest.param(spoilt(6, 2), id="rule 6 for windows of all sizes"),
        pytest.param(spoilt(6, 4), id="rule 6 without what holds now"),
        pytest.param(spoilt(7), id="no rule 7"),
        pytest.param(spoilt(8), id="no rule 8"),
        pytest.param(spoilt(8, 1), id="rule 8 for windows of all sizes"),
        pytest.param(spoilt(8, 3), id="rule 8 that skips time points"),
    ],
)
def test_a_planted_bug_is_found(change):
    with pytest.raises(AssertionError):
        check_seeds(range(NORMAL), change)


def check_consequences(program, facts, change=lambda rules: rules):
    """The rewriting has the consequences of the program, and its operators mean what they should."""
    rewritten = Rewritten.of(program, facts, change=change)
    chased = rewritten.chased()
    holds = rewritten.holds(chased)
    assert rewritten.with_native_nulls(holds) == holds_natively(program, facts), rewritten
    operators = operator_facts(holds, rewritten.source.window, rewritten.horizon)
    assert {fact for fact in chased if fact[0] not in (AT_MOST, SUM)} == operators, rewritten
    return any(isinstance(value, Null) for _, values, _ in holds for value in values)


def check_seeds(seeds, change=lambda rules: rules):
    """How many of the random cases make nulls; those that do so without end are left out."""
    count = 0
    for seed in seeds:
        case = random_case(seed)
        program = thalweg.parse(case.program)
        with suppress(EndlessChase):
            count += check_consequences(program, facts_of(program, case.facts), change)
    return count


def check_query(seed):
    """The answers to a query at all time points: a rule gives them, and so does the rewritten query."""
    case = random_case(seed)
    asking = thalweg.parse(f"{case.program}\n{case.query}")
    facts = facts_of(asking, case.facts)
    asked = next((rule for rule in lars_plus(asking).rules if rule.number == len(case.rules) + 1), None)
    if asked is None:  # its arithmetic is never true
        return
    program = thalweg.parse(case.program)
    times = range(case.horizon + 1)
    rewritten = Rewritten.of(program, facts, [asked.body], times)
    try:
        chased = rewritten.chased()
    except EndlessChase:
        return
    expected = {time for predicate, _, time in holds_natively(asking, facts) if predicate == "hit"}
    for time in times:
        assert rewritten.matches(chased, asked.body, time) is (time in expected), (case, time)
        yield time in expected


def check_engine(program, facts):
    """The engine's chase of the rewriting, in which nothing depends on time, is the naive one."""
    rewritten = Rewritten.of(program, facts)
    chased = rewritten.chased()
    model = thalweg.materialise(as_program(rewritten.rules, rewritten.facts), max_nulls=100_000).facts()
    assert all(intervals == (point(0),) for intervals in model.values())
    assert set(model) == chased, rewritten
    assert rewritten.with_native_nulls(rewritten.holds(model)) == holds_natively(program, facts)
