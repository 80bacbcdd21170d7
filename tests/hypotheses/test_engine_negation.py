"""The engine on programs with negation, against all that may still come."""

from contextlib import contextmanager
from itertools import combinations

import pytest
from hypothesis import given

from hypotheses.busy_streams import NEGATIVE, busy
from hypotheses.engine_rows import instances, open_rows, said
from hypotheses.engine_runs import examples, steps
from hypotheses.reading import arriving, read
from hypotheses.streams import query_of
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.model.formula import Not, atoms, subformulas
from thalweg.testing.hypotheses import Answer, TooManyHypotheses, declarative, has_negation, in_time
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
        rows = [*open_rows(stream)]
        found = [each for row, where in rows for each in instances(case, row, where, closed, query.universe)]
        if is_simple:
            missing = supported(query, data, closed, possible) - confirmed - {each.answer for each in found}
            assert not missing, (closed, missing)
        if negates_input_only(case.program):
            ground = {Answer(*row.answer.ground()[1:]) for row, _ in open_rows(stream) if is_known(row, query.universe)}
            assert ground <= possible, (closed, ground - possible)
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


def is_known(row, universe):
    """Whether a row is ground, and awaits only what the reference knows of."""
    variables = [*row.answer.variables, *(name for each in row.hypotheses for name in each.variables)]
    return not variables and {each.ground() for each in row.hypotheses} <= universe


def negates_input_only(program):
    return not negated_predicates(program) & program.derived_predicates


def negated_predicates(program):
    return {
        atom.predicate
        for rule in program.rules
        for formula in rule.body
        for part in subformulas(formula)
        if isinstance(part, Not)
        for atom in atoms(part)
    }


def negation_is_nested(program):
    """Whether something under ``not`` depends on a negation: absence may be evidence then."""
    reached, before = negated_predicates(program), None
    while before != reached:
        before = set(reached)
        for rule in program.rules:
            if rule.head_core.predicate in reached:
                reached |= {atom.predicate for formula in rule.body for atom in atoms(formula)}
    below = [rule for rule in program.rules if rule.head_core.predicate in reached]
    return any(isinstance(part, Not) for rule in below for formula in rule.body for part in subformulas(formula))


@examples(22)
@given(hypotheses_cases(NEGATED))
def test_confirmed_answers_are_certain_and_refuted_ones_impossible(case):
    check(case)


@examples(11)
@given(hypotheses_cases(METRIC))
def test_that_is_so_with_metric_operators_too(case):
    check(case)


BY_HAND = {
    "negation below negation": (
        """timeline integer. delay A = 1. delay C = 2. delay D = 1.
        S(X) at T :- C(X) at T, not D(X) at T + 1.
        P(X) at T :- A(X) at T, not S(X) at T.""",
        "A(a)@0:1 C(a)@0:2 D(a)@1:2 A(b)@0:0 C(b)@0:1 A(a)@1:1 D(a)@2:3",
    ),
    "three negations": (
        """timeline integer. delay D = 2.
        R(X) at T :- D(X) at T.
        S(X) at T :- C(X) at T, not R(X) at T.
        P(X) at T :- A(X) at T, not S(X) at T.""",
        "A(a)@0:0 C(a)@0:0 D(a)@0:2 A(b)@1:1 C(b)@1:1 D(b)@0:1",
    ),
    "a negated predicate with two rules": (
        """timeline integer. delay C = 2. delay D = 1.
        S(X) at T :- C(X) at T. S(X) at T :- D(X) at T + 1, not C(X) at T + 1.
        P(X) at T :- A(X) at T, not S(X) at T.""",
        "A(a)@0:0 D(a)@1:2 C(a)@1:3 A(b)@0:0 D(b)@1:1 A(a)@1:1 C(a)@1:2",
    ),
    "before the timeline nothing holds": (
        """timeline integer from 1. delay C = 1.
        Q at T :- B at T, not C at T - 2.
        P at T :- Q at 1, B at T.""",
        "B@1:1 C@1:2 B@2:2",
    ),
    "what must come and must not": (
        "timeline integer. delay D = 2. delay A = 1. P(X, Y) at T :- D(X, Y) at T, not D(Y, X) at T, A at T.",
        "A@0:1 D(a,b)@0:1 D(b,a)@0:2 D(a,a)@0:0 D(a,b)@1:1 A@1:2",
    ),
    "no value at all": (
        "timeline integer. delay D = 2. delay A = 1. P(X) at T :- A(X) at T, not D(X, _) at T + 1.",
        "A(a)@0:0 A(b)@0:1 D(a,b)@1:3 A(a)@1:1",
    ),
    "one time for all": (
        "timeline integer. delay C = 1. P(X) at T :- A(X) at T, not C at 2.",
        "A(a)@0:0 A(b)@1:1 C@2:3",
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_what_generated_programs_seldom_have(name):
    text, arrivals = BY_HAND[name]
    program = read(text)
    case = HypothesesCase(program, "P", arriving(arrivals), ("a", "b"), range(int(program.bounds[0]), 5), text)
    assert has_negation(program)
    assert all(in_time(program, each) for each in case.arrivals)
    check(case)


def test_what_contradicts_itself_is_never_opened():
    stream = HypothesisStream(
        read("timeline integer. delay D = 2. P(X) at T :- A(X, Y) at T, D(X, Y) at T, not D(Y, X) at T."), "P"
    )
    opened = stream.advance("A(a, b)@0\nA(a, a)@0", to=0).table().to_pylist()
    assert [row["evidence"][0]["arguments"] for row in opened] == [["a", "b"]]


def test_an_answer_waits_for_what_must_not_come():
    stream = HypothesisStream(read("timeline integer. delay C = 2. P(X) at T :- A(X) at T, not C(X) at T + 1."), "P")
    statuses = []
    for closed, facts in enumerate(["A(a)@0\nA(b)@0", " ", "C(b)@1", " "]):
        statuses.append([(row["status"], row["arg1"]) for row in stream.advance(facts, to=closed).table().to_pylist()])
    assert statuses == [[("opened", "a"), ("opened", "b")], [], [("refuted", "b")], [("confirmed", "a")]]


@pytest.mark.parametrize("name", NEGATIVE)
def test_streams_with_many_facts(name):
    for seed in range(8):
        check(busy(NEGATIVE[name], seed))
