"""The engine on programs with negation, against all that may still come."""

from contextlib import contextmanager
from itertools import combinations

import pytest
from hypothesis import given

from hypotheses.engine_rows import fact_text, instances, open_rows, said
from hypotheses.engine_runs import examples, steps
from hypotheses.reading import arriving, read
from hypotheses.streams import query_of
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.model.formula import Not, atoms, subformulas
from thalweg.testing.hypotheses import TooManyHypotheses, declarative, has_negation
from thalweg.testing.strategies import HypothesesCase, HypothesesKnobs, hypotheses_cases

NEGATED = HypothesesKnobs(negation=True, last=3, max_facts=5, max_layers=3, max_atoms=2, max_delay=2)
METRIC = HypothesesKnobs(negation=True, last=3, max_facts=5, max_layers=2, max_atoms=2, max_delay=1, metric=True)
FEW = 9
"""With so many atoms that may still come, all sets of them are tried."""


@pytest.fixture(autouse=True)
def few():
    with few_hypotheses():
        yield


@contextmanager
def few_hypotheses():
    """The reference refuses larger universes sooner."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(declarative, "MOST_HYPOTHESES", FEW)
        yield


def check(case):
    query = query_of(case)
    is_simple = not negation_is_nested(case.program)
    confirmed, refuted = set(), set()
    step = None
    for step in steps(case):
        stream, answers, data, closed = step
        confirmed |= said(answers, "confirmed")
        refuted |= said(answers, "refuted")
        assert not confirmed & refuted
        try:
            possible, certain = query.possible(data, closed), query.certain(data, closed)
        except TooManyHypotheses:
            continue
        assert confirmed <= certain, (closed, confirmed - certain)
        assert not refuted & possible, (closed, refuted & possible)
        found = [each for row, where in open_rows(stream) for each in instances(case, row, where, closed)]
        if is_simple:
            missing = supported(query, data, closed, possible) - confirmed - {each.answer for each in found}
            assert not missing, (closed, missing)
    last = step.stream.advance(" ", 1000)
    assert confirmed | said(last, "confirmed") == query.answers(step.data)


def supported(query, data, closed, possible):
    """The possible answers for which something has come: some future needs an atom that has arrived."""
    awaited = query.awaited(data, closed)
    found = set()
    for answer in possible:
        cone = query._about(answer)
        future = [cone.bits([atom]) for atom in cone.inputs & awaited]
        arrived = [cone.bits([atom]) for atom in cone.inputs & data]
        if any(
            cone.holds(sum(arrived) + chosen) and not all(cone.holds(sum(arrived) - each + chosen) for each in arrived)
            for size in range(len(future) + 1)
            for chosen in map(sum, combinations(future, size))
        ):
            found.add(answer)
    return found


def negation_is_nested(program):
    """Whether something under ``not`` depends on a negation: absence may be evidence then."""
    negated = {
        atom.predicate
        for rule in program.rules
        for formula in rule.body
        for part in subformulas(formula)
        if isinstance(part, Not)
        for atom in atoms(part)
    }
    reached, before = set(negated), None
    while before != reached:
        before = set(reached)
        for rule in program.rules:
            if rule.head_core.predicate in reached:
                reached |= {atom.predicate for formula in rule.body for atom in atoms(formula)}
    below = [rule for rule in program.rules if rule.head_core.predicate in reached]
    return any(isinstance(part, Not) for rule in below for formula in rule.body for part in subformulas(formula))


@examples(80)
@given(hypotheses_cases(NEGATED))
def test_confirmed_answers_are_certain_and_refuted_ones_impossible(case):
    check(case)


@examples(40)
@given(hypotheses_cases(METRIC))
def test_that_is_so_with_metric_operators_too(case):
    check(case)
