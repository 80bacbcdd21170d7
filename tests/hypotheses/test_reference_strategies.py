"""Generated cases of hypothetical answers are what they promise to be."""

from collections import Counter

from hypothesis import given, settings

import thalweg
from hypotheses.streams import moments, query_of
from thalweg.testing.hypotheses import Query, has_negation, in_time, input_predicates, query_atom, unfold
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

EVERYTHING = HypothesesKnobs(comparisons=True, negation=True, metric=True)


@settings(max_examples=120)
@given(hypotheses_cases(EVERYTHING))
def test_programs_pass_the_checks(case):
    assert thalweg.parse(case.text)


@settings(max_examples=60)
@given(hypotheses_cases())
def test_programs_are_temporal_datalog_without_negation(case):
    assert not has_negation(case.program)
    assert unfold(case.program, query_atom(case.query, case.program.signatures[case.query].arity)) is not None


@settings(max_examples=60)
@given(hypotheses_cases(EVERYTHING))
def test_facts_are_input_on_the_timeline_and_in_time(case):
    inputs = input_predicates(case.program)
    for arrival in case.arrivals:
        assert len(arrival.atom.values) == inputs[arrival.atom.predicate]
        assert arrival.atom.time in case.times
        assert in_time(case.program, arrival)


def test_many_cases_have_answers_and_supported_answers():
    seen = Counter()

    @settings(max_examples=80, database=None)
    @given(hypotheses_cases(HypothesesKnobs(max_atoms=2)))
    def look(case):
        query: Query = query_of(case, ahead=1)
        data = frozenset(each.atom for each in case.arrivals)
        seen["cases"] += 1
        seen["answers"] += bool(query.answers(data))
        *_, middle = list(moments(case))[:3]
        seen["supported"] += any(each.hypotheses for each in query.supported(middle.data, middle.closed, 2))

    look()
    assert seen["answers"] > seen["cases"] / 4
    assert seen["supported"] > seen["cases"] / 8
